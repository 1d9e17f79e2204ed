//! What rules say of made-up counts. Real ones, recorded where the cause is known, are in
//! `tests/recorded.rs` of this crate.

use flow::{Pages, ParentMemory, Variant};
use measure::Measured;
use measure::counters::{Event, Scope};
use measure::memory::Memory;
use stats::{Estimate, Rule, Verdict};

use super::*;
use crate::Phases;
use crate::results::counted::{EventMedians, EventSummary, Events};
use crate::results::counts::Counts;
use crate::results::profile::Profile;
use crate::results::shared::{Effect, Shared};

const DIFFERENT: Verdict = Verdict::Faster { at_least: 0.2 };
const SAME: Verdict = Verdict::Same { within: 0.01 };
const MIB: u64 = 1 << 20;

fn variant(model: &str, flows: u32) -> Variant {
    Variant::new(model.parse().unwrap(), flows)
}

const COUNTS: Counts = Counts {
    cpu_ns: 9e6,
    parent_faults: 100.0,
    flow_faults: 50.0,
    voluntary_switches: 12.0,
    involuntary_switches: 3.0,
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
    Evidence {
        subject: Side {
            label: "thread",
            profile: thread,
            typical_ns: None,
            counted: None,
        },
        reference: Side {
            label: "process",
            profile: process,
            typical_ns: None,
            counted: None,
        },
        metric: Metric::Total,
        verdict,
        steady: None,
        shared: None,
        page: 4096.0,
    }
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
    (process.all.parent_faults, process.all.flow_faults) = (2100.0, 3600.0);
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
    process.all.voluntary_switches = 97.0;
    process.all.cpu_ns = 18e6;
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
    process.all.voluntary_switches = 30.0;
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

#[test]
fn a_last_flow_that_works_on_alone_is_named() {
    let mut process = process();
    process.imbalance = 1.42;
    assert_eq!(
        reasons(&process, SAME),
        ["the last flow ends 1.10x as late as the mean one, against 1.42x"]
    );
}

/// Tables for 64 MiB in each of three processes, all of it mapped.
fn copied() -> Memory {
    Memory {
        page_tables: 3 * 16_384 * 8,
        rss: 3 * 64 * MIB,
        processes: 3,
        ..MEMORY
    }
}

/// What one process has of the same.
fn not_copied() -> Memory {
    Memory {
        page_tables: 16_384 * 8,
        rss: 64 * MIB,
        ..MEMORY
    }
}

#[test]
fn entries_that_forks_copied_are_named_where_they_explain_the_time() {
    let mut process = dear_process();
    process.memory = Some(copied());
    let mut thread = thread();
    thread.memory = Some(not_copied());
    let said = reasons_for(&thread, &process, DIFFERENT);
    assert_eq!(
        said[1],
        "fork copied 32,768 page-table entries more for processes (384 KiB of page tables in \
         3 processes against 128 KiB in 1 process): 244 ns of create and tear-down each"
    );
    assert!(
        !said.iter().any(|line| line.contains("(3.00x less)")),
        "{said:?}"
    );
    // A thousandth of the time cannot be that of this many entries.
    process.phases.create_ns = 205e3;
    process.phases.teardown_ns = 103e3;
    process.phases.steady_ns = 5e6;
    let said = reasons_for(&thread, &process, DIFFERENT);
    assert!(
        !said.iter().any(|line| line.contains("fork copied")),
        "{said:?}"
    );
}

#[test]
fn small_parents_and_huge_pages_have_few_entries_to_copy() {
    let mut process = dear_process();
    // Each child has tables of its own, but hardly anything is mapped in them.
    process.memory = Some(Memory {
        rss: 6 * MIB,
        ..copied()
    });
    let silent = |thread: &Profile, process: &Profile| {
        let said = reasons_for(thread, process, DIFFERENT);
        assert!(
            !said.iter().any(|line| line.contains("fork copied")),
            "{said:?}"
        );
    };
    silent(&thread(), &process);
    process.memory = Some(copied());
    process.variant.parent_memory = Some(ParentMemory {
        bytes: 64 * MIB,
        pages: Pages::Huge,
    });
    let mut thread = thread();
    thread.memory = Some(not_copied());
    silent(&thread, &process);
}

#[test]
fn a_flow_for_each_item_is_named_where_making_them_takes_the_time() {
    let mut each = dear_process();
    each.variant = variant("process", 200);
    each.made = 200.0;
    let said = reasons(&each, DIFFERENT);
    assert_eq!(
        said[1],
        "200 flows are made and ended for processes against 2 for threads: 40.4 µs of create \
         and tear-down for each of the others"
    );
}

/// "4 flows made by processes, not 1" was said of 4 flows on both sides.
#[test]
fn of_user_level_flows_those_of_the_kernel_are_counted_and_called_so() {
    let mut process = dear_process();
    process.variant = variant("process", 4);
    process.made = 4.0;
    let mut migratable = thread();
    migratable.variant = variant("migratable", 4);
    migratable.made = 1.0;
    let said = reasons_for(&migratable, &process, DIFFERENT);
    let made = "4 flows of the kernel are made and ended for processes against 1 for ";
    assert!(said.iter().any(|one| one.starts_with(made)), "{said:?}");
}

/// An effect that takes this many times as long, known to 5 %.
fn effect(ratio: f64) -> Effect {
    let estimate = Estimate {
        rounds: 20,
        ratio,
        low: Some(ratio / 1.05),
        high: Some(ratio * 1.05),
        alpha: 0.008,
    };
    let verdict = Rule::default().judge(&estimate);
    Effect { estimate, verdict }
}

/// The reasons where sharing the address space and the file table does that.
fn factorial(
    (space, files): (f64, f64),
    thread: &Profile,
    process: &Profile,
    verdict: Verdict,
) -> Vec<String> {
    why(&Evidence {
        metric: Metric::Steady,
        shared: Some(&Shared::of(effect(space), effect(files))),
        ..evidence(thread, process, verdict)
    })
}

#[test]
fn the_models_between_tell_which_shared_thing_it_is() {
    let said = factorial((0.5, 0.9), &thread(), &process(), DIFFERENT);
    assert_eq!(
        said,
        [
            "by the models between, sharing the address space makes it 2.00x faster [1.90x … \
          2.10x], and sharing the file table makes it 1.11x faster [1.05x … 1.17x]; that is \
          87 % and 13 % of the difference"
        ]
    );
    let silent = factorial((0.5, 0.9), &thread(), &process(), SAME);
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn what_noise_may_make_is_no_effect_and_what_hides_another_has_no_share() {
    let said = factorial((0.5, 1.0), &thread(), &process(), DIFFERENT);
    assert!(
        said[0].contains("table makes a difference too close to call ("),
        "{said:?}"
    );
    assert!(!said[0].contains("of the difference"), "{said:?}");
    let said = factorial((0.5, 1.5), &thread(), &process(), DIFFERENT);
    assert!(
        said[0].contains("the file table makes it 1.50x slower ["),
        "{said:?}"
    );
    assert!(!said[0].contains("of the difference"), "{said:?}");
}

#[test]
fn flows_wait_for_each_other_only_where_both_counts_say_so() {
    let slower = Verdict::Slower { at_least: 0.8 };
    let mut waiting = thread();
    waiting.steady.voluntary_switches = 5_000.0;
    let said = factorial((2.0, 1.0), &waiting, &process(), slower);
    assert!(
        said.contains(
            &"threads wait for each other at the address space that they share: 5,000 times in \
              the steady phase against 12"
                .to_owned()
        ),
        "{said:?}"
    );
    let waits = |said: Vec<String>| said.iter().any(|line| line.contains("wait for each other"));
    // Some of each, no waiting, or the faster side waiting: nobody knows where.
    assert!(!waits(factorial((1.4, 1.4), &waiting, &process(), slower)));
    assert!(!waits(factorial((2.0, 1.0), &thread(), &process(), slower)));
    assert!(!waits(factorial(
        (0.5, 1.0),
        &waiting,
        &process(),
        DIFFERENT
    )));
}

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
        parts: Some(crate::results::profile::Parts {
            compute_ns: compute * 1e6,
            communication_ns: communication * 1e6,
            waiting_ns: waiting * 1e6,
        }),
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
        cause(&of),
        Some("80 % of the gap is communication".to_owned())
    );
    of.verdict = SAME;
    assert_eq!(cause(&of), None);
}

#[test]
fn parts_that_go_against_each_other_are_no_shares() {
    let (fast, slow) = (parted(10.0, 4.0, 0.0), parted(20.0, 1.0, 0.0));
    let mut of = evidence(&fast, &slow, DIFFERENT);
    of.metric = Metric::Steady;
    let said = &why(&of)[0];
    assert!(
        said.starts_with("in a repetition of process, computing takes 20.0 ms against 10.0 ms"),
        "{said}"
    );
    assert_eq!(cause(&of), Some("all of the gap is computing".to_owned()));
    let silent = thread();
    let mut of = evidence(&silent, &slow, DIFFERENT);
    of.metric = Metric::Steady;
    assert_eq!(cause(&of), None);
}

/// Flows whose whole work is to be started and ended, as processes and as threads.
fn only_made(model: &str, faults: f64, making_ns: f64) -> Profile {
    let all = Counts {
        flow_faults: faults,
        parent_faults: 0.0,
        ..COUNTS
    };
    Profile {
        variant: variant(model, 4),
        phases: Phases {
            create_ns: making_ns,
            steady_ns: making_ns / 100.0,
            teardown_ns: 0.0,
        },
        all,
        ..thread()
    }
}

/// "94 % of the gap is starting and ending flows", of a study that measures nothing else.
#[test]
fn what_was_measured_is_no_cause_of_itself_and_its_counts_are() {
    let (threads, processes) = (
        only_made("thread", 2.0, 1e5),
        only_made("process", 204.0, 1e6),
    );
    assert_eq!(
        cause(&evidence(&threads, &processes, DIFFERENT)).as_deref(),
        Some("processes get an address space each: 2 page faults against 204")
    );
    let alike = only_made("process", 2.0, 1e6);
    assert_eq!(cause(&evidence(&threads, &alike, DIFFERENT)), None);
    // Where the work itself takes most of the time, it is a cause that making flows is not its part.
    let (threads, processes) = (thread(), dear_process());
    let said = cause(&evidence(&threads, &processes, DIFFERENT)).unwrap();
    assert!(said.ends_with("is starting and ending flows"), "{said}");
}

#[test]
fn a_last_flow_is_the_cause_where_it_takes_most_of_the_difference() {
    let late = Profile {
        imbalance: 2.0,
        phases: Phases {
            steady_ns: 9e6,
            ..thread().phases
        },
        ..process()
    };
    let early = Profile {
        imbalance: 1.1,
        ..thread()
    };
    assert_eq!(
        cause(&evidence(&early, &late, DIFFERENT)).as_deref(),
        Some("the last flow of processes ends 2.00x as late as the mean one, against 1.10x")
    );
    let also_late = Profile {
        imbalance: 2.0,
        ..thread()
    };
    assert_eq!(cause(&evidence(&also_late, &late, DIFFERENT)), None);
}

#[test]
fn switches_by_the_kernel_are_the_cause_where_one_side_alone_has_them() {
    let switched = |model: &str, switches: f64| Profile {
        variant: variant(model, 100),
        steady: Counts {
            voluntary_switches: switches,
            involuntary_switches: 0.0,
            ..COUNTS
        },
        ..thread()
    };
    let of = |fast: f64| {
        let (subject, reference) = (switched("fiber-packed", fast), switched("process", 5e3));
        cause(&Evidence {
            metric: Metric::Switch,
            ..evidence(&subject, &reference, DIFFERENT)
        })
    };
    assert_eq!(
        of(3.0).as_deref(),
        Some("the kernel makes each switch of processes (5,000), and hardly any of threads (3)")
    );
    assert_eq!(of(4e3), None);
}
