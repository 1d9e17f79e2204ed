//! What rules say of made-up counts. Real ones, recorded where the cause is known, are in
//! `tests/recorded.rs` of this crate.

mod between;
mod clauses;
mod counted;
mod making;

use flow::{Pages, ParentMemory, Variant};
use measure::Measured;
use measure::counters::{Event, Scope};
use measure::memory::Memory;
use stats::{Rule, Verdict};

use super::*;
use crate::findings::Phases;
use crate::findings::counted::{EventMedians, EventSummary, Events};
use crate::findings::counts::Counts;
use crate::findings::profile::Profile;
use crate::findings::shared::{Effect, Shared};

const DIFFERENT: Verdict = Verdict::Faster { at_least: 0.2 };
const SAME: Verdict = Verdict::Same { within: 0.01 };
const MIB: u64 = 1 << 20;

fn variant(model: &str, flows: u32) -> Variant {
    Variant::new(model.parse().unwrap(), flows)
}

const COUNTS: Counts = Counts {
    cpu_ns: Some(9e6),
    parent_faults: 100.0,
    flow_faults: Some(50.0),
    voluntary_switches: Some(12.0),
    involuntary_switches: Some(3.0),
    migrations: Some(2.0),
    bytes_read: Some(1e3),
    bytes_written: Some(1e3),
    storage_read: None,
    storage_written: None,
};

const MEMORY: Memory = Memory {
    pss: 10 * MIB,
    page_tables: 50_000,
    kernel_stacks: 0,
    rss: 2 * MIB,
    processes: 1,
    tasks: 5,
    peak_rss: None,
    slab: None,
    sharing: measure::memory::Sharing::Everyone,
    heap: None,
    first_rss: None,
};

/// A profile of threads that find primes.
fn thread() -> Profile {
    Profile {
        variant: variant("thread", 2),
        phases: Phases {
            create_ns: 200e3,
            steady_ns: 5e6,
            teardown_ns: 100e3,
        },
        create: COUNTS,
        steady: COUNTS,
        all: COUNTS,
        parent_end_ns: 5e6,
        imbalance: 1.1,
        memory: Some(MEMORY),
        made: 2.0,
        overlap: false,
        parts: None,
    }
}

/// The same as processes.
fn process() -> Profile {
    Profile {
        variant: variant("process", 2),
        ..thread()
    }
}

/// Two processes that each took 2.5 ms to fork, and 1.5 ms to end.
fn dear_process() -> Profile {
    Profile {
        phases: Phases {
            create_ns: 5.2e6,
            steady_ns: 5.1e6,
            teardown_ns: 3.1e6,
        },
        ..process()
    }
}

fn evidence<'a>(thread: &'a Profile, process: &'a Profile, verdict: Verdict) -> Evidence<'a> {
    let [subject, reference] =
        [("thread", thread), ("process", process)].map(|(label, profile)| Side {
            label,
            profile,
            typical_ns: None,
            counted: None,
        });
    Evidence {
        subject,
        reference,
        metric: Metric::Total,
        verdict,
        steady: None,
        shared: None,
        page: 4096.0,
    }
}

/// The cause, where every round is as the whole.
fn caused(evidence: &Evidence<'_>) -> Option<String> {
    let sides = [evidence.subject, evidence.reference].map(|side| side.profile.clone());
    cause(evidence, || vec![sides; 7]).map(|(text, _)| text)
}

fn reasons_for(thread: &Profile, process: &Profile, verdict: Verdict) -> Vec<String> {
    why(&evidence(thread, process, verdict))
}

fn reasons(process: &Profile, verdict: Verdict) -> Vec<String> {
    reasons_for(&thread(), process, verdict)
}

#[test]
fn nothing_is_said_of_equal_counts() {
    assert_eq!(reasons(&process(), SAME), Vec::<String>::new());
}

#[test]
fn phases_are_shares_of_the_difference() {
    let mut process = process();
    process.phases = Phases {
        create_ns: 900e3,
        steady_ns: 5.1e6,
        teardown_ns: 300e3,
    };
    assert_eq!(
        reasons(&process, DIFFERENT),
        [
            "of the difference of 1.00 ms, 90 % is create and tear-down (700 µs and 200 µs) \
          and 10 % the steady phase"
        ]
    );
    process.phases.steady_ns = 4.5e6;
    assert_eq!(
        reasons(&process, DIFFERENT),
        ["create and tear-down take 900 µs less, the steady phase 500 µs more"]
    );
    process.overlap = true;
    assert_eq!(
        reasons(&process, DIFFERENT),
        Vec::<String>::new(),
        "flows that are made while others work have no steady phase"
    );
    process.overlap = false;
    let undecided = Verdict::CannotTell { more_rounds: None };
    assert_eq!(reasons(&process, undecided), Vec::<String>::new());
}

#[test]
fn faults_tell_the_parents_part() {
    let mut process = process();
    (process.all.parent_faults, process.all.flow_faults) = (2100.0, Some(3600.0));
    assert_eq!(
        reasons(&process, SAME),
        [
            "150 page faults against 5,700 (38x fewer) (2,100 of processes are the \
          parent's)"
        ]
    );
}

#[test]
fn counts_speak_when_far_apart_the_farthest_first() {
    let mut process = process();
    process.memory = Some(Memory {
        page_tables: 250_000,
        ..MEMORY
    });
    process.all.voluntary_switches = Some(97.0);
    process.all.cpu_ns = Some(18e6);
    process.all.migrations = Some(10.0);
    assert_eq!(
        reasons(&process, SAME),
        [
            "48.8 KiB of page tables against 244 KiB (5.00x less)",
            "15 context switches against 100 (6.67x fewer); involuntary 3 against 3",
            "2 moves from one CPU to another against 10 (5.00x fewer)",
            "9.00 ms of CPU time against 18.0 ms (2.00x less)",
        ]
    );
}

#[test]
fn one_move_is_not_said_to_be_moves() {
    let mut threads = thread();
    threads.all.migrations = Some(1.0);
    let mut processes = process();
    processes.all.migrations = Some(10.0);
    let said = reasons_for(&threads, &processes, SAME);
    let one = "1 move from one CPU to another against 10 ";
    assert!(said.iter().any(|text| text.starts_with(one)), "{said:?}");
}

#[test]
fn a_handful_explains_nothing() {
    let mut process = process();
    process.all.voluntary_switches = Some(30.0);
    process.all.migrations = Some(6.0);
    process.memory = None;
    assert_eq!(reasons(&process, SAME), Vec::<String>::new());
}

#[test]
fn what_was_not_counted_is_no_reason_and_no_zero() {
    let mut process = process();
    process.all.migrations = None;
    process.all.bytes_read = None;
    let mut thread = thread();
    thread.all.migrations = Some(1e6);
    thread.all.bytes_read = Some(1e9);
    assert_eq!(reasons_for(&thread, &process, SAME), Vec::<String>::new());
}

#[test]
fn bytes_of_calls_and_of_storage_are_apart() {
    let mut process = process();
    process.all.bytes_written = Some(8e6);
    (process.all.storage_read, process.all.storage_written) = (Some(0.0), Some(4e6));
    let mut thread = thread();
    (thread.all.storage_read, thread.all.storage_written) = (Some(0.0), Some(0.0));
    let said = reasons_for(&thread, &process, SAME);
    assert_eq!(
        said,
        [
            "1.95 KiB read and written by system calls against 7.63 MiB (4,001x less)",
            "0 B of storage read and written against 3.81 MiB",
        ]
    );
}
