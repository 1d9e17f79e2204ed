//! How the time of a budget is divided, and what it cuts.

use super::*;
use crate::testing::{hanging, lost};
use flow::Answer;

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

/// Makes rows of these cases of the first study, beside its headline.
fn with_rows(mut header: Header, cases: &[&str]) -> Header {
    header.studies[0].deciding = cases.iter().copied().map(decides).collect();
    header
}

fn by_length() -> Mock {
    each_unit(noise)
}

/// Slots that take so long, by units of work, model and number.
fn taking(ns: fn(u64, &str, usize) -> u64) -> Mock {
    Mock::new(move |units, model, n, spec| done(spec, ns(units, model, n), PROOF))
}

/// Work of nine units hangs.
fn nine_hang() -> Mock {
    Mock::new(|units, model, n, spec| match units {
        9 => hanging(),
        _ => done(spec, units * noise(model, n), PROOF),
    })
}

fn rounds_of(ran: &Ran) -> Vec<usize> {
    let cases = ran.results.studies.iter().flat_map(|study| &study.cases);
    cases.map(|case| case.rounds).collect()
}

fn seconds_of(ran: &Ran) -> f64 {
    let cases = ran.results.studies.iter().flat_map(|study| &study.cases);
    let slots = cases.flat_map(|case| &case.slots);
    slots.map(|slot| slot.outcome.launch_ns as f64 / 1e9).sum()
}

#[test]
fn nothing_is_run_without_the_time_for_it_and_the_answer_says_so() {
    let ran = run_mock(alone(0.01, &[1, 2]), &mut Mock::timed(noise));
    assert_eq!(rounds_of(&ran), [0, 0]);
    assert!(ran.results.studies[0].sentences[0].contains("no round has"));
}

/// What a row does not need goes to the maps, and each of them has an interval or no round at all.
#[test]
fn a_row_that_is_decided_leaves_the_time_to_maps_and_each_of_them_is_finished() {
    // The headline differs at once; a round of each point takes 0.12, 0.24 and 0.48 s.
    let mock = || {
        taking(|units, model, n| match (units, model) {
            (8, "process") => 30 * MS,
            (8, _) => 10 * MS + n as u64,
            _ => units * noise(model, n) / 2,
        })
    };
    for budget_s in [2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 20.0] {
        let ran = run_mock(alone(budget_s, &[8, 1, 2, 4]), &mut mock());
        let rounds = rounds_of(&ran);
        assert_eq!(rounds[0], 7, "{rounds:?}");
        // Three comparisons share the level behind the row: an interval takes nine rounds.
        let has_few = |rounds: &usize| (1..9).contains(rounds);
        assert!(!rounds[1..].iter().any(has_few), "{budget_s} s: {rounds:?}");
        assert!(seconds_of(&ran) < budget_s);
    }
}

/// "Computing" and "Web pages" stopped 0.3 s short of their looks while another study had 13 s to spare.
#[test]
fn one_budget_holds_for_all_studies_and_the_cheapest_rows_have_their_looks_first() {
    let one = |name: &str, units| {
        let mut one = study(vec![case("one", units, &TWO)]);
        one.name = name.to_owned();
        one
    };
    let studies = vec![one("long", 30), one("short", 1), one("middle", 2)];
    let mut header = header(studies);
    header.settings.floor = Some(0.0);
    header.settings.budget_s = Some(20.0);
    let mut mock = taking(|units, model, n| match units {
        30 => 600 * MS,
        _ => units * noise(model, n),
    });
    let ran = run_mock(header, &mut mock);
    let rounds = rounds_of(&ran);
    // Three answers share the level: an interval takes nine rounds, of the long one 22 s.
    assert!(
        rounds[0] < 9 && rounds[1] >= 28 && rounds[2] >= 14,
        "{rounds:?}"
    );
    assert!((15.0..20.0).contains(&seconds_of(&ran)));
}

#[test]
fn rows_have_their_first_looks_before_anything_else_has_rounds() {
    // Nine rounds of both rows take 6.5 s.
    let header = with_rows(alone(7.5, &[1, 1, 2, 1]), &["a", "c"]);
    let ran = run_mock(header, &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(rounds[0] >= 8 && rounds[2] >= 8, "{rounds:?}");
    assert_eq!((rounds[1], rounds[3]), (0, 0), "{rounds:?}");
}

/// A default run left 33 to 58 of 117 findings open: far rows and maps took what their cases needed.
#[test]
fn cases_that_findings_stand_beside_have_their_first_looks_before_maps_and_far_rows() {
    let published = |case: &str, claim: &str| -> crate::data::Published {
        let text = format!(
            "finding = 'x'\ntheirs = 'y'\n{claim}\nours.pair = {{ case = '{case}', subject = 'thread', \
             reference = 'process', quantity = 'time' }}"
        );
        toml::from_str(&text).unwrap()
    };
    // Ten rounds of three cases take less.
    let mut header = with_rows(alone(7.5, &[1, 1, 1, 1]), &["a"]);
    header.studies[0].origin = Some(crate::data::Origin {
        author: "A".to_owned(),
        title: "T".to_owned(),
        year: 2010,
        finding: "f".to_owned(),
        setup: None,
        topics: Vec::new(),
        published: vec![published("c", ""), published("d", "claim = 'faster'")],
    });
    let ran = run_mock(header, &mut by_length());
    let rounds = rounds_of(&ran);
    let have_looked = [0, 2, 3].iter().all(|case| rounds[*case] >= 7);
    assert!(have_looked && rounds[1] == 0, "{rounds:?}");
}

/// `workers --budget 2m` gave its first question everything, for 6 rounds, and the other five
/// nothing.
#[test]
fn a_row_that_takes_too_long_for_an_interval_leaves_the_time_to_what_does_not() {
    let ran = run_mock(alone(8.0, &[8, 1, 2]), &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(rounds[0] < 7 && rounds[1] >= 8, "{rounds:?}");
}

/// The headline of a sweep of two sizes took a whole budget for its later looks, and the size that takes a tenth
/// of its time had no round.
#[test]
fn every_point_of_a_sweep_that_takes_little_has_an_interval() {
    let mut header = sweep(&[1, 10], Some(30.0));
    header.settings.max_rounds = 80;
    header.studies[0].headline = "flows/10".to_owned();
    let ran = run_mock(header, &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(rounds.iter().all(|rounds| *rounds >= 7), "{rounds:?}");
}

/// Its pilot was run, and then smaller sizes had all rounds there are, far beyond their first looks.
#[test]
fn a_row_without_time_for_an_interval_has_a_round_before_maps_have_more_than_theirs() {
    // A round of the row takes 7.2 s, its first look 50 s.
    let mut header = sweep(&[1, 2, 3, 30], Some(32.0));
    header.settings.max_rounds = 80;
    header.studies[0].headline = "flows/30".to_owned();
    let ran = run_mock(header, &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(rounds.iter().all(|rounds| *rounds >= 1), "{rounds:?}");
}

/// Every model hung in its pilot, and the run ended as one that has done its job.
#[test]
fn a_run_in_which_no_launch_was_a_success_names_what_was_lost() {
    let ran = run_mock(with_budget(6.0), &mut Mock::new(|_, _, _, _| hanging()));
    for one in &ran.case(0).variants {
        one.lost.as_ref().unwrap().says("still at work");
    }
    // Another case has its rounds: this one is too long for the budget.
    let header = with_rows(alone(8.0, &[9, 1]), &["a", "b"]);
    let ran = run_mock(header, &mut nine_hang());
    assert!(ran.case(0).variants.iter().all(|one| one.lost.is_none()));
}

/// `primes/trial`, the source's own case, had no round where its variation had fifteen.
#[test]
fn the_headline_goes_first_wherever_it_stands() {
    // Eight rounds of the headline take 3.84 s.
    let mut header = with_rows(alone(5.0, &[1, 2]), &["a", "b"]);
    header.studies[0].headline = "b".to_owned();
    let rounds = rounds_of(&run_mock(header, &mut by_length()));
    assert!(rounds[1] >= 8 && rounds[0] < 8, "{rounds:?}");
}

/// Eight answers share 5 %: one of three comparisons has no interval before round 12.
#[test]
fn a_row_that_shares_its_level_gets_the_rounds_for_an_interval() {
    let one = |n: usize| {
        let mut one = study(vec![case("one", 1, &FOUR), case("other", 2, &TWO)]);
        one.name = format!("mock{n}");
        one
    };
    let mut header = header((0..8).map(one).collect());
    // A round is 0.48 s.
    header.settings.budget_s = Some(60.0);
    let ran = run_mock(header, &mut Mock::timed(noise));
    for study in &ran.results.studies {
        assert!(study.cases[0].rounds >= 12, "{:?}", rounds_of(&ran));
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
        let study = crate::plan::here::with_rounds_of_maps(study, true);
        let ran = run_mock(header(vec![study]), &mut Mock::timed(noise));
        rounds_of(&ran)
    };
    // Five comparisons share 1.6 % a look: 2 / 2^n is less from n = 10 on.
    let most = |most| [[80].as_slice(), &[most; 5]].concat();
    assert_eq!(rounds(Some(7)), most(10));
    assert_eq!(rounds(Some(20)), most(20));
    assert_eq!(rounds(Some(3)), most(3), "it only measures");
    assert_eq!(rounds(None), most(20), "a map");
}

/// An answer after a minute without a word of how long it takes.
#[test]
fn how_long_answers_take_is_said_once_when_every_row_has_its_pilot() {
    let header = with_rows(alone(30.0, &[1, 2, 4]), &["a", "b"]);
    let ran = run_mock(header, &mut by_length());
    let said: Vec<&String> = ran.heard("expected").collect();
    assert_eq!(said.len(), 1, "{said:?}");
    let times = said[0].split(' ').skip(1);
    let times: Vec<f64> = times.map(|time| time.parse().unwrap()).collect();
    let [first_s, most_s] = times[..] else {
        panic!("{said:?}")
    };
    // Eight rounds of 0.24 and of 0.48 s.
    assert!(
        (5.0..7.0).contains(&first_s) && (29.0..30.0).contains(&most_s),
        "{said:?}"
    );
    let heard = ran.heard.iter();
    let pilots = heard.take_while(|line| !line.starts_with("expected"));
    assert_eq!(pilots.filter(|line| *line == "pilot").count(), 2);
}

/// Four of 24 operations had ten rounds when the time ended, and all their answers were "too few
/// rounds": those that had none shared their level.
#[test]
fn cases_that_a_budget_left_without_rounds_cost_the_others_nothing() {
    let mut header = alone(6.0, &[1; 4]);
    header.settings.floor = Some(0.0);
    let ran = run_mock(header, &mut steady(("thread", 10 * MS)));
    let cases = ran.results.studies[0].cases.iter();
    let measured = cases.filter(|case| case.rounds >= 7);
    let is_decided = |case: &&CaseResult| case.findings[0].verdict.is_decided();
    let decided = measured.clone().filter(is_decided);
    assert!(measured.count() > 1, "{:?}", rounds_of(&ran));
    assert!(decided.count() > 1, "{:?}", rounds_of(&ran));
}

/// `workers --budget 2m` ended one round short of an interval, and nobody knew before.
#[test]
fn a_budget_that_cannot_decide_is_named_before_it_is_spent() {
    // Seven rounds of eight units take 13.4 s.
    let ran = run_mock(alone(8.0, &[8]), &mut by_length());
    let place = |begin: &str| ran.heard.iter().position(|line| line.starts_with(begin));
    let said = place("a: 7 rounds with ").unwrap();
    assert!(said < place("slot").unwrap(), "{:?}", ran.heard);
    let enough = ran.heard[said].trim_start_matches("a: 7 rounds with ");
    let enough: f64 = enough.trim_end_matches(" s").parse().unwrap();
    let ran = run_mock(alone(enough, &[8]), &mut by_length());
    assert!(rounds_of(&ran)[0] >= 7, "{enough} s");
    assert_eq!(ran.heard("a: ").count(), 0);
}

fn with_budget(budget_s: f64) -> Header {
    let mut header = one_case();
    header.studies[0].cases[0].reps = None;
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
    let half = "half of it, and half of what is left";
    assert_eq!(deadlines(&mock), [3.0, 2.0], "{half}");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    let note = &ran.results.notes[0];
    for word in [
        "mock, one, process",
        "after 3.0 s",
        "budget of 6 s",
        "--budget",
    ] {
        note.says(word);
    }
    let mut mock = Mock::new(|_, _, _, _| hanging());
    run_mock(with_budget(0.1), &mut mock);
    assert_eq!(deadlines(&mock), [2.0], "any pilot gets so much");
}

/// One of three rows of a data server did not answer, took 27 of 50 s, and left one row without a round.
#[test]
fn a_pilot_that_hangs_leaves_the_time_to_other_rows() {
    let header = with_rows(alone(8.0, &[9, 1]), &["a", "b"]);
    let mut mock = nine_hang();
    let ran = run_mock(header, &mut mock);
    assert_eq!(deadlines(&mock)[0], 2.0, "half of its half");
    assert!(rounds_of(&ran)[1] >= 10, "{:?}", rounds_of(&ran));
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
    let mut header = of_case(case("one", 1, &THREE));
    header.settings.budget_s = Some(6.0);
    let mut mock = Mock::timed(|_, _| 2_000 * MS);
    let ran = run_mock(header, &mut mock);
    assert_eq!(mock.specs.len(), 2, "4 s of 6 s are spent");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    ran.results.notes[0].says("stopped after 4.0 s");
}

#[test]
fn a_pilot_that_was_cut_is_run_again_when_there_is_more_time() {
    let mut mock = Mock::new(|_, _, n, spec| match (spec.deadline_s < 3.0, n) {
        (true, _) => hanging(),
        _ => done(spec, 2_500 * MS, PROOF),
    });
    let ran = run_mock(with_budget(4.0), &mut mock);
    assert_eq!(ran.case(0).rounds, 0);
    assert_eq!(deadlines(&mock), [2.0, 2.0]);
    let overrides = ResumeOverrides {
        budget_s: Some(30.0),
        ..ResumeOverrides::default()
    };
    let mut journal = Journal::resume(&ran.path(), overrides).unwrap();
    let results = go_on(&mut journal, &mut mock);
    let rounds = results.studies[0].cases[0].rounds;
    assert!((3..=4).contains(&rounds), "{rounds}");
    assert_eq!(results.studies[0].cases[0].reps, 1);
    let again = deadlines(&mock)[2];
    assert!(
        (12.9..13.0).contains(&again),
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
    assert_eq!(deadlines(&mock)[2..], [5.0; 2], "one round is lost");
}

#[test]
fn a_slot_that_is_slow_at_the_end_of_a_budget_is_not_cut_for_it() {
    let longest = 20.0;
    let slot = Chosen::once(longest);
    let deadline = |left_s, round_s| within(slot, left_s, round_s).deadline_s;
    assert_eq!(deadline(None, 1.0), longest);
    assert_eq!(deadline(Some(80.0), 1.0), longest);
    assert_eq!(deadline(Some(50.0), 1.0), 12.5, "a quarter");
    assert_eq!(deadline(Some(0.5), 4.0), 8.0, "two rounds");
    assert_eq!(deadline(Some(0.5), 0.1), 5.0);
}

/// Rounds went on to a wall time that was not known, while CPU time had answered and other rows were open.
#[test]
fn a_row_that_cpu_time_has_decided_leaves_the_time_to_other_rows() {
    // Noise of a fifth around a difference of 15 %.
    let ns = |units: u64, model: &str, n: usize| {
        let wild = (n as u64 * 31 * model.len() as u64 + units) % 101;
        let typical = if model == "thread" { 115 } else { 100 };
        units * typical * (70 + wild * 7 / 10) * 100
    };
    let rounds = |has_steady_cpu: bool| {
        let mut mock = Mock::new(move |units, model, n, spec| {
            let mut answer = done(spec, ns(units, model, n), PROOF);
            if let (Answer::Done(record), true) = (&mut answer, has_steady_cpu && units == 1) {
                let flows = record.reps.iter_mut().flat_map(|rep| &mut rep.flows);
                flows.for_each(|flow| {
                    flow.create.cpu_ns = 0;
                    flow.steady.cpu_ns = if model == "thread" { 6 * MS } else { 5 * MS };
                });
            }
            answer
        });
        rounds_of(&run_mock(with_rows(alone(2.0, &[1, 2]), &["b"]), &mut mock))
    };
    let (by_wall, by_cpu) = (rounds(false), rounds(true));
    assert!(
        by_cpu[0] < by_wall[0] && by_cpu[1] > by_wall[1],
        "{by_wall:?} {by_cpu:?}"
    );
}
