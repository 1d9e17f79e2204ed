//! Finished runs that get more rounds or more time.

use super::*;

/// The run in `ran`, taken up again by another process for longer.
fn lengthen(ran: &Ran, mock: &mut Mock, overrides: ResumeOverrides) -> Result<Results, String> {
    mock.again();
    let journal = Journal::resume(&ran.path(), overrides);
    let results = go_on(&mut journal.map_err(|error| error.to_string())?, mock);
    let again = Results::from_journal(&ran.path()).unwrap();
    assert_eq!(results, again, "made again");
    Ok(results)
}

fn rounds(max_rounds: usize) -> ResumeOverrides {
    ResumeOverrides {
        max_rounds: Some(max_rounds),
        budget_s: None,
    }
}

fn seconds(budget_s: f64) -> ResumeOverrides {
    ResumeOverrides {
        max_rounds: None,
        budget_s: Some(budget_s),
    }
}

#[test]
fn a_run_that_ran_out_of_rounds_goes_on_as_if_more_had_been_planned() {
    let planned = |max_rounds| {
        let mut header = one_case();
        header.settings.max_rounds = max_rounds;
        header
    };
    let whole = run_mock(planned(40), &mut Mock::timed(noise));
    let mut mock = Mock::timed(noise);
    let ran = run_mock(planned(10), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    let results = lengthen(&ran, &mut mock, rounds(40)).unwrap();
    let (case, expected) = (&results.studies[0].cases[0], whole.case(0));
    assert_eq!(case.findings, expected.findings);
    assert_eq!((case.rounds, case.ended), (expected.rounds, expected.ended));
    let values = |case: &CaseResult| -> Vec<_> {
        let slots = case.slots.iter();
        slots.map(|slot| (slot.variant, slot.value_ns)).collect()
    };
    assert_eq!(values(case), values(expected));
    let mut refused = |more| lengthen(&ran, &mut mock, more).unwrap_err();
    refused(rounds(40)).says("nothing left to run");
    refused(rounds(20)).says("20 rounds are fewer than the 40");
}

/// For the first 12 rounds threads take less, then more and less in turns.
fn clear_at_first(model: &str, n: usize) -> u64 {
    let tenths = match (model, n) {
        ("process", _) => return 20 * MS + n as u64,
        (_, 0..5) => 194,
        (_, 5) => 208,
        (_, 6..12) => 190,
        (_, n) => [180, 222, 182, 219][n % 4],
    };
    tenths * MS / 10
}

/// What was undecided after 80 rounds was decided from the first 12 of them, without a new slot:
/// old rounds were judged again at the looks of the longer plan.
#[test]
fn more_rounds_for_a_finished_run_judge_only_new_rounds() {
    let mut header = one_case();
    header.settings.floor = Some(0.0);
    let mut mock = Mock::timed(clear_at_first);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    assert_eq!(ran.case(0).findings[0].estimate.unwrap().rounds, 80);
    for max_rounds in [96, 100, 160] {
        let results = lengthen(&ran, &mut mock, rounds(max_rounds)).unwrap();
        let finding = &results.studies[0].cases[0].findings[0];
        assert!(!finding.verdict.is_decided(), "{finding:?}");
        assert_eq!(finding.estimate.unwrap().rounds, max_rounds);
        let said = results.warnings.join(" ");
        said.says(&format!("{max_rounds} rounds"));
    }
}

/// "2 studies hold 80 rounds at the most": more rounds were refused as nothing left to run.
#[test]
fn a_study_that_bounds_its_rounds_gets_the_more_that_are_asked_for() {
    let mut header = one_case();
    header.studies[0].cases[0].max_rounds = Some(10);
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).rounds, 10);
    let results = lengthen(&ran, &mut mock, rounds(100)).unwrap();
    assert_eq!(results.studies[0].cases[0].rounds, 100);
}

/// Nothing ran and nothing was said.
#[test]
fn more_rounds_without_time_for_one_are_refused_with_what_to_give() {
    let mut header = one_case();
    header.settings.budget_s = Some(3.0);
    header.settings.max_rounds = 8;
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    let (rounds, ended) = (ran.case(0).rounds, ran.case(0).ended);
    assert_eq!(ended, Some(CaseEnd::Rounds), "{rounds}");
    let mut in_time = |budget_s| {
        let longer = ResumeOverrides {
            max_rounds: Some(40),
            budget_s: Some(budget_s),
        };
        lengthen(&ran, &mut mock, longer)
    };
    in_time(1.0).unwrap_err().says("give a longer --budget");
    assert_eq!(in_time(100.0).unwrap().studies[0].cases[0].rounds, 40);
}

/// A verdict that was shown where the budget ended was taken back by the rounds after it.
#[test]
fn a_verdict_that_was_shown_when_time_was_up_stays() {
    let mut header = one_case();
    header.settings.budget_s = Some(2.2);
    let mut mock = Mock::timed(|model, n| match (model, n) {
        ("process", _) => 20 * MS + n as u64,
        (_, 0) => 20 * MS + MS / 5,
        (_, 1..9) => 19 * MS,
        _ => 25 * MS,
    });
    let ran = run_mock(header, &mut mock);
    let shown = ran.case(0).findings[0].clone();
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert!(shown.verdict.is_decided(), "{shown:?}");
    let error = lengthen(&ran, &mut mock, seconds(1000.0)).unwrap_err();
    error.says("nothing left to run");
}

#[test]
fn a_run_that_ran_out_of_time_goes_on_with_more() {
    let mut header = one_case();
    header.settings.budget_s = Some(1.0);
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert!(ran.results.finished);
    let results = lengthen(&ran, &mut mock, seconds(1000.0)).unwrap();
    let case = &results.studies[0].cases[0];
    assert_eq!((case.rounds, case.ended), (80, Some(CaseEnd::Rounds)));
    assert_eq!(results.header.settings.budget_s, Some(1000.0));
}

#[test]
fn what_was_decided_is_not_opened_again() {
    let mut mock = steady(("process", 26 * MS));
    let ran = run_mock(one_case(), &mut mock);
    let overrides = ResumeOverrides {
        max_rounds: Some(200),
        budget_s: Some(1e6),
    };
    let error = lengthen(&ran, &mut mock, overrides).unwrap_err();
    error.says("nothing left to run");
}
