//! What variants may have of their own: flows, work, parent memory, a sampler, a floor.

use super::*;

const TURNS: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "nothing"
headline = "flows/2"
[[case]]
name = "flows"
title = "Flows"
metric = "switch"
work = { kind = "turns", flows = 2, kernel_turns = 10, user_turns = 10 }
[case.sweep]
name = "flows"
parameter = "flows"
values = [2, 100]
unit = "flows"
[[case.variant]]
model = "process"
most_flows = 50
[[case.variant]]
model = "thread"
label = "thread, pipe"
full_only = true
work = { yield = "pipe" }
[[case.variant]]
model = "task"
"#;

/// The labels of each case of [`TURNS`].
fn labels(preset: Preset) -> Vec<Vec<String>> {
    let study = parse(TURNS, "t.toml", preset).unwrap();
    let labels = |case: Case| case.variants.into_iter().map(|v| v.label).collect();
    study.cases.into_iter().map(labels).collect()
}

#[test]
fn the_work_may_say_how_many_flows_there_are() {
    let study = parse(TURNS, "t.toml", Preset::Full).unwrap();
    let flows = study.cases.iter().map(|case| {
        let all: Vec<u32> = case.variants.iter().map(|v| v.variant.flows).collect();
        (all[0], all.iter().all(|flows| *flows == all[0]))
    });
    assert_eq!(flows.collect::<Vec<_>>(), [(2, true), (100, true)]);
    let other = TURNS.replace("model = \"task\"", "model = \"task\"\nflows = 3");
    let error = parse(&other, "t.toml", Preset::Full).unwrap_err();
    assert!(
        error.to_string().contains("task has 2 flows, not 3"),
        "{error}"
    );
    let mix = TURNS.replace("model = \"task\"", "model = \"4x2\"");
    let error = parse(&mix, "t.toml", Preset::Full).unwrap_err();
    assert!(error.to_string().contains("for another number"), "{error}");
}

#[test]
fn variants_may_be_for_few_flows_or_for_the_full_preset_only() {
    assert_eq!(
        labels(Preset::Full),
        [
            vec!["process", "thread, pipe", "task"],
            vec!["thread, pipe", "task"]
        ]
    );
    assert_eq!(
        labels(Preset::Quick),
        [vec!["process", "task"], vec!["task"]]
    );
}

#[test]
fn a_variant_may_do_its_work_in_its_own_way() {
    let study = parse(TURNS, "t.toml", Preset::Full).unwrap();
    let pipe = study.cases[1].variants[0].work.clone();
    match pipe {
        Some(Work::Turns(turns)) => {
            assert_eq!(turns.hand_over, flow::HandOver::Pipe);
            assert_eq!(turns.flows, 100);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(study.cases[1].variants[1].work, None);
}

#[test]
fn a_case_may_say_what_does_not_matter_in_it() {
    let with = |floor: &str| {
        STUDY.replace(
            "metric = \"steady\"",
            &format!("metric = \"steady\"\n{floor}"),
        )
    };
    let read = |floor| parse(&with(floor), "mine.toml", Preset::Full);
    let floors: Vec<_> = read("floor = 0.05")
        .unwrap()
        .cases
        .iter()
        .map(|case| case.floor)
        .collect();
    assert_eq!(floors[..2], [None, Some(0.05)]);
    for wrong in ["floor = 1.5", "floor = -0.1", "floor = nan"] {
        let said = read(wrong).unwrap_err().to_string();
        assert!(
            said.contains("is no fraction: 0.05 stands for 5 %"),
            "{said}"
        );
    }
}

#[test]
fn a_preset_samples_the_sampled_at_an_interval_of_its_own() {
    let sampled = STUDY
        .replacen(
            "model = \"thread\"",
            "model = \"thread\"\nsample_s = 0.5",
            1,
        )
        .replacen("max_rounds = 7", "max_rounds = 7\nsample_s = 0.25", 1);
    let interval = |preset| {
        let study = parse(&sampled, "mine.toml", preset).unwrap();
        let variants = study.cases[0].variants.iter();
        let intervals = variants.map(|v| v.sample.as_ref().map(|sample| sample.interval_s));
        intervals.collect::<Vec<_>>()
    };
    assert_eq!(interval(Preset::Full), [None, Some(0.5)]);
    assert_eq!(interval(Preset::Quick), [None, Some(0.25)]);
    let said = error(
        "[case.quick]\nmax_rounds = 7",
        "[case.full]\nsample_s = 0.25",
    );
    assert!(said.contains("for variants with sample_s"), "{said}");
}

/// A case with parent memory, of which its variants differ.
const LADDER: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "A test."
headline = "one"
[[case]]
name = "one"
title = "One"
ballast = "64M"
work = { kind = "spin", units = 1, steps = 1 }
quick = { ballast = "1M" }
[[case.variant]]
model = "process"
flows = 1
[[case.variant]]
model = "process"
flows = 1
ballast_pages = "dontfork"
[[case.variant]]
model = "process"
flows = 1
ballast = 8_192
[[case.variant]]
model = "thread"
flows = 1
ballast = 0
"#;

#[test]
fn parent_memory_is_that_of_the_case_unless_a_variant_has_its_own() {
    let labels = |preset| -> Vec<String> {
        let study = parse(LADDER, "mine.toml", preset).unwrap();
        let variants = study.cases[0].variants.iter();
        variants.map(|v| v.label.clone()).collect()
    };
    assert_eq!(
        labels(Preset::Full),
        [
            "process 64M 4k",
            "process 64M dontfork",
            "process 8K 4k",
            "thread"
        ]
    );
    assert_eq!(labels(Preset::Quick)[0], "process 1M 4k");
}

#[test]
fn parent_memory_that_cannot_be_is_refused_with_its_line() {
    let refused = |from: &str, to: &str| {
        let text = LADDER.replacen(from, to, 1);
        let error = parse(&text, "mine.toml", Preset::Full).unwrap_err();
        error.to_string()
    };
    let error = refused("\"64M\"", "\"64MB\"");
    assert!(
        error.starts_with("mine.toml:9: ") && error.contains("64MB"),
        "{error}"
    );
    let error = refused("\"dontfork\"", "\"2m\"");
    assert!(
        error.starts_with("mine.toml:18: ") && error.contains("dontfork"),
        "{error}"
    );
    let error = refused("ballast = \"64M\"\n", "");
    assert!(error.contains("ballast = \"256M\""), "{error}");
}
