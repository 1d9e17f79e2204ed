//! What each slot is asked for: its repetitions, its order, its sampler, and the time it has left.

use std::collections::BTreeSet;

use flow::SlotSpec;
use workload::Work;

use super::*;
use crate::data::RawSlot;

#[test]
fn the_pilot_chooses_fewer_repetitions_of_longer_work() {
    for (ms, chosen) in [
        (20, "chosen 1+2"),
        (500, "chosen 1+2"),
        (800, "chosen 0+1"),
        (9000, "chosen 0+1"),
    ] {
        let chosen_by_it = Case {
            reps: None,
            ..case("one", 1, &TWO)
        };
        let ran = run_mock(of_case(chosen_by_it), &mut Mock::timed(move |_, _| ms * MS));
        assert_eq!(ran.count(chosen), 1, "{ms} ms");
    }
    let mut fixed = case("fixed", 1, &TWO);
    fixed.reps = Some(2);
    let mut mock = Mock::timed(|_, _| 2000 * MS);
    let ran = run_mock(of_case(fixed), &mut mock);
    assert_eq!(ran.count("chosen 0+2"), 1);
    assert_eq!(mock.specs[2].deadline_s, 80.0);
    assert_eq!(mock.specs[0].reps, 1, "the pilot itself");
}

#[test]
fn remaining_time_comes_from_the_pilot_and_then_from_the_slots() {
    let ran = run_mock(one_case(), &mut Mock::timed(|_, _| 20 * MS));
    // The pilot expects 6 x 20 ms a slot; the first slot of 160 is done.
    let mut said = ran.heard("remaining");
    assert_eq!(said.next().unwrap(), "remaining 1.560 19.080");
    // Until look 10, and until the last one.
    assert_eq!(said.next_back().unwrap(), "remaining 0.720 17.520");
}

#[test]
fn each_round_has_its_own_order_and_every_spec_is_as_the_pilot_chose() {
    let mut mock = Mock::timed(noise);
    let ran = run_mock(one_case(), &mut mock);
    let rounds = ran.case(0).slots.chunks(2);
    let variants = |round: &[RawSlot]| round.iter().map(|slot| slot.variant).collect();
    let orders: Vec<Vec<usize>> = rounds.map(variants).collect();
    let planned: Vec<_> = (0..80)
        .map(|round| crate::plan::order::order(1, "mock", "one", round, 2))
        .collect();
    assert_eq!(orders, planned);
    let same = |spec: &SlotSpec<Work>| (spec.warmups, spec.reps, spec.deadline_s) == (1, 5, 10.0);
    assert!(mock.specs[2..].iter().all(same));
}

#[test]
fn slots_are_sampled_as_their_variant_says_or_else_the_settings() {
    let every = |interval_s| crate::data::Sampling {
        interval_s,
        folder: None,
    };
    let intervals = |header: Header| {
        let mut mock = Mock::timed(noise);
        run_mock(header, &mut mock);
        let sampled = |spec: &SlotSpec<Work>| {
            let interval_ns = spec.sample.as_ref().map(|sample| sample.interval_ns);
            (spec.variant.model.to_string(), interval_ns)
        };
        mock.specs.iter().map(sampled).collect::<BTreeSet<_>>()
    };
    let seen = |process, thread| {
        let both = [("process", process), ("thread", thread)];
        both.map(|(model, interval)| (model.to_owned(), interval))
            .into()
    };
    let mut header = one_case();
    assert_eq!(intervals(header.clone()), seen(None, None));
    header.studies[0].cases[0].variants[1].sample = Some(every(0.25));
    assert_eq!(intervals(header.clone()), seen(None, Some(250_000_000)));
    header.settings.sample = Some(every(0.1));
    let both = seen(Some(100_000_000), Some(250_000_000));
    assert_eq!(intervals(header), both);
}
