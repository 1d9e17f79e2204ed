use std::collections::BTreeSet;

use super::*;
use crate::fixture::{RUNS, Script};

fn permission(paranoid: i64) -> Permission {
    Permission {
        paranoid: Measured::Value(paranoid),
        privileged: false,
    }
}

fn probe_all(paranoid: i64, script: impl FnMut(Event, Scope) -> Result<Sample, Errno>) -> Counters {
    Counters::probe(&mut Script(script), permission(paranoid))
}

/// What `explain` says of an error number.
fn said(errno: Errno, event: Event, permission: &Permission) -> String {
    explain::<Scope>(errno, event, permission).to_string()
}

/// An error number of an event under a setting of `perf_event_paranoid`, with words of the
/// reason and of the remedy.
type Said = (Errno, Event, i64, &'static str, &'static str);

const SAID: &[Said] = {
    use Errno::*;
    &[
        (ENOENT, Event::Cycles, 1, "no counter for it", "virtual PMU"),
        (
            ENODEV,
            Event::DtlbMisses,
            1,
            "no counter for it",
            "virtual PMU",
        ),
        (EOPNOTSUPP, Event::Cycles, 1, "no such event", "virtual PMU"),
        (
            ENOENT,
            Event::Migrations,
            1,
            "this kernel has no such event",
            "newer kernel",
        ),
        (
            EACCES,
            Event::Cycles,
            2,
            "perf_event_paranoid is 2",
            "perf_event_paranoid=1",
        ),
        (
            EPERM,
            Event::TaskClock,
            4,
            "perf_event_paranoid is 4",
            "perf_event_paranoid=1",
        ),
        (EPERM, Event::TaskClock, 1, "seccomp", "--cap-add PERFMON"),
        (EINVAL, Event::Cycles, 1, "bug in flowgauge", "report it"),
        (E2BIG, Event::Cycles, 1, "bug in flowgauge", "report it"),
        (
            ENOSYS,
            Event::Cycles,
            1,
            "no perf_event_open",
            "CONFIG_PERF_EVENTS",
        ),
        (EMFILE, Event::Cycles, 1, "no file descriptor", "ulimit -n"),
        (
            ENFILE,
            Event::Cycles,
            1,
            "no file descriptor",
            "fewer events",
        ),
        (EBUSY, Event::Cycles, 1, "to itself", "profilers"),
        (ESRCH, Event::Cycles, 1, "had ended", "run it again"),
        (EIO, Event::Cycles, 1, "EIO", ""),
    ]
};

#[test]
fn each_error_number_has_its_reason_and_remedy() {
    for &(errno, event, paranoid, reason, remedy) in SAID {
        let said = said(errno, event, &permission(paranoid));
        assert!(
            said.contains(reason) && said.contains(remedy),
            "{errno}: {said}"
        );
    }
}

#[test]
fn a_privileged_process_is_denied_by_a_sandbox_and_not_by_the_setting() {
    let privileged = Permission {
        privileged: true,
        ..permission(4)
    };
    let said = said(Errno::EPERM, Event::TaskClock, &privileged);
    assert!(
        said.contains("seccomp") && !said.contains("sysctl"),
        "{said}"
    );
}

#[test]
fn where_the_setting_cannot_be_read_both_causes_are_named() {
    let unknown = Permission {
        paranoid: Measured::not_available("", ""),
        privileged: false,
    };
    let said = said(Errno::EPERM, Event::TaskClock, &unknown);
    assert!(
        said.contains("sysctl") && said.contains("seccomp"),
        "{said}"
    );
}

#[test]
fn a_guest_without_counters_has_software_events_only() {
    let counters = probe_all(1, |event, _| match event.is_hardware() {
        true => Err(Errno::ENOENT),
        false => Ok(RUNS),
    });
    assert!(!counters.has_hardware());
    assert_eq!(
        counters.scope(Event::ContextSwitches),
        Some(Scope::Everywhere)
    );
    assert_eq!(counters.events.len(), Event::ALL.len());
}

#[test]
fn in_user_code_only_switches_would_be_zero_and_are_not_available() {
    let counters = probe_all(2, |_, scope| match scope {
        Scope::Everywhere => Err(Errno::EACCES),
        Scope::UserOnly => Ok(RUNS),
    });
    assert_eq!(counters.scope(Event::Cycles), Some(Scope::UserOnly));
    assert_eq!(counters.scope(Event::PageFaults), Some(Scope::UserOnly));
    assert_eq!(counters.scope(Event::ContextSwitches), None);
    assert_eq!(counters.scope(Event::Migrations), None);
}

#[test]
fn a_sandbox_denies_every_event() {
    let counters = probe_all(1, |_, _| Err(Errno::EPERM));
    assert!(
        Event::ALL
            .into_iter()
            .all(|event| counters.scope(event).is_none())
    );
}

#[test]
fn a_counter_that_shared_its_hardware_counts() {
    let counters = probe_all(1, |_, _| {
        Ok(Sample {
            running_ns: 30,
            ..RUNS
        })
    });
    assert_eq!(counters.scope(Event::Cycles), Some(Scope::Everywhere));
}

#[test]
fn a_counter_that_never_ran_is_not_a_zero() {
    let counters = probe_all(1, |_, _| {
        Ok(Sample {
            count: 0,
            running_ns: 0,
            ..RUNS
        })
    });
    assert_eq!(counters.scope(Event::ContextSwitches), None);
    assert!(counters.events[0].scope.to_string().contains("never ran"));
}

#[test]
fn a_counter_that_cannot_be_zero_but_is_does_not_count() {
    let counters = probe_all(1, |_, _| Ok(Sample { count: 0, ..RUNS }));
    assert_eq!(counters.scope(Event::Cycles), None);
    assert_eq!(
        counters.scope(Event::Migrations),
        Some(Scope::Everywhere),
        "may well be 0"
    );
}

#[test]
fn the_kernel_answers_for_every_event() {
    let counters = Counters::probe(&mut Perf, permission(2));
    let events: BTreeSet<_> = counters
        .events
        .iter()
        .map(|c| c.event.to_string())
        .collect();
    assert_eq!(events.len(), Event::ALL.len());
    for counter in &counters.events {
        let said = counter.scope.to_string();
        assert!(
            !said.contains("bug in flowgauge"),
            "{}: {said}",
            counter.event
        );
    }
}
