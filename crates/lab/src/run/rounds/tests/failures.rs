//! Slots that fail or prove other work, and runs that are refused.

use std::fs;

use flow::Proof;
use workload::Work;

use super::*;
use crate::testing::lost;

#[test]
fn a_failed_slot_takes_its_round_from_the_pair_only() {
    let mut mock = Mock::new(|_, model, n, spec| {
        if model == "process-shared-files" && n == 4 && spec.warmups > 0 {
            lost()
        } else {
            done(spec, 20 * MS + n as u64, PROOF)
        }
    });
    let three = case("three", 1, &["process", "thread", "process-shared-files"]);
    let ran = run_mock(header(vec![study(vec![three])]), &mut mock);
    let case = ran.case(0);
    assert_eq!(case.findings[0].estimate.unwrap().rounds, 9);
    assert_eq!(
        case.findings[1].estimate.unwrap().rounds,
        9,
        "of ten rounds"
    );
    assert_eq!(case.rounds, 9);
    assert_eq!(case.variants[2].failures.len(), 1);
    assert_eq!(case.variants[2].good, 9);
}

#[test]
fn three_failures_in_a_row_end_a_case_and_isolation_is_remarked_upon() {
    let mut mock = Mock::new(|_, model, n, spec| match model {
        "thread" => lost(),
        _ => done(spec, 20 * MS + n as u64, PROOF),
    });
    let ran = run_mock(one_case(), &mut mock);
    let case = ran.case(0);
    assert_eq!(case.ended, Some(CaseEnd::Failures));
    assert_eq!(case.variants[1].failures[0].0, 3);
    assert_eq!(case.variants[1].value, None);
    let sentences = &ran.results.studies[0].sentences;
    assert!(
        sentences.contains(
            &"one: under threads the whole slot was lost with its 2 flows (SIGSEGV)".to_owned()
        ),
        "{sentences:?}"
    );
}

/// After two rounds it was "undecided", and more rounds were advised.
#[test]
fn a_variant_that_fails_in_every_round_of_a_few_ends_the_case_as_three_failures_do() {
    let mut mock = Mock::new(|_, model, n, spec| match model {
        "thread" => lost(),
        _ => done(spec, 20 * MS + n as u64, PROOF),
    });
    let mut header = one_case();
    header.studies[0].cases[0].max_rounds = Some(2);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Failures));
    assert_eq!(ran.case(0).variants[1].failures[0].0, 2);
}

#[test]
fn different_work_is_never_a_data_point() {
    let mut mock = Mock::new(|_, model, n, spec| {
        let count = if model == "thread" { 8 } else { PROOF.count };
        done(spec, 20 * MS + n as u64, Proof { count, ..PROOF })
    });
    let ran = run_mock(one_case(), &mut mock);
    let case = ran.case(0);
    assert_eq!((case.ended, case.rounds), (Some(CaseEnd::Failures), 0));
    assert!(
        case.variants[1].failures[0]
            .1
            .starts_with("proved different work: expected 7 with checksum")
    );
    assert_eq!(case.findings[0].estimate, None);
    let journal = fs::read_to_string(ran.path()).unwrap();
    assert!(journal.contains("different_work"));
}

#[test]
fn known_work_is_checked_from_the_first_slot() {
    let mut primes = case("primes", 1, &TWO);
    primes.work = Work::Primes(workload::Primes {
        start: 1,
        block: 100,
        blocks: 1,
        every: 1,
        method: workload::primes::Method::Trial,
    });
    let expected = primes.work.expected();
    let mut mock = Mock::timed(|_, _| 20 * MS);
    let ran = run_mock(header(vec![study(vec![primes])]), &mut mock);
    assert_eq!(
        ran.case(0).ended.is_some_and(|e| e == CaseEnd::Failures),
        expected.is_some()
    );
}

/// Why a run of these cases is refused, without a single slot.
fn refused(cases: Vec<Case>) -> String {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header(vec![study(cases)])).unwrap();
    let mut mock = Mock::timed(noise);
    let clock = mock.clock();
    let error = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap_err();
    assert!(mock.specs.is_empty());
    error.to_string()
}

#[test]
fn what_a_machine_does_not_have_is_said_before_the_first_slot() {
    let mut impossible = case("one", 1, &TWO);
    impossible.variants[1].variant.placement = flow::Placement::List(vec![4_000_000]);
    let error = refused(vec![impossible]);
    assert!(
        error.starts_with("mock, one: CPU 4000000 is not available"),
        "{error}"
    );
    let error = refused(vec![case("one", 1, &TWO), case("one", 2, &TWO)]);
    assert!(
        error.starts_with("mock, one: there are two of that name"),
        "{error}"
    );
    let error = refused(vec![case("one", 1, &[])]);
    assert!(error.starts_with("mock, one: nothing to run"), "{error}");
}
