//! Studies as files: presets and sweeps here, the rest in a file for each idea.

mod docs;
mod each;
mod refused;
mod variants;

use super::*;
use crate::testing::Says;
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

fn read(text: &str, preset: Preset) -> Study {
    parse(text, "mine.toml", preset).unwrap()
}

fn study(preset: Preset) -> Study {
    read(STUDY, preset)
}

fn names(study: &Study) -> Vec<&str> {
    study.cases.iter().map(|case| case.name.as_str()).collect()
}

fn refused(text: &str, preset: Preset) -> String {
    parse(text, "mine.toml", preset).unwrap_err().to_string()
}

/// The error after a change of a text.
#[track_caller]
fn after(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    refused(&text.replacen(from, to, 1), Preset::Full)
}

/// The error after a change of the study.
#[track_caller]
fn error(from: &str, to: &str) -> String {
    after(STUDY, from, to)
}

/// The study with these lines before its cases.
fn with(lines: &str) -> String {
    STUDY.replacen("[[case]]", &format!("{lines}\n\n[[case]]"), 1)
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
    let (quick, full) = (study(Preset::Quick), study(Preset::Full));
    assert_eq!(names(&full), ["one", "many/1000", "many/10000"]);
    assert_eq!(names(&quick), ["one", "many/50"]);
    let case = &full.cases[2];
    assert_eq!(block(case), 10_000);
    let point = case.sweep.as_ref().unwrap();
    assert_eq!((point.sweep.as_str(), point.value), ("grain", 10_000.0));
    assert_eq!(case.variants[0].variant.flows, 8);
}

#[test]
fn a_preset_may_skip_a_case() {
    let text = STUDY.replace("max_rounds = 7\nwork = { block = 10 }", "skip = true");
    let why = "mine.toml:5: the headline 'one' is none of the cases: many/50";
    assert_eq!(refused(&text, Preset::Quick), why);
    assert_eq!(read(&text, Preset::Full).cases.len(), 3);
}

#[test]
fn parameters_of_the_study_are_below_those_of_its_cases() {
    let text = with("[work]\nkind = \"primes\"\nstart = 1\nblocks = 3\nevery = 7");
    let own = "kind = \"primes\"\nstart = 1\nblock = 100\n";
    let study = read(&text.replacen(own, "block = 100\n", 1), Preset::Full);
    let Work::Primes(primes) = &study.cases[0].work else {
        panic!("{:?}", study.cases[0].work);
    };
    assert_eq!((primes.block, primes.blocks, primes.every), (100, 5, 10));
}
