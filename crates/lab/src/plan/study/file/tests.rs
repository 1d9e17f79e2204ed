//! Studies as files: presets and sweeps here, the rest in a file for each idea.

mod docs;
mod each;
mod refused;
mod variants;

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
fn parameters_of_the_study_are_below_those_of_its_cases() {
    let shared = "[work]\nkind = \"primes\"\nstart = 1\nblocks = 3\nevery = 7\n\n[[case]]";
    let text = STUDY.replacen("[[case]]", shared, 1);
    let text = text.replacen(
        "kind = \"primes\"\nstart = 1\nblock = 100\n",
        "block = 100\n",
        1,
    );
    let study = parse(&text, "mine.toml", Preset::Full).unwrap();
    let Work::Primes(primes) = &study.cases[0].work else {
        panic!("{:?}", study.cases[0].work);
    };
    assert_eq!((primes.block, primes.blocks, primes.every), (100, 5, 10));
}
