//! Causes that were counted: events, and parts of a time.

use super::*;
use crate::findings::testing::begins;

/// Events of a variant whose data TLB missed so often.
fn tlb_misses(scaled: f64, scope: Scope) -> Events {
    let medians = EventMedians {
        slots: 10,
        scope,
        scaled,
        ran: 0.5,
        per_cpu_second: scaled,
        per_unit: None,
        per_1000_instructions: None,
    };
    Events {
        events: vec![EventSummary {
            event: Event::DtlbMisses,
            count: Measured::Value(medians),
        }],
        instructions_per_cycle: None,
        flows: 2.0,
        around_ns: 0.0,
        slower: None,
    }
}

#[test]
fn misses_that_were_counted_on_both_sides_and_lie_apart_are_named() {
    let (thread, process) = (thread(), process());
    let said = |subject: &Events, reference: &Events, metric| {
        let mut evidence = evidence(&thread, &process, DIFFERENT);
        evidence.metric = metric;
        evidence.subject.counted = Some(subject);
        evidence.reference.counted = Some(reference);
        let of_misses = |line: &String| line.contains("data TLB misses");
        why(&evidence).into_iter().find(of_misses)
    };
    let few = tlb_misses(20_000.0, Scope::Everywhere);
    let many = tlb_misses(2_000_000.0, Scope::Everywhere);
    let expected = "20,000 data TLB misses in the steady phase against 2.00 M (100x fewer)";
    assert_eq!(said(&few, &many, Metric::Total).as_deref(), Some(expected));
    assert_eq!(said(&few, &few, Metric::Total), None);
    assert_eq!(
        said(&few, &many, Metric::Create),
        None,
        "they are of the steady phase"
    );
    let of_users = tlb_misses(2_000_000.0, Scope::UserOnly);
    assert_eq!(said(&few, &of_users, Metric::Total), None);
    let mut missing = few.clone();
    missing.events[0].count = Measured::not_available("no such event", "");
    assert_eq!(said(&missing, &many, Metric::Total), None);
}

/// A profile of ranks that say where their time went, in ms.
fn parted(compute: f64, communication: f64, waiting: f64) -> Profile {
    Profile {
        parts: Some([
            ("computing", compute * 1e6),
            ("communication", communication * 1e6),
            ("waiting", waiting * 1e6),
        ]),
        ..process()
    }
}

#[test]
fn what_flows_say_of_their_time_is_shared_out() {
    let (fast, slow) = (parted(10.0, 1.0, 0.0), parted(10.0, 9.0, 2.0));
    let mut of = evidence(&fast, &slow, DIFFERENT);
    of.metric = Metric::Unit;
    assert_eq!(
        why(&of)[0],
        "of 10.0 ms more in a repetition of process, 80 % communication (9.00 ms against 1.00 ms), 20 % waiting \
         (2.00 ms against 0 ns), 0 % computing (10.0 ms against 10.0 ms)"
    );
    assert_eq!(
        caused(&of),
        Some("communication, 80 % [80 … 80 %] of the 10.0 ms gap".to_owned())
    );
    of.verdict = SAME;
    assert_eq!(caused(&of), None);
}

#[test]
fn parts_that_go_against_each_other_are_no_shares() {
    let (fast, slow) = (parted(10.0, 4.0, 0.0), parted(20.0, 1.0, 0.0));
    let mut of = evidence(&fast, &slow, DIFFERENT);
    of.metric = Metric::Steady;
    let said = &why(&of)[0];
    begins(
        said,
        "in a repetition of process, computing takes 20.0 ms against 10.0 ms",
    );
    assert_eq!(
        caused(&of),
        Some("computing, all of the 7.00 ms gap".to_owned())
    );
    let silent = thread();
    let mut of = evidence(&silent, &slow, DIFFERENT);
    of.metric = Metric::Steady;
    assert_eq!(caused(&of), None);
}

/// A command of one thread, in ms.
fn of_command(user: f64, kernel: f64, waiting: f64) -> Profile {
    Profile {
        parts: Some([
            ("CPU time in user mode", user * 1e6),
            ("CPU time in the kernel", kernel * 1e6),
            ("time without a CPU", waiting * 1e6),
        ]),
        ..process()
    }
}

/// Page faults on a busy machine were "time without a CPU, 76 % of the gap".
#[test]
fn waits_for_a_cpu_go_with_the_cpu_time_and_sleep_does_not() {
    let caused = |fast: &Profile, slow: &Profile| caused(&evidence(fast, slow, DIFFERENT));
    let (few, many) = (of_command(10.0, 1.0, 22.0), of_command(10.0, 9.0, 38.0));
    assert_eq!(
        caused(&few, &many).unwrap(),
        "CPU time in the kernel, all of the 24.0 ms gap"
    );
    let sleeps = of_command(10.0, 1.0, 42.0);
    assert_eq!(
        caused(&few, &sleeps).unwrap(),
        "time without a CPU, all of the 20.0 ms gap"
    );
}
