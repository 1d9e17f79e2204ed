//! Times of a switch: who is cheapest where, and the headline.

use flow::{Answer, SlotSpec};

use super::*;
use crate::findings::cheapest;
use crate::findings::testing::{begins, has};

/// What flows did that all took their turns.
const TURNS: flow::record::Turns = flow::record::Turns {
    taken: 1_000,
    handed_over: 1_000,
    switches: 1_001,
    checked: 30,
    orderly: 30,
};

/// Cases that measure switches at this many flows, of models whose switch takes this many ns.
pub(super) fn switches(values: &[u64]) -> Vec<Case> {
    let at = |&flows: &u64| {
        let models = ["process", "thread", "task"];
        let mut case = case(&format!("flows/{flows}"), flows, &models);
        case.metric = crate::data::Metric::Switch;
        point(case, ["flows"; 3], flows as f64)
    };
    values.iter().map(at).collect()
}

/// Processes take 2 us, threads 1 us and 1 ns more a flow, tasks 5 ns; each repetition holds
/// 1,000 turns, and the kernel counts one switch more than there are hand-overs.
fn switching() -> Mock {
    switching_but_at(0)
}

/// The same; every slot of this many flows is lost.
fn switching_but_at(lost_at: u64) -> Mock {
    Mock::new(move |flows, model, n, spec| {
        if flows == lost_at {
            return lost();
        }
        let a_turn = match model {
            "process" => 2_000,
            "thread" => 1_000 + flows,
            _ => 5,
        };
        turns_of(spec, a_turn, n)
    })
}

fn turns_of(spec: &SlotSpec<Work>, a_turn: u64, n: usize) -> Answer {
    let mut answer = done(spec, MS, PROOF);
    for rep in &mut record(&mut answer).reps {
        rep.steady_ns = a_turn * 1_000 + n as u64 % 3;
        rep.turns = Some(TURNS);
    }
    answer
}

#[test]
fn a_switch_is_told_in_ns_and_who_is_cheapest_where() {
    let result = run_cases(switches(&[2, 10_000]), switching());
    let typical = |case: usize, variant: usize| {
        let value = result.cases[case].variants[variant].value.unwrap();
        value.typical.round()
    };
    assert_eq!(
        (typical(0, 0), typical(0, 1), typical(0, 2)),
        (2000.0, 1002.0, 5.0)
    );
    let said = result.sentences.join("\n");
    has(
        &said,
        "cheapest to switch: 2 flows: task (5.00 ns); 10,000 flows: task (5.00 ns)",
    );
    let changes = "at 2 flows thread is cheaper than process, at 10,000 process is";
    has(&said, changes);
    // Of one slot each it was shown all the same: the middle half of one has no width.
    let mut few = result.cases.clone();
    for case in &mut few {
        case.slots.retain(|slot| slot.round < 5);
    }
    assert_eq!(
        cheapest::cheapest(&few),
        ["flows: which is cheapest to switch is not known at any number of flows"]
    );
    few[1] = result.cases[1].clone();
    few.remove(0);
    few[0]
        .slots
        .retain(|slot| slot.variant != 1 || slot.round == 0);
    assert_eq!(
        cheapest::cheapest(&few),
        ["flows: cheapest to switch: 10,000 flows: task (5.00 ns) or thread"]
    );
    let evidence = "(100.1 % in the worst repetition); every flow ran between two turns of the \
                    same flow in 100.0 % of";
    has(&said, evidence);
}

#[test]
fn what_takes_no_turns_has_no_time_of_a_switch() {
    let plain = Mock::new(|_, _, _, spec| done(spec, MS, PROOF));
    let result = run_cases(switches(&[2]), plain);
    assert!(result.cases[0].variants.iter().all(|v| v.value.is_none()));
}

#[test]
fn the_headline_of_a_sweep_that_was_cut_speaks_of_what_was_compared() {
    let said = |lost_at: u64, signal_after: Option<usize>| {
        let mut mock = switching_but_at(lost_at);
        mock.signal_after = signal_after;
        run_cases(switches(&[2, 5, 10]), mock).sentences[0].clone()
    };
    begins(&said(0, None), "at 2 flows: task ");
    begins(&said(2, None), "at 10 flows: task ");
    // The headline goes first: cut early, it has all rounds.
    let cut = said(0, Some(4 * 3));
    begins(&cut, "at 2 flows: not known: threads against processes: ");
    has(&cut, "3 rounds are too few");
}

#[test]
fn the_headline_of_switches_is_about_two_models_and_not_two_ways_of_one() {
    let mut cases = switches(&[5]);
    let mut futex = cases[0].variants[0].clone();
    futex.label = "process, futex".to_owned();
    // The second way of processes is the fastest of all; its number tells it here.
    futex.variant.flows = 4;
    cases[0].variants.insert(1, futex);
    let mock = Mock::new(|flows, model, n, spec| {
        let a_turn = match (model, flows) {
            ("process", 4) => 500,
            ("thread", _) => 1_000,
            _ => 2_000,
        };
        turns_of(spec, a_turn, n)
    });
    cases[0]
        .variants
        .retain(|labelled| labelled.label != "task");
    let said = run_cases(cases, mock).sentences[0].clone();
    has(&said, "threads 2.00x faster than processes");
}
