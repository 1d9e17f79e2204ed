//! Scripted runs side by side.

use stats::Verdict;
use workload::{Spin, Work};

use super::{Basis, Change, FloorFrom, How, Named, SideBySide, compare};
use crate::data::{Case, Study};
use crate::findings::testing::{begins, has, lacks, results_of};
use crate::findings::{Results, Word};
use crate::testing::{MS, Mock, PROOF, case, done, study};

/// A run in which a slot takes what `time` says of model and number.
pub(super) fn run_of(study: Study, time: fn(&str, usize) -> u64) -> Results {
    results_of(study, Mock::timed(time))
}

pub(super) fn usual() -> Vec<Case> {
    vec![case("only", 1000, &["process", "thread"])]
}

/// Some noise, the same for all.
pub(super) fn noisy(ns: u64, n: usize) -> u64 {
    ns * (1000 + n as u64 * 37 % 9) / 1000
}

pub(super) fn before() -> Results {
    run_of(study(usual()), |model, n| {
        noisy(if model == "process" { 20 * MS } else { 10 * MS }, n)
    })
}

pub(super) fn after() -> Results {
    run_of(study(usual()), |model, n| {
        noisy(if model == "process" { 20 * MS } else { 12 * MS }, n)
    })
}

fn with_floor(floor: f64) -> How {
    How {
        floor: Some(floor),
        ..How::default()
    }
}

fn side_by_side(a: &Results, b: &Results, how: How) -> SideBySide {
    let named = |name, results| Named { name, results };
    compare(&[named("before", a), named("after", b)], how).unwrap()
}

fn thread(all: &SideBySide) -> &Change {
    let variant = &all.studies[0].cases[0].variants[1];
    variant.changes[1].as_ref().unwrap()
}

fn words(all: &SideBySide) -> Vec<(&str, Word)> {
    all.changes()
        .map(|(_, _, variant, _, change)| (variant.label.as_str(), change.word()))
        .collect()
}

#[test]
fn what_became_slower_is_said_and_what_did_not_is_the_same() {
    let (a, b) = (before(), after());
    let all = side_by_side(&a, &b, How::default());
    assert_eq!(
        words(&all),
        [("process", Word::Same), ("thread", Word::Slower)]
    );
    let Verdict::Slower { at_least } = thread(&all).verdict else {
        panic!("{:?}", thread(&all))
    };
    assert!((0.15..0.2).contains(&at_least), "{at_least}");
    let sentence = &thread(&all).sentence;
    begins(sentence, "thread 1.20x slower in after than in before [");
    assert_eq!(all.regressions(0.03).len(), 1);
    assert_eq!(all.regressions(0.25), [""; 0]);
    assert_eq!((all.undecided(0.03), all.undecided(0.25)), (0, 0));
    assert_eq!(all.warnings, [""; 0]);
}

/// A run of which only this many rounds are there.
fn of_rounds(mut results: Results, rounds: usize) -> Results {
    let cases = results
        .studies
        .iter_mut()
        .flat_map(|study| &mut study.cases);
    for case in cases {
        let place = case.slots.iter().map(|slot| slot.round).min().unwrap();
        case.slots.retain(|slot| slot.round < place + rounds);
    }
    results
}

/// Of runs with 5 slots it was not looked how far they wandered, and what the machine did
/// between them was called slower.
#[test]
fn where_wandering_cannot_be_seen_nothing_is_called_slower() {
    for (rounds, slower) in [((5, 5), false), ((10, 5), false), ((6, 6), true)] {
        let (a, b) = (of_rounds(before(), rounds.0), of_rounds(after(), rounds.1));
        let all = side_by_side(&a, &b, How::default());
        let thread = thread(&all);
        let found = matches!(thread.verdict, Verdict::Slower { .. });
        assert_eq!(found, slower, "{rounds:?}: {}", thread.sentence);
        assert_eq!(all.regressions(0.03).len(), usize::from(slower));
        assert_eq!(all.unseen(0.03).len(), usize::from(!slower));
        assert_eq!((all.within_floor(0.03), all.undecided(0.03)), (0, 0));
        let why = "too few slots to see how far a run wandered: 6 a run are needed";
        assert_eq!(
            thread.sentence.contains(why),
            !slower,
            "{}",
            thread.sentence
        );
    }
    // A floor that is named stands for what the machine does.
    let (a, b) = (of_rounds(before(), 5), of_rounds(after(), 5));
    assert_eq!(
        side_by_side(&a, &b, with_floor(0.05))
            .regressions(0.03)
            .len(),
        1
    );
}

/// It was taken for a comparison that more rounds would decide, and for none that is slower.
#[test]
fn what_is_slower_and_within_the_floor_is_told_as_that() {
    let (a, b) = (before(), after());
    let all = side_by_side(&a, &b, with_floor(0.5));
    assert_eq!(all.regressions(0.03), [""; 0]);
    assert_eq!(all.within_floor(0.03), 1);
    assert_eq!(all.undecided(0.03), 0);
    assert_eq!(side_by_side(&a, &b, How::default()).within_floor(0.03), 0);
}

#[test]
fn a_machine_that_is_slower_as_a_whole_changes_no_ratio() {
    let a = before();
    let b = run_of(study(usual()), |model, n| {
        noisy(if model == "process" { 30 * MS } else { 15 * MS }, n)
    });
    let times = side_by_side(&a, &b, How::default());
    assert_eq!(
        words(&times),
        [("process", Word::Slower), ("thread", Word::Slower)]
    );
    let relative = How {
        basis: Basis::Relative,
        ..How::default()
    };
    let ratios = side_by_side(&a, &b, relative);
    assert_eq!(words(&ratios), [("thread", Word::Same)]);
}

#[test]
fn a_run_that_wanders_is_believed_about_large_differences_alone() {
    let a = before();
    let b = run_of(study(usual()), |model, n| {
        let ns = if model == "process" { 20 * MS } else { 10 * MS };
        noisy(ns, n) * (100 + n as u64) / 100
    });
    let all = side_by_side(&a, &b, How::default());
    let floor = all.studies[0].cases[0].floors[1].unwrap();
    assert_eq!(floor.because, FloorFrom::Wander);
    assert!(floor.fraction > 0.02, "{floor:?}");
    let all = side_by_side(&a, &b, with_floor(0.5));
    let floor = all.studies[0].cases[0].floors[1].unwrap();
    assert_eq!((floor.fraction, floor.because), (0.5, FloorFrom::Asked));
    assert_eq!(
        words(&all),
        [("process", Word::Same), ("thread", Word::Same)]
    );
}

#[test]
fn other_work_is_not_compared_and_named() {
    let a = before();
    let mut cases = usual();
    cases[0].work = Work::Spin(Spin {
        units: 2000,
        steps: 1,
        planted: 0,
    });
    let b = run_of(study(cases), |_, n| noisy(10 * MS, n));
    let all = side_by_side(&a, &b, How::default());
    for (.., change) in all.changes() {
        assert!(change.estimate.is_none());
        let why = change.not_compared.as_deref().unwrap();
        assert_eq!(why, "other work: units 1,000 against 2,000");
    }
    assert_eq!(all.regressions(0.0), [""; 0]);
    // They are none that more rounds would decide.
    assert_eq!(all.undecided(0.03), 0);
    let lost: Vec<String> = all.not_compared().collect();
    assert_eq!(lost.len(), 2);
    assert_eq!(
        lost[0],
        "mock/only: process of after is not compared: other work: units 1,000 against 2,000"
    );
}

#[test]
fn limits_of_several_machines_stand_side_by_side_without_a_verdict() {
    let limit = |label: &str, count: u64| crate::findings::Limit {
        label: label.to_owned(),
        model: flow::Model::Process,
        room: Some(machine::Ceiling {
            count,
            bites: "kernel.pid_max".to_owned(),
            value: 32_768,
            unit: machine::Unit::Tasks,
            raise: String::new(),
            left: 0,
            each: 0,
        }),
        made: 0,
        create_ns_each: None,
        bytes_each: None,
        bytes_not_available: None,
    };
    let (mut a, mut b) = (before(), after());
    a.studies[0].parts.limits = vec![limit("process", 8_000)];
    let one = side_by_side(&a, &b, How::default());
    assert!(one.studies[0].limits.is_empty());
    b.studies[0].parts.limits = vec![limit("fiber", 90_000), limit("process", 15_000)];
    // That they have in common, whatever their cases are.
    b.studies[0].cases.clear();
    let all = side_by_side(&a, &b, How::default());
    let counts = |row: usize| {
        let sides = all.studies[0].limits[row].sides.iter();
        let counts = sides.map(|side| Some(side.as_ref()?.room.as_ref()?.count));
        counts.collect::<Vec<_>>()
    };
    assert_eq!(counts(0), [Some(8_000), Some(15_000)]);
    assert_eq!(counts(1), [None, Some(90_000)]);
    assert_eq!(all.changes().count(), 0);
}

#[test]
fn what_differs_and_matters_is_a_warning() {
    let a = before();
    let mut b = after();
    b.header.version = "9.9".to_owned();
    b.header.settings.preset = crate::data::Preset::Full;
    b.header.settings.seed = 99;
    b.finished = false;
    b.studies[0].cases[0].reps = 77;
    b.studies[0].cases[0].case.variants[1].variant.flows = 64;
    let all = side_by_side(&a, &b, How::default());
    let said = all.warnings.join("\n");
    for part in [
        "before and after differ in flowgauge: 0 against 9.9; preset: quick against full",
        "after did not come to its end",
        "mock/only of before and after: 5 repetitions a slot against 77; thread is launched with \
         flows 2 against 64",
    ] {
        assert!(said.contains(part), "no '{part}' in {said}");
    }
    lacks(&said, "seed");
}

#[test]
fn what_only_one_holds_is_left_out_and_named() {
    let a = before();
    let mut cases = vec![case("only", 1000, &["process", "2x2"])];
    cases.push(case("more", 1000, &["process", "thread"]));
    let b = run_of(study(cases), |_, n| noisy(10 * MS, n));
    let all = side_by_side(&a, &b, How::default());
    assert_eq!(
        all.left_out,
        [
            "in before and not in after: mock/only/thread",
            "in after and not in before: mock/only/2x2, mock/more"
        ]
    );
    assert_eq!(words(&all).len(), 1);
    // What is new cannot have become slower; what is gone may have.
    assert_eq!(all.gone, ["not in after: mock/only/thread"]);
}

#[test]
fn runs_of_different_studies_are_refused_with_what_they_hold() {
    let a = before();
    let other = Study {
        name: "other".to_owned(),
        ..study(usual())
    };
    let b = run_of(other, |_, n| noisy(10 * MS, n));
    let named = |name, results| Named { name, results };
    let error = compare(&[named("x", &a), named("y", &b)], How::default()).unwrap_err();
    let said = error.to_string();
    has(&said, "x holds mock (only), y holds other (only)");
}

#[test]
fn a_first_run_that_was_cut_is_warned_of_once() {
    let mut a = before();
    a.finished = false;
    let b = after();
    let runs = [("a", &a), ("b", &b), ("c", &b)];
    let runs = runs.map(|(name, results)| Named { name, results });
    let all = compare(&runs, How::default()).unwrap();
    assert_eq!(all.warnings, ["a did not come to its end"]);
}

/// Four cases; every slot takes `all` per mille of what it takes else, and those of threads in the
/// last case `one` per mille of that.
fn shifted(all: u64, one: u64) -> Results {
    let cases = (1..=4).map(|units| case(&format!("case-{units}"), units, &["process", "thread"]));
    let mock = Mock::new(move |units, model, n, spec| {
        let own = match (units, model) {
            (4, "thread") => one,
            _ => 1000,
        };
        done(
            spec,
            noisy(units * 10 * MS, n) * all / 1000 * own / 1000,
            PROOF,
        )
    });
    results_of(study(cases.collect()), mock)
}

/// Two runs of the same thing seconds apart: all 24 variants were regressions, by a fifth.
#[test]
fn a_shift_of_everything_is_told_from_a_variant_that_became_slower() {
    let usual = shifted(1000, 1000);
    let all = side_by_side(&usual, &shifted(1220, 1000), How::default());
    let common = all.common[1].unwrap();
    assert!((common.ratio - 1.22).abs() < 0.01, "{common:?}");
    assert_eq!(all.regressions(0.03), [""; 0]);
    assert_eq!(all.shifted(0.03).len(), 1);
    has(&all.warnings.join("\n"), "1.22x slower");
    // A variant that is slower beyond that is one.
    let all = side_by_side(&usual, &shifted(1220, 1200), How::default());
    let found = all.regressions(0.03);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "case-4: thread");
    // And so it is where nothing else moved.
    let all = side_by_side(&usual, &shifted(1000, 1200), How::default());
    assert_eq!(
        (all.regressions(0.03).len(), all.shifted(0.03).len()),
        (1, 0)
    );
}
