//! The one clause that is said to be the cause.

use super::*;
use crate::findings::testing::begins;

/// Flows whose whole work is to be started and ended, as processes and as threads.
fn only_made(model: &str, faults: f64, making_ns: f64) -> Profile {
    let all = Counts {
        flow_faults: Some(faults),
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
        caused(&evidence(&threads, &processes, DIFFERENT)).as_deref(),
        Some("processes get an address space each: 2 page faults against 204")
    );
    let alike = only_made("process", 2.0, 1e6);
    assert_eq!(caused(&evidence(&threads, &alike, DIFFERENT)), None);
    // Where the work itself takes most of the time, it is a cause that making flows is not its part.
    let (threads, processes) = (thread(), dear_process());
    let said = caused(&evidence(&threads, &processes, DIFFERENT)).unwrap();
    assert_eq!(
        said,
        "starting and ending flows, 99 % [98 … 99 %] of the 8.10 ms gap"
    );
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
        caused(&evidence(&early, &late, DIFFERENT)).as_deref(),
        Some(
            "the last flow of processes ends 2.00x as late as the mean one, against 1.10x, all of \
             the 4.00 ms gap"
        )
    );
    let also_late = Profile {
        imbalance: 2.0,
        ..thread()
    };
    assert_eq!(caused(&evidence(&also_late, &late, DIFFERENT)), None);
}

#[test]
fn switches_by_the_kernel_are_the_cause_where_one_side_alone_has_them() {
    let switched = |model: &str, switches: f64| Profile {
        variant: variant(model, 100),
        steady: Counts {
            voluntary_switches: Some(switches),
            involuntary_switches: Some(0.0),
            ..COUNTS
        },
        ..thread()
    };
    let of = |fast: f64| {
        let (subject, reference) = (switched("fiber-packed", fast), switched("process", 5e3));
        caused(&Evidence {
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

/// "85 % of the gap" was said of a share that might as well have been none.
#[test]
fn a_share_that_may_be_none_is_no_cause() {
    let (threads, processes) = (thread(), dear_process());
    let of = evidence(&threads, &processes, DIFFERENT);
    // Half of the rounds say that making them takes as long.
    let other = Profile {
        phases: Phases {
            create_ns: 2e5,
            teardown_ns: 1e5,
            ..processes.phases
        },
        ..processes.clone()
    };
    let round = |place: usize| {
        let process = if place.is_multiple_of(2) {
            &processes
        } else {
            &other
        };
        [threads.clone(), process.clone()]
    };
    assert_eq!(cause(&of, || (0..10).map(round).collect()), None);
    assert_eq!(cause(&of, Vec::new), None);
}

/// Threads were slower, and what sharing makes faster was named.
#[test]
fn an_effect_against_the_difference_is_no_cause() {
    let (threads, processes) = (thread(), process());
    let shared = Shared::of(between::effect(0.5), between::effect(1.0));
    let of = |verdict| {
        caused(&Evidence {
            metric: Metric::Steady,
            shared: Some(&shared),
            ..evidence(&threads, &processes, verdict)
        })
    };
    let said = of(DIFFERENT).unwrap();
    begins(
        &said,
        "sharing the address space alone makes it 2.00x faster [",
    );
    assert_eq!(of(Verdict::Slower { at_least: 0.2 }), None);
}
