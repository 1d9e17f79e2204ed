//! How the time of a budget is divided, and what it cuts.

use super::*;
use crate::data::Deciding;
use crate::testing::{hanging, lost};

#[test]
fn the_budget_keeps_the_first_looks_of_later_cases() {
    // A slot takes 6 x 20 ms, a round 240 ms: 10 rounds of both cases are 4.8 s.
    let cases = vec![case("a", 1, &TWO), case("b", 2, &TWO)];
    let mut header = header(vec![study(cases)]);
    header.settings.budget_s = Some(8.0);
    let ran = run_mock(header.clone(), &mut Mock::timed(noise));
    let rounds = |ran: &Ran| [ran.case(0).rounds, ran.case(1).rounds];
    let [a, b] = rounds(&ran);
    assert!(a > 10 && b >= 10, "{a} {b}");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    header.settings.budget_s = Some(5.0);
    assert_eq!(
        rounds(&run_mock(header.clone(), &mut Mock::timed(noise))),
        [10, 10]
    );
    // Where there is not enough for both, the first one gets its look.
    header.settings.budget_s = Some(3.0);
    assert_eq!(
        rounds(&run_mock(header.clone(), &mut Mock::timed(noise))),
        [10, 2]
    );
    // What the first case leaves continues to the second.
    header.settings.budget_s = Some(12.0);
    let mut mock = Mock::new(|units, model, n, spec| {
        let ns = if units == 1 { 20 * MS } else { noise(model, n) };
        done(spec, ns, PROOF)
    });
    let [a, b] = rounds(&run_mock(header.clone(), &mut mock));
    assert!(a == 10 && b > 30, "{a} {b}");
    // What the second one leaves goes back to the first.
    let mut mock = Mock::new(|units, model, n, spec| {
        let ns = if units == 2 { 20 * MS } else { noise(model, n) };
        done(spec, ns, PROOF)
    });
    let ran = run_mock(header.clone(), &mut mock);
    assert_eq!(rounds(&ran), [39, 10]);
    assert_eq!(ran.count("case a after 0"), 1, "it begins once");
    assert_eq!(ran.count("Budget"), 1, "it ends once");
    // Nothing is run without the time for it, and the answer says so.
    header.settings.budget_s = Some(0.01);
    let ran = run_mock(header, &mut Mock::timed(noise));
    assert_eq!(rounds(&ran), [0, 0]);
    assert!(ran.results.studies[0].sentences[0].contains("no round has"));
}

#[test]
fn a_budget_that_ends_early_leaves_rounds_at_every_point_of_a_sweep() {
    // A round of the first takes 0.25 s, one of the last four times that.
    let ran = run_mock(sweep(&[1, 2, 4], Some(10.0)), &mut by_units());
    let cases = &ran.results.studies[0].cases;
    let rounds: Vec<usize> = cases.iter().map(|case| case.rounds).collect();
    assert!(rounds.iter().all(|&rounds| rounds >= 3), "{rounds:?}");
    let spent: f64 = cases
        .iter()
        .flat_map(|case| &case.slots)
        .map(|slot| slot.outcome.launch_ns as f64 / 1e9)
        .sum();
    assert!((8.0..10.0).contains(&spent), "{spent}");
    // The headline has an interval first; then a round of each other point in turn.
    assert!(rounds[0] >= 7, "{rounds:?}");
    let at = |case: usize, slot: usize| cases[case].slots[slot].at_s;
    assert!(at(0, 13) < at(1, 0) && at(1, 0) < at(2, 0) && at(2, 0) < at(1, 2));
}

#[test]
fn a_budget_too_short_for_the_next_point_ends_it_without_its_pilot() {
    let mut mock = by_units();
    let ran = run_mock(sweep(&[1, 2, 4], Some(0.4)), &mut mock);
    let rounds: Vec<usize> = ran.results.studies[0]
        .cases
        .iter()
        .map(|c| c.rounds)
        .collect();
    assert_eq!(rounds, [1, 0, 0]);
    assert_eq!(
        mock.specs.len(),
        4,
        "no slot beyond the first pilot and round"
    );
}

/// Each unit of work takes 20 ms, so a round 0.24 s.
fn alone(budget_s: f64, units: &[u64]) -> Header {
    let cases = units.iter().zip(["a", "b", "c", "d"]);
    let cases = cases
        .map(|(&units, name)| case(name, units, &TWO))
        .collect();
    let mut header = header(vec![study(cases)]);
    header.settings.budget_s = Some(budget_s);
    header
}

fn by_length() -> Mock {
    Mock::new(|units, model, n, spec| done(spec, units * noise(model, n), PROOF))
}

fn rounds_of(ran: &Ran) -> Vec<usize> {
    let cases = ran.results.studies[0].cases.iter();
    cases.map(|case| case.rounds).collect()
}

/// `workers --budget 2m` gave its first question everything, for 6 rounds, and the other five
/// nothing.
#[test]
fn a_short_budget_gives_every_question_a_first_look() {
    // 10 rounds of three questions are 7.2 s; the first one alone has room for 33 rounds.
    let rounds = rounds_of(&run_mock(alone(8.0, &[1, 2, 3]), &mut Mock::timed(noise)));
    assert!(rounds.iter().all(|&rounds| rounds >= 10), "{rounds:?}");
    // One that takes too long for an interval leaves the time to those that do not.
    let ran = run_mock(alone(8.0, &[8, 1, 2]), &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(
        rounds[0] < 7 && rounds[1..].iter().all(|&rounds| rounds >= 10),
        "{rounds:?}"
    );
}

#[test]
fn every_question_has_an_interval_before_any_has_its_first_look() {
    // Seven rounds of both are 3.36 s, ten are 4.8 s.
    let rounds = rounds_of(&run_mock(alone(4.0, &[1, 2]), &mut Mock::timed(noise)));
    assert_eq!(rounds, [9, 7]);
}

#[test]
fn the_headline_goes_first_wherever_it_stands() {
    let mut header = alone(4.0, &[1, 2]);
    header.studies[0].headline = "b".to_owned();
    assert_eq!(
        rounds_of(&run_mock(header, &mut Mock::timed(noise))),
        [7, 9]
    );
}

/// `scaling --simulate` gave three rounds to its first work and none to the next one that decides.
#[test]
fn deciding_cases_come_behind_the_headline_in_their_order() {
    // Seven rounds of three questions are 5.04 s, of four 6.72.
    let mut header = alone(5.9, &[1, 1, 1, 1]);
    let decides = |case: &str| Deciding {
        case: case.to_owned(),
        label: case.to_owned(),
        subject: None,
        alone: false,
    };
    header.studies[0].deciding = ["a", "d", "b"].map(decides).to_vec();
    let rounds = rounds_of(&run_mock(header, &mut Mock::timed(noise)));
    let [a, b, c, d] = rounds[..] else {
        panic!("{rounds:?}");
    };
    assert!(a >= 7 && b >= 7 && c < 7 && d >= 7, "{rounds:?}");
}

/// Eight headlines share 5 %: one of three comparisons has no interval before round 12.
#[test]
fn a_headline_that_shares_its_level_gets_the_rounds_for_an_interval_and_a_reserve() {
    let models = [
        "process",
        "thread",
        "process-shared-files",
        "thread-private-files",
    ];
    let one = |n: usize| {
        let mut one = study(vec![case("one", 1, &models), case("other", 2, &TWO)]);
        one.name = format!("mock{n}");
        one
    };
    let mut header = header((0..8).map(one).collect());
    // A round is 0.48 s: 15 of them, and 10 of the other case.
    header.settings.budget_s = Some(10.0);
    let ran = run_mock(header, &mut Mock::timed(noise));
    for study in &ran.results.studies {
        let rounds = [study.cases[0].rounds, study.cases[1].rounds];
        assert!(rounds[0] >= 15 && rounds[1] >= 10, "{rounds:?}");
        let mut findings = study.cases[0].findings.iter();
        assert!(findings.all(|finding| finding.estimate.unwrap().interval().is_some()));
    }
}

/// `mem-resting` ran its seven rounds, and its interval took eight.
#[test]
fn the_most_rounds_of_a_case_are_those_of_an_interval_among_all_of_its_study() {
    let rounds = |most: Option<usize>| {
        let limited = |name| Case {
            max_rounds: most,
            ..case(name, 1, &TWO)
        };
        let others = ["b", "c", "d", "e", "f"].map(limited);
        let study = study([case("a", 1, &TWO)].into_iter().chain(others).collect());
        let raised = crate::plan::rounds::with_rounds_for_intervals(study);
        raised
            .cases
            .iter()
            .map(|case| case.max_rounds)
            .collect::<Vec<_>>()
    };
    // Five comparisons share 1.6 % a look: 2 / 2^n is less from n = 10 on.
    let raised = |most| [[None].as_slice(), &[most; 5]].concat();
    assert_eq!(rounds(Some(7)), raised(Some(10)));
    assert_eq!(rounds(Some(20)), raised(Some(20)));
    assert_eq!(rounds(Some(3)), raised(Some(3)), "it only measures");
    assert_eq!(rounds(None), raised(None));
}

/// Four of 24 operations had ten rounds when the time ended, and all their answers were "too few
/// rounds": those that had none shared their level.
#[test]
fn cases_that_a_budget_left_without_rounds_cost_the_others_nothing() {
    let mut header = alone(4.0, &[1; 4]);
    header.settings.floor = Some(0.0);
    let faster = |model: &str, n: usize| match model {
        "process" => 20 * MS + n as u64,
        _ => 10 * MS,
    };
    let ran = run_mock(header, &mut Mock::timed(faster));
    let measured = ran.results.studies[0]
        .cases
        .iter()
        .filter(|case| case.rounds >= 7);
    let decided = measured
        .clone()
        .filter(|case| case.findings[0].verdict.is_decided());
    assert!(measured.count() > 1, "{:?}", rounds_of(&ran));
    assert!(decided.count() > 1, "{:?}", rounds_of(&ran));
}

/// `workers --budget 2m` ended one round short of an interval, and nobody knew before.
#[test]
fn a_budget_that_cannot_decide_is_named_before_it_is_spent() {
    // Seven rounds of eight units take 13.4 s.
    let ran = run_mock(alone(8.0, &[8]), &mut by_length());
    let said = ran
        .heard
        .iter()
        .position(|line| line.starts_with("a: 7 rounds with "));
    let first = ran.heard.iter().position(|line| line.starts_with("slot"));
    assert!(said.unwrap() < first.unwrap(), "{:?}", ran.heard);
    let enough = ran.heard[said.unwrap()].trim_start_matches("a: 7 rounds with ");
    let enough: f64 = enough.trim_end_matches(" s").parse().unwrap();
    let ran = run_mock(alone(enough, &[8]), &mut by_length());
    assert!(rounds_of(&ran)[0] >= 7, "{enough} s");
    assert!(!ran.heard.iter().any(|line| line.starts_with("a: ")));
}

fn with_budget(budget_s: f64) -> Header {
    let mut header = one_case();
    header.settings.budget_s = Some(budget_s);
    header
}

/// Seconds that slots could take that were launched, if all hang.
fn deadlines(mock: &Mock) -> Vec<f64> {
    mock.specs.iter().map(|spec| spec.deadline_s).collect()
}

#[test]
fn a_pilot_that_does_not_fit_is_cut_within_the_budget_and_the_reader_is_told() {
    let mut mock = Mock::new(|_, _, _, _| hanging());
    let ran = run_mock(with_budget(6.0), &mut mock);
    assert_eq!(deadlines(&mock), [3.0], "half of it, and no second variant");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    let note = &ran.results.notes[0];
    for word in [
        "mock, one, process",
        "after 3.0 s",
        "budget of 6 s",
        "--budget",
    ] {
        assert!(note.contains(word), "{word} in {note}");
    }
    let mut mock = Mock::new(|_, _, _, _| hanging());
    run_mock(with_budget(0.1), &mut mock);
    assert_eq!(deadlines(&mock), [2.0], "any pilot gets so much");
}

/// A rank that was killed ended with exit 0: its pilot had failed, and the budget was over with the next.
#[test]
fn a_pilot_that_died_is_named_although_no_round_follows() {
    let mut mock = Mock::new(|_, model, _, _| match model {
        "process" => lost(),
        _ => hanging(),
    });
    let ran = run_mock(with_budget(6.0), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Failures));
    let notes = &ran.results.notes;
    let named =
        |note: &String| note.contains("process: its pilot failed") && note.contains("SIGSEGV");
    assert!(notes.iter().any(named), "{notes:?}");
}

/// `creating --budget 10s` prepared parents of 1 GiB for all variants of a case without time for a
/// round of it, and took 19 s.
#[test]
fn a_pilot_after_which_no_round_fits_ends_before_its_other_variants() {
    let models = ["process", "thread", "process-shared-files"];
    let mut header = header(vec![study(vec![case("one", 1, &models)])]);
    header.settings.budget_s = Some(6.0);
    let mut mock = Mock::new(|_, _, _, spec| done(spec, 2_000 * MS, PROOF));
    let ran = run_mock(header, &mut mock);
    assert_eq!(mock.specs.len(), 2, "4 s of 6 s are spent");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    let note = &ran.results.notes[0];
    assert!(note.contains("stopped after 4.0 s"), "{note}");
}

#[test]
fn a_pilot_that_was_cut_is_run_again_when_there_is_more_time() {
    let mut mock = Mock::new(|_, _, n, spec| match (spec.deadline_s < 3.0, n) {
        (true, _) => hanging(),
        _ => done(spec, 2_500 * MS, PROOF),
    });
    let ran = run_mock(with_budget(4.0), &mut mock);
    assert_eq!(ran.case(0).rounds, 0);
    assert_eq!(deadlines(&mock), [2.0]);
    let overrides = ResumeOverrides {
        budget_s: Some(30.0),
        ..ResumeOverrides::default()
    };
    let mut journal = Journal::resume(&ran.path(), overrides).unwrap();
    let clock = mock.clock();
    let results = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap();
    let rounds = results.studies[0].cases[0].rounds;
    assert!((3..=4).contains(&rounds), "{rounds}");
    assert_eq!(results.studies[0].cases[0].reps, 1);
    let again = deadlines(&mock)[1];
    assert!(
        (13.9..14.0).contains(&again),
        "half of 30 s less the pilot of before: {again}"
    );
}

#[test]
fn slots_that_hang_end_with_the_budget_and_not_long_after_it() {
    let mut mock = Mock::new(|_, _, _, spec| match spec.warmups {
        0 => done(spec, 20 * MS, PROOF),
        _ => hanging(),
    });
    let ran = run_mock(with_budget(8.0), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert_eq!(
        mock.specs.len(),
        2 + 1,
        "the round is lost with its first slot"
    );
    assert!((7.9..8.0).contains(&deadlines(&mock)[2]), "what is left");
}

#[test]
fn a_slot_that_is_slow_at_the_end_of_a_budget_is_not_cut_for_it() {
    let longest = 20.0;
    let slot = Chosen {
        warmups: 0,
        reps: 1,
        deadline_s: longest,
    };
    let deadline = |left_s, round_s| within(slot, left_s, round_s).deadline_s;
    assert_eq!(deadline(None, 1.0), longest);
    assert_eq!(deadline(Some(50.0), 1.0), longest);
    assert_eq!(deadline(Some(0.5), 4.0), 8.0, "two rounds");
    assert_eq!(deadline(Some(0.5), 0.1), 5.0);
}
