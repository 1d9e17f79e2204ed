use super::*;
use workload::Work;

const STUDY: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "nothing"
headline = "one"

[[case]]
name = "one"
title = "One"
[case.work]
kind = "primes"
start = 1
block = 100
blocks = 5
every = 10
method = "trial"
[[case.variant]]
model = "process"
flows = 5
[[case.variant]]
model = "thread"
flows = 5
[case.quick]
max_rounds = 7
work = { block = 10 }

[[case]]
name = "many"
title = "Many"
metric = "steady"
[case.work]
kind = "primes"
start = 1
block = 1
blocks = 5
every = 10
method = "sieve"
[case.sweep]
name = "grain"
parameter = "block"
values = [1000, 10_000]
unit = "numbers"
[[case.variant]]
model = "4x2"
[case.quick]
values = [50]
"#;

fn study(preset: Preset) -> Study {
    parse(STUDY, "mine.toml", preset).unwrap()
}

/// The error after a change of the text.
fn error(from: &str, to: &str) -> String {
    assert!(STUDY.contains(from), "{from}");
    let text = STUDY.replacen(from, to, 1);
    parse(&text, "mine.toml", Preset::Full)
        .unwrap_err()
        .to_string()
}

fn block(case: &Case) -> u64 {
    match &case.work {
        Work::Primes(primes) => primes.block,
        other => panic!("{other:?}"),
    }
}

#[test]
fn presets_are_laid_over_the_case() {
    let (quick, full) = (study(Preset::Quick), study(Preset::Full));
    assert_eq!(block(&quick.cases[0]), 10);
    assert_eq!(block(&full.cases[0]), 100);
    assert_eq!(quick.cases[0].max_rounds, Some(7));
    assert_eq!(full.cases[0].max_rounds, None);
}

#[test]
fn a_sweep_is_one_case_a_value() {
    let names = |preset| -> Vec<String> {
        study(preset)
            .cases
            .into_iter()
            .map(|case| case.name)
            .collect()
    };
    assert_eq!(names(Preset::Full), ["one", "many/1000", "many/10000"]);
    assert_eq!(names(Preset::Quick), ["one", "many/50"]);
    let case = &study(Preset::Full).cases[2];
    assert_eq!(block(case), 10_000);
    let point = case.sweep.as_ref().unwrap();
    assert_eq!((point.sweep.as_str(), point.value), ("grain", 10_000.0));
    assert_eq!(case.variants[0].variant.flows, 8);
}

#[test]
fn a_preset_may_skip_a_case() {
    let text = STUDY.replace("max_rounds = 7\nwork = { block = 10 }", "skip = true");
    let error = parse(&text, "mine.toml", Preset::Quick)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "mine.toml:5: the headline 'one' is none of the cases: many/50"
    );
    assert_eq!(
        parse(&text, "mine.toml", Preset::Full).unwrap().cases.len(),
        3
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_accepted_ones() {
    assert_eq!(
        error("title = \"One\"", "tilte = \"One\""),
        "mine.toml:9: unknown field `tilte`, expected one of `name`, `title`, `work`, \
         `metric`, `variant`, `sweep`, `reps`, `max_rounds`, `quick`, `full`"
    );
    assert_eq!(
        error("every = 10", "evry = 10"),
        "mine.toml:15: unknown field `evry`, expected one of `start`, `block`, `blocks`, \
         `every`, `method`"
    );
    assert!(error("flows = 5", "flow = 5").starts_with("mine.toml:19: unknown field `flow`"));
    let parameter = error("parameter = \"block\"", "parameter = \"blok\"");
    assert!(
        parameter.starts_with("mine.toml:40: unknown field `blok`"),
        "{parameter}"
    );
}

#[test]
fn what_is_missing_or_impossible_is_said_with_its_line() {
    assert!(error("every = 10\n", "").starts_with("mine.toml:10: missing field `every`"));
    assert!(error("\"thread\"", "\"fred\"").starts_with("mine.toml:21: 'fred' is no model"));
    assert!(error("flows = 5", "flows = 0").starts_with("mine.toml:17: flows must be"));
    assert!(error("flows = 5\n", "").starts_with("mine.toml:17: a variant of model process"));
    assert!(error("\"4x2\"", "\"4x2\"\nflows = 4").contains("4x2 has 8 flows, not 4"));
    assert!(error("schema = 1", "schema = 2\nnew = 1").starts_with("mine.toml:1: schema 2"));
    assert!(error("schema = 1", "schema = ").starts_with("mine.toml:1: "));
    let label = "\"thread\"\nlabel = \"process\"";
    assert!(error("\"thread\"", label).contains("two variants are labelled 'process'"));
    let twice = STUDY.replace("\"many\"", "\"one\"").replace("many", "one");
    assert!(
        parse(&twice, "f", Preset::Full).is_ok(),
        "one and one/1000 are different names"
    );
}

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
