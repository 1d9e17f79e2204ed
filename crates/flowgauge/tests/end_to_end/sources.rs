//! What the five sources did, item by item: the command that does the same has the figure, or says what
//! machine it takes. And what later publications ask: their files run.

use lab::findings::{Standing, Then};

use super::common::Home;

/// The findings of a run, of all its studies.
fn held(line: &str) -> Vec<Then> {
    let home = Home::new();
    home.run(&format!("{line} --out out"));
    home.assert_nothing_left();
    let results = home.results();
    let studies = results.studies.into_iter();
    studies.flat_map(|study| study.parts.then_and_now).collect()
}

/// What stands beside a finding whose words begin so.
fn ours(all: &[Then], finding: &str) -> String {
    let mut all = all.iter();
    let found = all.find(|then| then.finding.starts_with(finding));
    found.map_or_else(
        || panic!("no finding '{finding}'"),
        |then| then.ours.clone(),
    )
}

/// "Various process and thread counts" were refused as no whole number.
#[test]
fn several_numbers_of_workers_are_tried_as_the_source_did() {
    let home = Home::new();
    let line = "primes -p 2..3 -t 2,3 -b 2000 -s 2001 --rounds 2 --out out";
    home.run(line).answered();
    let results = home.results();
    let cases = results.studies[0].cases.iter();
    let numbers: Vec<u32> = cases
        .flat_map(|case| case.case.variants.iter().map(|one| one.variant.flows))
        .collect();
    assert!(numbers.contains(&2) && numbers.contains(&3), "{numbers:?}");
    home.assert_nothing_left();
}

/// Rows said which command runs them, and it could not.
#[test]
fn a_row_of_three_ways_to_keep_a_stack_has_a_figure_by_its_own_command() {
    let all = held("run switch --case stack/16384 --rounds 2");
    let said = ours(&all, "Stacks at addresses of their own");
    assert!(said.contains("migratable-copied"), "{said}");
}

/// Communication was "not possible here", though there is work that does it.
#[test]
fn workers_that_communicate_and_one_that_crashes_are_measured() {
    let all = held("run workers --case hand-over --rounds 2");
    assert!(ours(&all, "Threads communicate faster").contains("thread"));
    let crash = concat!(env!("CARGO_MANIFEST_DIR"), "/../../literature/crash.toml");
    let all = held(&format!("run {crash} --rounds 1"));
    assert_eq!(
        ours(&all, "A process that crashes"),
        "process: 3 of 4 flows go on, thread: 0 of 4 flows go on"
    );
}

/// Figures of other machines: a row has a verdict, or says why it has none here.
#[test]
fn what_this_machine_cannot_do_says_what_can() {
    let all = held("run limits scaling --case create/100 --case chain --rounds 1");
    assert!(!all.is_empty());
    for one in &all {
        let says_why = one.because.is_some() || !one.ours.is_empty();
        assert!(says_why, "{}: {:?}", one.finding, one.verdict);
        let is_missing = one.verdict == Standing::NotPossible;
        assert!(!is_missing || one.because.is_some(), "{}", one.finding);
    }
    assert!(ours(&all, "Red Hat 9 makes fewer than 256 threads").contains("tried in this study"));
}

/// Flows that wait for each other, for I/O and for their CPU, by the files that ask about them.
#[test]
fn the_files_of_later_publications_run() {
    for name in "async barriers wake-up tlb-shootdowns address-space".split(' ') {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../literature");
        let all = held(&format!("run {folder}/{name}.toml --rounds 1"));
        for one in &all {
            let why = format!("{name}, {}: {:?}", one.finding, one.because);
            assert!(!one.ours.is_empty(), "{why}");
        }
    }
}
