//! A simulated slot of which events are counted too, by recorded counts.

use flow::record::counted::{Came, Counted, EventCount};
use measure::Measured;
use measure::counters::{Event, Sample, Scope};

use super::*;
use crate::data::{Metric, Simulation};
use crate::findings::simulated::{Against, Count};
use crate::plan::simulated;

const EVENTS: [Event; 2] = [Event::L1dMisses, Event::DtlbMisses];

/// A case on a model of that name.
fn on(name: &str) -> Header {
    let machine = simulate::builtin("xeon-x5570").unwrap().unwrap();
    let mut header = one_case();
    header.studies[0].cases[0].metric = Metric::Simulated;
    header.settings.max_rounds = 2;
    header.settings.events = EVENTS.to_vec();
    header.settings.simulate = Some(Box::new(Simulation {
        page: 4096,
        turn: 100,
        timeslice: 1000,
        window: 1000,
        keep: None,
        machine: simulate::Machine {
            name: name.to_owned(),
            ..machine
        },
    }));
    header
}

fn read(event: Event, count: u64) -> EventCount {
    EventCount {
        event,
        came: Came::Read {
            scope: Scope::Everywhere,
            sum: Sample {
                count,
                enabled_ns: 1_000_000,
                running_ns: 1_000_000,
            },
            scaled: Some(count),
            never_ran: 0,
            each: Vec::new(),
        },
    }
}

/// Of 7 units of work processes count 56 misses of the first level and threads 70; misses of the data TLB
/// could not be counted.
fn recorded(model: &str, spec: &flow::SlotSpec<workload::Work>) -> flow::Answer {
    let mut answer = done(spec, MS, PROOF);
    if let (flow::Answer::Done(record), None) = (&mut answer, &spec.record) {
        let l1d = read(Event::L1dMisses, if model == "process" { 56 } else { 70 });
        let refused = EventCount {
            event: Event::DtlbMisses,
            came: Came::Refused { errno: 2 },
        };
        record.reps.last_mut().unwrap().counted = Some(Box::new(Measured::Value(Counted {
            flows: 1,
            events: vec![l1d, refused],
            open_ns: 0,
            read_ns: 0,
        })));
    }
    answer
}

#[test]
fn what_was_simulated_stands_beside_what_was_counted_with_the_error() {
    let mut mock = Mock::new(|_, model, _, spec| recorded(model, spec));
    let ran = run_mock(on(simulated::HOST), &mut mock);
    for pair in mock.specs.chunks(2) {
        let [recorded, counted] = pair else {
            panic!("an odd slot")
        };
        assert!(recorded.record.is_some() && recorded.count.is_empty());
        assert!(counted.record.is_none() && counted.count == EVENTS);
        assert_eq!(recorded.variant, counted.variant);
    }
    let found = &ran.results.studies[0].parts.simulated[0];
    let against = |count| found.count(count).unwrap().against();
    let one = |simulated, counted| Against { simulated, counted };
    let l1d = against(Count::L1d).unwrap();
    assert_eq!(l1d, [one(10.0, 8.0), one(10.0, 10.0), one(1.0, 1.25)]);
    assert_eq!(
        l1d.map(|one| one.error().unwrap()),
        [0.25, 0.0, 1.0 / 1.25 - 1.0]
    );
    assert_eq!(against(Count::Dtlb), None, "it could not be counted");
    assert_eq!(against(Count::Accesses), None, "there is no such event");
    let quantities = &ran.case(0).quantities;
    let named = |name: &str| quantities.iter().any(|one| one.name == name);
    assert!(named("l1d-misses") && named("simulated-l1d-misses") && !named("cpu"));
}

#[test]
fn a_slot_that_did_other_work_here_keeps_what_was_simulated_alone() {
    let mut mock = Mock::new(|_, model, _, spec| {
        let mut answer = recorded(model, spec);
        if let (flow::Answer::Done(record), None) = (&mut answer, &spec.record) {
            record.proof.checksum += 1;
        }
        answer
    });
    let ran = run_mock(on(simulated::HOST), &mut mock);
    let found = &ran.results.studies[0].parts.simulated[0];
    assert_eq!(found.count(Count::L1d).unwrap().against(), None);
    assert_eq!(found.launches, 2);
}

#[test]
fn events_of_this_machine_say_nothing_of_another_one() {
    let reason = |header: Header| simulated::no_events(&header.settings.simulate.unwrap());
    assert_eq!(reason(on(simulated::HOST)), None);
    let said = reason(on("xeon-x5570")).unwrap();
    said.says("xeon-x5570 is another one");
}
