//! Expectations of scripted runs.

use super::{Checked, ExpectError, Expectation, Judged, check_runs};
use crate::findings::Results;
use crate::findings::compare::{Basis, How, Named, compare};
use crate::findings::testing::{begins, ends, has, point, results_of};
use crate::testing::{MS, Mock, PROOF, case, done, study};

/// Processes take 20 ms a slot, threads 10 ms; a sweep of two points, 1 and 2 ms.
fn results() -> Results {
    let point = |value: u64| {
        let case = case(&format!("grain/{value}"), value, &["process", "thread"]);
        point(case, ["grain", "block", "numbers"], value as f64)
    };
    let cases = vec![
        case("only", 1, &["process", "thread", "2x2"]),
        point(1000),
        point(2000),
    ];
    let mock = Mock::new(|units, model, n, spec| {
        let ns = match (units, model) {
            (1, "process") => 20 * MS,
            (1, _) => 10 * MS,
            (units, _) => units * 1000,
        };
        done(spec, ns * (1000 + n as u64 * 37 % 9) / 1000, PROOF)
    });
    results_of(study(cases), mock)
}

fn expectation(text: &str) -> Expectation {
    text.parse().unwrap()
}

fn both<'a>(a: &'a Results, b: &'a Results) -> [Named<'a>; 2] {
    [("a", a), ("b", b)].map(|(name, results)| Named { name, results })
}

/// What comes of it in the second run, where the first is the reference.
fn of_second(runs: &[Named<'_>], how: How, text: &str) -> Checked {
    let all = compare(runs, how).unwrap();
    let mut checked = check_runs(&expectation(text), runs, &all).unwrap();
    assert_eq!(checked.len(), 1);
    checked.remove(0)
}

fn judged(results: &Results, text: &str) -> Judged {
    expectation(text).check(results).unwrap().judged
}

#[test]
fn bounds_are_held_against_whole_intervals() {
    let results = results();
    for (text, expected) in [
        ("mock/only/process <= 21ms", Judged::Holds),
        ("mock/process <= 21 ms", Judged::Holds),
        ("mock/process < 0.021s", Judged::Holds),
        ("mock/process >= 19_000us", Judged::Holds),
        ("mock/process <= 15ms", Judged::Fails),
        ("mock/process > 30ms", Judged::Fails),
        ("mock/process <= 20.08ms", Judged::Undecided),
        ("mock/grain/thread@1000 <= 1.1ms", Judged::Holds),
        ("mock/thread@2_000 <= 1.1ms", Judged::Fails),
        ("mock/grain/2000/thread <= 1.1ms", Judged::Fails),
        ("mock/thread vs process <= 0.6", Judged::Holds),
        ("mock/process vs thread <= 1.05", Judged::Fails),
        ("mock/2x2 vs thread <= 1.01x", Judged::Holds),
        ("mock/2x2 vs thread create <= 1.01", Judged::Holds),
        ("mock/thread create <= 2ms", Judged::Holds),
        ("mock/thread steady <= 2ms", Judged::Fails),
    ] {
        let checked = expectation(text).check(&results).unwrap();
        assert_eq!(checked.judged, expected, "{}", checked.sentence);
        assert_eq!(expectation(text).means(&header_studies(&results)), Ok(()));
    }
    let said = expectation("mock/process <= 15ms")
        .check(&results)
        .unwrap()
        .sentence;
    begins(&said, "mock/process <= 15ms: FAILS: 20.1 ms [20.");
}

fn header_studies(results: &Results) -> Vec<crate::data::Study> {
    results.header.studies.clone()
}

#[test]
fn memory_has_units_of_size() {
    let results = results();
    assert_eq!(
        judged(&results, "mock/thread memory <= 1GiB"),
        Judged::Holds
    );
    assert_eq!(judged(&results, "mock/thread <= 1GiB"), Judged::Holds);
    assert_eq!(judged(&results, "mock/thread memory >= 1GB"), Judged::Fails);
    for (text, word) in [
        ("mock/thread memory <= 1ms", "memory needs a unit of size"),
        ("mock/thread <= 1.05", "a time needs a unit"),
        ("mock/thread vs process <= 3ms", "a ratio has no unit"),
    ] {
        let said = expectation(text).check(&results).unwrap_err().to_string();
        has(&said, word);
    }
}

#[test]
fn what_names_nothing_is_told_the_nearest_names() {
    let results = results();
    let error = |text: &str| expectation(text).check(&results).unwrap_err();
    let said = error("mock/grain/thraed@1000 <= 2ns").to_string();
    has(&said, "there is no 'mock/grain/thraed@1000'");
    has(&said, "did you mean one of mock/grain/thread@1000, ");
    assert!(matches!(
        error("mok/thread <= 2ns"),
        ExpectError::Nothing { .. }
    ));
    assert!(matches!(
        error("mock/thread@3000 <= 2ns"),
        ExpectError::Nothing { .. }
    ));
    let said = error("mock/thread vs proces <= 2").to_string();
    has(&said, "no 'proces'");
    has(&said, "process");
}

/// For a slip in a short name only long ones were suggested, for one in a quantity only variants.
#[test]
fn a_slip_is_told_the_name_in_the_form_that_was_meant() {
    let results = results();
    let said = |text: &str| expectation(text).check(&results).unwrap_err().to_string();
    for (text, first) in [
        ("mock/thrad <= 2ms", "did you mean one of mock/thread, "),
        (
            "mock/only/thrad <= 2ms",
            "did you mean one of mock/only/thread, ",
        ),
        (
            "mock/thread teardown <= 2ms",
            "did you mean one of mock/thread tear-down, mock/thread ",
        ),
        (
            "mock/thread memory vs process <= 1",
            "did you mean mock/thread vs process memory?",
        ),
    ] {
        has(&said(text), first);
    }
}

/// It always held, whatever was measured.
#[test]
fn a_variant_against_itself_is_refused() {
    let results = results();
    for text in [
        "mock/thread vs thread <= 1.05",
        "mock/thread vs thread memory <= 1.05",
    ] {
        let error = expectation(text)
            .means(&header_studies(&results))
            .unwrap_err();
        assert!(matches!(error, ExpectError::Itself { .. }), "{error}");
        has(&error.to_string(), "thread against itself is always 1");
    }
}

#[test]
fn what_names_several_is_told_them() {
    let mut studies = header_studies(&results());
    let mut again = studies[0].cases[1].clone();
    again.name = "size/1000".to_owned();
    again.sweep.as_mut().unwrap().sweep = "size".to_owned();
    studies[0].cases.push(again);
    let said = expectation("mock/thread@1000 <= 2ns")
        .means(&studies)
        .unwrap_err()
        .to_string();
    has(&said, "mock/grain/thread@1000, mock/size/thread@1000");
}

#[test]
fn what_is_no_expectation_is_refused_with_examples() {
    for text in [
        "",
        "mock/thread",
        "mock/thread <= ",
        "mock/thread <= fast",
        "mock/thread <= 3 parsecs",
        "mock/thread <= -3ms",
        "mock/thread <= infs",
        "thread <= 3ms",
    ] {
        let said = text.parse::<Expectation>().unwrap_err();
        has(&said, "write it as 'switch/fiber@1000 <= 2ns'");
    }
}

#[test]
fn few_slots_decide_nothing() {
    let mut results = results();
    results.studies[0].cases[0].slots.truncate(6);
    assert_eq!(judged(&results, "mock/process <= 1s"), Judged::Undecided);
    results.studies[0].cases[0].slots.clear();
    let checked = expectation("mock/process <= 1s").check(&results).unwrap();
    assert_eq!(checked.judged, Judged::Undecided);
    ends(&checked.sentence, "cannot be decided: no good slot");
}

#[test]
fn between_runs_a_bare_number_is_the_ratio_to_the_first() {
    let (a, b) = (results(), results());
    let check = |text: &str| of_second(&both(&a, &b), How::default(), text);
    let checked = check("mock/thread <= 1.03");
    assert_eq!(checked.judged, Judged::Holds);
    begins(&checked.sentence, "b: mock/thread <= 1.03: holds: 1.0");
    assert_eq!(check("mock/thread >= 1.5").judged, Judged::Fails);
    assert_eq!(check("mock/thread <= 11ms").judged, Judged::Holds);
}

/// The run with every time of its slots made `factor` times as long, `rounds` of them.
fn slower(factor: f64, rounds: usize) -> Results {
    let mut results = results();
    for case in &mut results.studies[0].cases {
        let first = case.slots.iter().map(|slot| slot.round).min().unwrap();
        case.slots.retain(|slot| slot.round < first + rounds);
        for slot in &mut case.slots {
            if let flow::Answer::Done(record) = &mut slot.outcome.answer {
                for rep in &mut record.reps {
                    for phase in [&mut rep.create_ns, &mut rep.steady_ns, &mut rep.teardown_ns] {
                        *phase = (*phase as f64 * factor) as u64;
                    }
                }
            }
        }
    }
    results
}

/// An expectation failed where `--fail-on-regression` said that it lies within the floor.
#[test]
fn between_runs_a_time_fails_only_beyond_the_floor_of_its_comparison() {
    let a = results();
    let judged = |b: &Results, floor: Option<f64>, text: &str| {
        let how = How {
            floor,
            ..How::default()
        };
        of_second(&both(&a, b), how, text)
    };
    let b = slower(1.2, 99);
    let bound = "mock/thread <= 1.03";
    assert_eq!(judged(&b, None, bound).judged, Judged::Fails);
    let within = judged(&b, Some(0.5), bound);
    assert_eq!(within.judged, Judged::Undecided);
    let why = ": not beyond the floor of 50 %";
    ends(&within.sentence, why);
    // Far beyond the bound it fails whatever the floor; a bound below 1 has it above itself.
    for (text, expected) in [
        ("mock/thread <= 0.5", Judged::Fails),
        ("mock/thread <= 0.9", Judged::Undecided),
        ("mock/thread >= 1.5", Judged::Undecided),
        ("mock/thread >= 2", Judged::Fails),
    ] {
        assert_eq!(judged(&b, Some(0.5), text).judged, expected, "{text}");
    }
    let few = judged(&slower(1.2, 5), None, bound);
    assert_eq!(few.judged, Judged::Undecided);
    has(&few.sentence, "too few slots");
}

/// The run with the memory of all its slots doubled.
fn larger() -> Results {
    let mut results = results();
    let cases = results.studies[0].cases.iter_mut();
    for slot in cases.flat_map(|case| &mut case.slots) {
        if let flow::Answer::Done(record) = &mut slot.outcome.answer
            && let measure::memory::Reading::Honest(memory) = &mut record.memory
        {
            memory.pss *= 2;
            memory.page_tables *= 2;
            memory.kernel_stacks *= 2;
        }
    }
    results
}

#[test]
fn between_runs_a_quantity_is_judged_by_its_own_ratio() {
    let (a, b) = (results(), larger());
    for basis in [Basis::Times, Basis::Relative] {
        let how = How {
            basis,
            ..How::default()
        };
        let check = |text: &str| of_second(&both(&a, &b), how, text);
        for (text, expected) in [
            ("mock/thread <= 1.03", Judged::Holds),
            ("mock/thread create <= 1.03", Judged::Holds),
            ("mock/only/thread memory <= 0.0001", Judged::Fails),
        ] {
            let checked = check(text);
            assert_eq!(checked.judged, expected, "{basis:?}: {}", checked.sentence);
        }
        let doubled = check("mock/thread memory <= 1.9");
        match basis {
            Basis::Times => {
                assert_eq!(doubled.judged, Judged::Fails);
                has(&doubled.sentence, "FAILS: 2.00 [2.00");
            }
            // The reference grew as much.
            Basis::Relative => assert_eq!(doubled.judged, Judged::Holds, "{doubled:?}"),
        }
    }
}

#[test]
fn what_was_not_compared_is_not_decided_for_its_own_reason() {
    let (a, mut b) = (results(), results());
    let case = &mut b.studies[0].cases[0];
    case.case.variants[2].label = "3x2".to_owned();
    case.variants[2].label = "3x2".to_owned();
    case.case.variants[1].work = Some(a.studies[0].cases[1].case.work.clone());
    b.studies[0].study.cases[0] = case.case.clone();
    for (text, why) in [
        ("mock/only/thread <= 1.03", "other work: "),
        ("mock/only/thread memory <= 1.03", "other work: "),
        ("mock/3x2 <= 1.03", "a does not hold it"),
    ] {
        let checked = of_second(&both(&a, &b), How::default(), text);
        assert_eq!(checked.judged, Judged::Undecided, "{}", checked.sentence);
        let why = format!("cannot be decided: not compared: {why}");
        has(&checked.sentence, &why);
    }
}
