//! Slots that fail or prove other work, and runs that are refused.

use std::fs;

use flow::Proof;
use workload::Work;

use super::*;
use crate::testing::{hanging, lost};
use flow::Answer;

/// Slots of some 20 ms, or 30 of the slow one; those of one model fail.
fn without(failing: &'static str, how: fn() -> Answer, slow: &'static str) -> Mock {
    Mock::new(move |_, model, n, spec| match model {
        _ if model == failing => how(),
        _ if model == slow => done(spec, 30 * MS + n as u64, PROOF),
        _ => done(spec, 20 * MS + n as u64, PROOF),
    })
}

#[test]
fn a_failed_slot_takes_its_round_from_the_pair_only() {
    let mut mock = Mock::new(|_, model, n, spec| {
        if model == "process-shared-files" && n == 4 && spec.warmups > 0 {
            lost()
        } else {
            done(spec, 20 * MS + n as u64, PROOF)
        }
    });
    let ran = run_mock(of_case(case("three", 1, &THREE)), &mut mock);
    let case = ran.case(0);
    let rounds = |at: usize| case.findings[at].estimate.unwrap().rounds;
    assert_eq!([rounds(0), rounds(1)], [9, 9], "of ten rounds");
    assert_eq!(case.rounds, 9);
    assert_eq!(case.variants[2].failures.len(), 1);
    assert_eq!(case.variants[2].good, 9);
}

#[test]
fn three_failures_in_a_row_end_a_case_and_isolation_is_remarked_upon() {
    let ran = run_mock(one_case(), &mut without("thread", lost, ""));
    let case = ran.case(0);
    assert_eq!(case.ended, Some(CaseEnd::Failures));
    assert_eq!(case.variants[1].failures[0].0, 3);
    assert_eq!(case.variants[1].value, None);
    let sentences = &ran.results.studies[0].sentences;
    let told = "one: under threads the whole slot was lost with its 2 flows (SIGSEGV)";
    assert!(sentences.iter().any(|one| one == told), "{sentences:?}");
}

/// After two rounds it was "undecided", and more rounds were advised.
#[test]
fn a_variant_that_fails_in_every_round_of_a_few_ends_the_case_as_three_failures_do() {
    let mut header = one_case();
    header.studies[0].cases[0].max_rounds = Some(2);
    let ran = run_mock(header, &mut without("thread", lost, ""));
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Failures));
    assert_eq!(ran.case(0).variants[1].failures[0].0, 2);
}

fn of_three() -> Header {
    of_case(case("one", 1, &THREE))
}

/// What each variant of a case of three is found to be, beside which one.
fn pairs(ran: &Ran) -> Vec<(&str, &str, bool)> {
    let findings = ran.case(0).findings.iter();
    let pairs = findings.map(|one| (&*one.subject, &*one.reference, one.is_difference()));
    pairs.collect()
}

/// It ended the case: one model that crashed took the answers of the others along.
#[test]
fn a_variant_that_always_fails_leaves_the_rounds_to_the_others() {
    let ran = run_mock(of_three(), &mut without("thread", lost, "process"));
    let case = ran.case(0);
    assert_eq!(case.ended, Some(CaseEnd::Decided));
    assert_eq!(case.variants[1].failures[0].0, 3);
    case.variants[1].lost.as_ref().unwrap().says("SIGSEGV");
    let good = [0, 1].map(|at| case.variants[at].good);
    assert_eq!(good, [case.rounds, 0]);
    assert!(pairs(&ran)[1].2 && !pairs(&ran)[0].2, "{:?}", pairs(&ran));
}

/// The first model is the one that all others are compared with.
#[test]
fn where_the_reference_fails_the_next_one_takes_its_place() {
    let ran = run_mock(of_three(), &mut without("process", lost, "thread"));
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Decided));
    let expected = [
        ("process", "thread", false),
        ("process-shared-files", "thread", true),
    ];
    assert_eq!(pairs(&ran), expected);
    let variants = ran.case(0).case.variants.iter();
    let labels: Vec<&str> = variants.map(|one| &*one.label).collect();
    assert_eq!(labels, ["thread", "process", "process-shared-files"]);
    assert!(ran.case(0).variants[1].lost.is_some());
}

/// It was half of the budget, and then no round of anything.
#[test]
fn a_variant_that_hangs_is_given_up_after_its_pilot() {
    for hung in THREE {
        let mut mock = without(hung, hanging, "");
        let mut header = of_three();
        header.settings.budget_s = Some(20.0);
        let ran = run_mock(header, &mut mock);
        let case = ran.case(0);
        assert_eq!(case.ended, Some(CaseEnd::Decided), "{hung}");
        assert!(case.rounds >= 7, "{hung}: {}", case.rounds);
        let lost = case.variants.iter().filter(|one| one.lost.is_some());
        let lost: Vec<_> = lost.map(|one| (&*one.label, one.failures.len())).collect();
        assert_eq!(lost, [(hung, 1)]);
        let launches = mock.specs.iter();
        let launches = launches.filter(|spec| spec.variant.model.to_string() == hung);
        let most_s = if hung == "process" { 10.0 } else { 5.0 };
        let deadlines: Vec<f64> = launches.map(|spec| spec.deadline_s).collect();
        assert!(
            deadlines.len() == 1 && deadlines[0] <= most_s,
            "{hung}: {deadlines:?}"
        );
    }
}

/// Of one that met its pilot, two launches are enough.
#[test]
fn a_variant_that_comes_to_hang_is_given_up() {
    let mut mock = Mock::new(|_, model, n, spec| match model {
        "thread" if spec.warmups > 0 => hanging(),
        _ => done(spec, 20 * MS + n as u64, PROOF),
    });
    let ran = run_mock(of_three(), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Decided));
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
    let why = &case.variants[1].failures[0].1;
    why.begins("proved different work: expected 7 with checksum");
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
    let ran = run_mock(of_case(primes), &mut mock);
    let has_failed = ran.case(0).ended == Some(CaseEnd::Failures);
    assert_eq!(has_failed, expected.is_some());
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
    refused(vec![impossible]).begins("mock, one: CPU 4000000 is not available");
    let twice = [1, 2].map(|units| case("one", units, &TWO));
    refused(twice.to_vec()).begins("mock, one: there are two of that name");
    refused(vec![case("one", 1, &[])]).begins("mock, one: nothing to run");
}
