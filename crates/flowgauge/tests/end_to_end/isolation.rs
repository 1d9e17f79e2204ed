//! Work that goes wrong: what isolation keeps, and that no failed slot is a data point.

use flow::{Answer, Failure, FlowState, Rep};
use lab::{CaseEnd, CaseResult, Outcome};

use super::common::{Home, drill};

/// The case of a drill, run to its end: it must have been given up.
fn drilled(fault: &str, variants: &[(&str, u32)], deadline: &str) -> (CaseResult, String) {
    let home = Home::new();
    home.write("drill.toml", drill(fault, variants));
    let run = home.run(&format!("run drill.toml --deadline {deadline} --out out"));
    run.refused(2, &["error: mine, only: ", " was given up: "]);
    home.assert_nothing_left();
    let results = home.results();
    assert!(results.finished);
    let case = results.studies[0].cases[0].clone();
    assert_eq!(case.ended, Some(CaseEnd::Failures));
    (case, run.stderr)
}

/// No slot is a data point, and nothing is said of a difference.
fn assert_no_data(case: &CaseResult) {
    assert!(!case.slots.is_empty());
    for slot in &case.slots {
        assert_eq!(slot.value_ns, None);
    }
    assert_eq!(case.rounds, 0);
    for variant in &case.variants {
        assert_eq!((variant.good, &variant.value), (0, &None));
    }
    for finding in &case.findings {
        assert_eq!(finding.estimate, None);
    }
}

/// Reason, and the repetition that was kept, of a slot of one variant.
fn failed(case: &CaseResult, variant: usize) -> (&Failure, Option<&Rep>) {
    let mut slots = case.slots.iter().filter(|slot| slot.variant == variant);
    let slot = slots.next().unwrap();
    let Outcome {
        answer: Answer::Failed { reason, kept, .. },
        ..
    } = &slot.outcome
    else {
        panic!("{slot:?}")
    };
    (reason, kept.as_ref())
}

/// Flows that did their work, which is proved, in the kept repetition.
fn done(rep: &Rep) -> usize {
    let done = rep.flows.iter().filter(|f| f.state == FlowState::Done);
    done.inspect(|flow| assert_eq!(flow.units, flow.proof.count))
        .count()
}

/// A worker that ends by itself: kept are the others under `process`, nothing under
/// `thread`. In the mix the neighbour in its process is lost with it, unless it had done
/// its work before.
fn check_death(fault: &str, expected: &str) {
    let variants = [("process", 4), ("thread", 4), ("2x2", 4)];
    let (case, stderr) = drilled(fault, &variants, "20s");
    assert_no_data(&case);
    for (variant, lost) in [(0, 1..=1), (2, 1..=2)] {
        let (reason, kept) = failed(&case, variant);
        let Failure::FlowsDied { died, flows, how } = reason else {
            panic!("{reason:?}")
        };
        let (how, said) = how.split_once("; it said: ").unwrap_or((how, ""));
        assert_eq!((*flows, how), (4, expected));
        let panics = said.contains("this flow panics");
        assert_eq!(panics, fault == "panic", "{said}");
        assert!(lost.contains(died), "{died}");
        let kept = kept.unwrap();
        assert_eq!(done(kept), 4 - *died as usize);
        assert!(matches!(kept.flows[2].state, FlowState::Died { .. }));
    }
    let (reason, kept) = failed(&case, 1);
    let Failure::SlotLost { flows, how, .. } = reason else {
        panic!("{reason:?}")
    };
    assert_eq!((*flows, how.as_str(), kept), (4, expected, None));
    assert!(stderr.contains("the whole slot is lost"), "{stderr}");
}

#[test]
fn an_abort_takes_its_process_and_nothing_else() {
    check_death("abort", "SIGABRT");
}

#[test]
fn a_panic_takes_its_process_and_nothing_else() {
    check_death("panic", "exit code 101");
}

#[test]
fn a_panic_is_quoted_where_it_takes_the_whole_slot() {
    let (case, stderr) = drilled("panic", &[("thread", 4)], "20s");
    assert_no_data(&case);
    assert!(stderr.contains("a drill: this flow panics"), "{stderr}");
}

/// Hanging flows are ended at the deadline; what others did is kept under every model.
fn check_hang(model: &str) {
    let (case, _) = drilled("hang", &[(model, 4)], "2s");
    assert_no_data(&case);
    let (reason, kept) = failed(&case, 0);
    let Failure::Hung { hung, flows, .. } = reason else {
        panic!("{reason:?}")
    };
    assert_eq!((*hung, *flows), (1, 4));
    let kept = kept.unwrap();
    assert_eq!(done(kept), 3);
    assert_eq!(kept.flows[2].state, FlowState::Hung);
}

#[test]
fn a_hanging_process_is_ended_at_the_deadline() {
    check_hang("process");
}

#[test]
fn a_hanging_thread_is_ended_at_the_deadline() {
    check_hang("thread");
}

#[test]
fn work_that_proves_something_else_is_no_data_point() {
    let (case, _) = drilled("wrong", &[("process", 4), ("thread", 2)], "20s");
    assert_no_data(&case);
    for variant in 0..2 {
        let (reason, kept) = failed(&case, variant);
        assert!(kept.is_some());
        let is_told = matches!(reason, Failure::DifferentWork { .. });
        assert!(is_told, "{reason:?}");
    }
}

#[test]
fn a_case_that_fails_with_one_variant_is_no_success() {
    let home = Home::new();
    home.write("drill.toml", drill("abort", &[("process", 2)]));
    let run = home.run("run drill.toml --out out");
    run.refused(2, &["was given up: 1 of 2 flows died (SIGABRT)"]);
    home.run("report out").answered();
}
