//! Finished runs that get more rounds or more time.

use super::*;

/// The run in `ran`, taken up again for longer.
fn lengthen(ran: &Ran, mock: &mut Mock, overrides: ResumeOverrides) -> Result<Results, String> {
    let journal = Journal::resume(&ran.path(), overrides);
    let mut journal = journal.map_err(|error| error.to_string())?;
    let clock = mock.clock();
    let results = run(&mut journal, mock, &clock, &mut Silent).unwrap();
    let again = Results::from_journal(&ran.path()).unwrap();
    assert_eq!(results, again, "made again");
    Ok(results)
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
    mock.again();
    let overrides = ResumeOverrides {
        max_rounds: Some(40),
        budget_s: None,
    };
    let results = lengthen(&ran, &mut mock, overrides).unwrap();
    let (case, expected) = (&results.studies[0].cases[0], whole.case(0));
    assert_eq!(case.findings, expected.findings);
    assert_eq!((case.rounds, case.ended), (expected.rounds, expected.ended));
    let values = |case: &crate::findings::CaseResult| -> Vec<_> {
        case.slots
            .iter()
            .map(|slot| (slot.variant, slot.value_ns))
            .collect()
    };
    assert_eq!(values(case), values(expected));
    let error = lengthen(&ran, &mut mock, overrides).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
    let fewer = ResumeOverrides {
        max_rounds: Some(20),
        budget_s: None,
    };
    let error = lengthen(&ran, &mut mock, fewer).unwrap_err();
    assert!(error.contains("20 rounds are fewer than the 40"), "{error}");
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
        mock.again();
        let longer = ResumeOverrides {
            max_rounds: Some(max_rounds),
            budget_s: None,
        };
        let results = lengthen(&ran, &mut mock, longer).unwrap();
        let finding = &results.studies[0].cases[0].findings[0];
        assert!(!finding.verdict.is_decided(), "{finding:?}");
        assert_eq!(finding.estimate.unwrap().rounds, max_rounds);
        let said = results.warnings.join(" ");
        assert!(said.contains(&format!("{max_rounds} rounds")), "{said}");
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
    mock.again();
    let longer = ResumeOverrides {
        max_rounds: Some(100),
        budget_s: None,
    };
    let results = lengthen(&ran, &mut mock, longer).unwrap();
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
    assert_eq!(
        ran.case(0).ended,
        Some(CaseEnd::Rounds),
        "{:?}",
        ran.case(0).rounds
    );
    mock.again();
    let mut longer = ResumeOverrides {
        max_rounds: Some(40),
        budget_s: Some(1.0),
    };
    let error = lengthen(&ran, &mut mock, longer).unwrap_err();
    assert!(error.contains("give a longer --budget"), "{error}");
    longer.budget_s = Some(100.0);
    assert_eq!(
        lengthen(&ran, &mut mock, longer).unwrap().studies[0].cases[0].rounds,
        40
    );
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
    mock.again();
    let longer = ResumeOverrides {
        max_rounds: None,
        budget_s: Some(1000.0),
    };
    let error = lengthen(&ran, &mut mock, longer).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
}

#[test]
fn a_run_that_ran_out_of_time_goes_on_with_more() {
    let mut header = one_case();
    header.settings.budget_s = Some(1.0);
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert!(ran.results.finished);
    mock.again();
    let overrides = ResumeOverrides {
        max_rounds: None,
        budget_s: Some(1000.0),
    };
    let results = lengthen(&ran, &mut mock, overrides).unwrap();
    let case = &results.studies[0].cases[0];
    assert_eq!((case.rounds, case.ended), (80, Some(CaseEnd::Rounds)));
    assert_eq!(results.header.settings.budget_s, Some(1000.0));
}

#[test]
fn what_was_decided_is_not_opened_again() {
    let mut mock =
        Mock::timed(|model, n| if model == "process" { 26 * MS } else { 20 * MS } + n as u64);
    let ran = run_mock(one_case(), &mut mock);
    let overrides = ResumeOverrides {
        max_rounds: Some(200),
        budget_s: Some(1e6),
    };
    let error = lengthen(&ran, &mut mock, overrides).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
}
