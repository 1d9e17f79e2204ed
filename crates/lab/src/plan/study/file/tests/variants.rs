//! What variants may have of their own: flows, work, parent memory, a sampler, a floor.

use super::*;
use crate::testing::labels;

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

fn of_turns(preset: Preset) -> Vec<Vec<String>> {
    let labels = |case: Case| case.variants.into_iter().map(|v| v.label).collect();
    read(TURNS, preset).cases.into_iter().map(labels).collect()
}

#[test]
fn the_work_may_say_how_many_flows_there_are() {
    let study = read(TURNS, Preset::Full);
    let flows = study.cases.iter().map(|case| {
        let all: Vec<u32> = case.variants.iter().map(|v| v.variant.flows).collect();
        (all[0], all.iter().all(|flows| *flows == all[0]))
    });
    assert_eq!(flows.collect::<Vec<_>>(), [(2, true), (100, true)]);
    let task = "model = \"task\"";
    after(TURNS, task, "model = \"task\"\nflows = 3").says("task has 2 flows, not 3");
    after(TURNS, task, "model = \"4x2\"").says("for another number");
}

#[test]
fn variants_may_be_for_few_flows_or_for_the_full_preset_only() {
    let full = [
        vec!["process", "thread, pipe", "task"],
        vec!["thread, pipe", "task"],
    ];
    assert_eq!(of_turns(Preset::Full), full);
    let quick = [vec!["process", "task"], vec!["task"]];
    assert_eq!(of_turns(Preset::Quick), quick);
}

#[test]
fn a_variant_may_do_its_work_in_its_own_way() {
    let study = read(TURNS, Preset::Full);
    let Some(Work::Turns(pipe)) = &study.cases[1].variants[0].work else {
        panic!("{:?}", study.cases[1])
    };
    assert_eq!((pipe.hand_over, pipe.flows), (flow::HandOver::Pipe, 100));
    assert_eq!(study.cases[1].variants[1].work, None);
}

#[test]
fn a_case_may_say_what_does_not_matter_in_it() {
    let metric = "metric = \"steady\"";
    let with = |floor: &str| format!("{metric}\n{floor}");
    let study = read(&STUDY.replace(metric, &with("floor = 0.05")), Preset::Full);
    let floors = study.cases.iter().map(|case| case.floor);
    assert_eq!(floors.collect::<Vec<_>>()[..2], [None, Some(0.05)]);
    for wrong in ["floor = 1.5", "floor = -0.1", "floor = nan"] {
        error(metric, &with(wrong)).says("is no fraction: 0.05 stands for 5 %");
    }
}

#[test]
fn a_preset_samples_the_sampled_at_an_interval_of_its_own() {
    let thread = "model = \"thread\"";
    let sampled = STUDY
        .replacen(thread, &format!("{thread}\nsample_s = 0.5"), 1)
        .replacen("max_rounds = 7", "max_rounds = 7\nsample_s = 0.25", 1);
    let interval = |preset| {
        let study = read(&sampled, preset);
        let variants = study.cases[0].variants.iter();
        let intervals = variants.map(|v| v.sample.as_ref().map(|sample| sample.interval_s));
        intervals.collect::<Vec<_>>()
    };
    assert_eq!(interval(Preset::Full), [None, Some(0.5)]);
    assert_eq!(interval(Preset::Quick), [None, Some(0.25)]);
    let own = "[case.full]\nsample_s = 0.25";
    error("[case.quick]\nmax_rounds = 7", own).says("for variants with sample_s");
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
    let full = [
        "process 64M 4k",
        "process 64M dontfork",
        "process 8K 4k",
        "thread",
    ];
    assert_eq!(labels(&read(LADDER, Preset::Full)), full);
    assert_eq!(labels(&read(LADDER, Preset::Quick))[0], "process 1M 4k");
}

#[test]
fn parent_memory_that_cannot_be_is_refused_with_its_line() {
    for (from, to, line, named) in [
        ("\"64M\"", "\"64MB\"", 9, "64MB"),
        ("\"dontfork\"", "\"2m\"", 18, "dontfork"),
    ] {
        let said = after(LADDER, from, to);
        said.begins(&format!("mine.toml:{line}: "));
        said.says(named);
    }
    after(LADDER, "ballast = \"64M\"\n", "").says("ballast = \"256M\"");
}
