//! Medians of scripted slots, and reasons for what is not in them.

use flow::Proof;
use flow::record::counted::{Counted, EventCount};

use super::*;
use crate::findings::testing::{begins, done_in, has};
use crate::testing;

fn permission() -> Permission {
    Permission {
        paranoid: Measured::Value(1),
        privileged: false,
    }
}

fn read(event: Event, count: u64, running_ns: u64) -> EventCount {
    let sum = Sample {
        count,
        enabled_ns: 1_000_000,
        running_ns,
    };
    EventCount {
        event,
        came: Came::Read {
            scope: Scope::Everywhere,
            sum,
            scaled: sum.scaled().map(|events| events as u64),
            never_ran: 0,
            each: Vec::new(),
        },
    }
}

fn refused(event: Event, errno: i32) -> EventCount {
    EventCount {
        event,
        came: Came::Refused { errno },
    }
}

/// A slot whose last repetition of several takes `last_ns` and has these counts.
fn slot(last_ns: u64, counted: Option<Measured<Vec<EventCount>>>) -> SlotRecord {
    let mut reps = vec![testing::rep(1_000_000, Proof::default()); 2];
    let mut rep = testing::rep(last_ns, Proof::default());
    rep.counted = counted.map(|counted| {
        Box::new(counted.map(|events| Counted {
            flows: 2,
            events,
            open_ns: 30_000,
            read_ns: 10_000,
        }))
    });
    reps.push(rep);
    done_in(reps)
}

/// One of 1 ms.
fn with(events: Vec<EventCount>) -> SlotRecord {
    slot(1_000_000, Some(Measured::Value(events)))
}

fn of(asked: &[Event], slots: &[SlotRecord]) -> Events {
    let slots: Vec<_> = slots.iter().collect();
    events(asked, &permission(), &spin(), &slots).unwrap()
}

fn spin() -> Work {
    serde_json::from_str(r#"{"kind": "spin", "units": 2, "steps": 1}"#).unwrap()
}

fn value(events: &Events, event: Event) -> EventMedians {
    *events.of(event).unwrap().value().unwrap()
}

#[test]
fn partial_time_is_scaled_within_each_slot_before_the_median() {
    // 100 in all of the time, 40 in a quarter of it, 90 in half of it.
    let slots = [(100, 1_000_000), (40, 250_000), (90, 500_000)];
    let slots = slots.map(|(count, ns)| with(vec![read(Event::PageFaults, count, ns)]));
    let faults = value(&of(&[Event::PageFaults], &slots), Event::PageFaults);
    assert_eq!((faults.scaled, faults.ran, faults.slots), (160.0, 0.5, 3));
    assert_eq!(faults.per_cpu_second, 160.0 / 1e-3);
    assert_eq!(faults.per_unit, Some(80.0), "each of two flows did a unit");
    assert_eq!(faults.per_1000_instructions, None);
}

#[test]
fn events_of_a_server_are_for_a_request_and_not_for_a_worker() {
    let mut slot = with(vec![read(Event::PageFaults, 300, 1_000_000)]);
    // The first of two workers has the proof of all requests.
    let last = slot.reps.last_mut().unwrap();
    last.flows[0].proof.count = 60;
    let server = r#"{"kind": "wiki-server", "workers": 2, "requests": 60, "connections": 1}"#;
    let server = serde_json::from_str(server).unwrap();
    let events = events(&[Event::PageFaults], &permission(), &server, &[&slot]).unwrap();
    assert_eq!(value(&events, Event::PageFaults).per_unit, Some(5.0));
}

#[test]
fn what_is_shared_out_over_instructions_is_formed_in_each_slot() {
    use Event::{Cycles, DtlbMisses, Instructions};
    let slots = [(1_000, 4), (250, 3)].map(|(instructions, misses)| {
        with(vec![
            read(Cycles, 1_000, 1_000_000),
            read(Instructions, instructions, 500_000),
            read(DtlbMisses, misses, 1_000_000),
        ])
    });
    let events = of(&[Cycles, Instructions, DtlbMisses], &slots);
    // 2,000 and 500 instructions after scaling.
    assert_eq!(events.instructions_per_cycle, Some(1.25));
    let misses = value(&events, DtlbMisses);
    assert_eq!(misses.per_1000_instructions, Some((2.0 + 6.0) / 2.0));
    assert_eq!(value(&events, Instructions).per_1000_instructions, None);
}

#[test]
fn counts_of_user_code_are_not_laid_over_instructions_of_all_code() {
    let mut misses = read(Event::DtlbMisses, 5, 1_000_000);
    if let Came::Read { scope, .. } = &mut misses.came {
        *scope = Scope::UserOnly;
    }
    let slots = [with(vec![
        read(Event::Instructions, 1_000, 1_000_000),
        misses,
    ])];
    let events = of(&[Event::DtlbMisses], &slots);
    let misses = value(&events, Event::DtlbMisses);
    assert_eq!(
        (misses.scope, misses.per_1000_instructions),
        (Scope::UserOnly, None)
    );
}

#[test]
fn what_never_ran_or_did_not_move_is_not_available_and_no_zero() {
    let slots = [with(vec![
        read(Event::CacheMisses, 0, 0),
        read(Event::Cycles, 0, 1_000_000),
        read(Event::Migrations, 0, 1_000_000),
    ])];
    let asked = [Event::CacheMisses, Event::Cycles, Event::Migrations];
    let events = of(&asked, &slots);
    let said = |event| {
        events
            .of(event)
            .unwrap()
            .as_ref()
            .map(|_| "a value")
            .to_string()
    };
    has(&said(Event::CacheMisses), "never ran");
    has(&said(Event::Cycles), "stays at 0");
    assert_eq!(value(&events, Event::Migrations).scaled, 0.0);
    assert_eq!(events.instructions_per_cycle, None);
}

#[test]
fn a_flow_whose_counter_never_ran_makes_the_event_not_available_and_is_said() {
    let mut misses = read(Event::DtlbMisses, 1_000, 500_000);
    if let Came::Read {
        scaled, never_ran, ..
    } = &mut misses.came
    {
        (*scaled, *never_ran) = (None, 1);
    }
    let slots = [with(vec![misses])];
    let events = of(&[Event::DtlbMisses], &slots);
    let said = reasons(events.events.iter().map(|e| (e.event, &e.count)));
    has(&said[0], "1 of 2 flows never ran");
}

#[test]
fn every_error_number_is_said_in_words_and_never_as_a_count() {
    for errno in [1, 2, 3, 7, 12, 13, 16, 19, 22, 23, 24, 38, 95] {
        let slots = [with(vec![refused(Event::Cycles, errno)])];
        let events = of(&[Event::Cycles], &slots);
        let said = reasons(events.events.iter().map(|e| (e.event, &e.count)));
        assert_eq!(said.len(), 1);
        begins(&said[0], "not available: cycles: ");
    }
}

#[test]
fn a_reason_is_said_once_with_all_events_it_stops() {
    let none = || Measured::<u64>::not_available("no such event", "use others");
    let other = Measured::not_available("no room", "");
    let counts = [
        (Event::Cycles, &none()),
        (Event::PageFaults, &Measured::Value(1)),
        (Event::Instructions, &none()),
        (Event::Migrations, &other),
        (Event::Cycles, &none()),
    ];
    assert_eq!(
        reasons(counts),
        [
            "not available: cycles, instructions: no such event (use others)",
            "not available: migrations: no room"
        ]
    );
}

#[test]
fn some_slots_without_a_count_are_left_out_and_the_number_is_told() {
    let good = Some(Measured::Value(vec![read(Event::Cycles, 7, 1_000_000)]));
    let full = Some(Measured::not_available("too many counters", "use fewer"));
    let slots = [slot(1_000_000, good), slot(1_000_000, full.clone())];
    let cycles = value(&of(&[Event::Cycles], &slots), Event::Cycles);
    assert_eq!((cycles.slots, cycles.scaled), (1, 7.0));
    let none = of(&[Event::Cycles], &[slot(1_000_000, full)]);
    let said = none
        .of(Event::Cycles)
        .unwrap()
        .as_ref()
        .map(|_| 0)
        .to_string();
    assert_eq!(said, "not available: too many counters (use fewer)");
    assert_eq!(
        none.slower, None,
        "nothing was counted, so nothing cost anything"
    );
}

#[test]
fn the_cost_is_the_counted_repetition_over_the_others_of_its_slot() {
    let counted = || Some(Measured::Value(vec![read(Event::Cycles, 7, 1_000_000)]));
    let slots = [
        slot(1_100_000, counted()),
        slot(1_020_000, counted()),
        slot(1_010_000, counted()),
    ];
    let events = of(&[Event::Cycles], &slots);
    assert_eq!(events.slower, Some(1.02));
    assert_eq!((events.flows, events.around_ns), (2.0, 40_000.0));
}

#[test]
fn old_slots_and_none_have_no_counts() {
    assert_eq!(events(&[], &permission(), &spin(), &[&slot(1, None)]), None);
    assert_eq!(events(&Event::ALL, &permission(), &spin(), &[]), None);
    let old = of(&[Event::Cycles], &[slot(1_000_000, None)]);
    assert!(old.of(Event::Cycles).unwrap().value().is_none());
}
