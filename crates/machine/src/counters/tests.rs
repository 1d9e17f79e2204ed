use std::collections::BTreeSet;

use super::*;
use crate::fixture::RUNS;

fn permission(paranoid: i64) -> Permission {
    Permission {
        paranoid: Measured::Value(paranoid),
        privileged: false,
    }
}

fn probe_all(
    paranoid: i64,
    mut script: impl FnMut(Event, Scope) -> Result<Sample, Errno>,
) -> Counters {
    Counters::probe(&mut script, permission(paranoid))
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
        assert!(said.contains(reason), "{errno}: {said}");
        assert!(said.contains(remedy), "{errno}: {said}");
    }
}

#[test]
fn a_privileged_process_is_denied_by_a_sandbox_and_not_by_the_setting() {
    let privileged = Permission {
        privileged: true,
        ..permission(4)
    };
    let said = said(Errno::EPERM, Event::TaskClock, &privileged);
    assert!(said.contains("seccomp"), "{said}");
    assert!(!said.contains("sysctl"), "{said}");
}

#[test]
fn where_the_setting_cannot_be_read_both_causes_are_named() {
    let unknown = Permission {
        paranoid: Measured::not_available("", ""),
        privileged: false,
    };
    let said = said(Errno::EPERM, Event::TaskClock, &unknown);
    assert!(said.contains("sysctl"), "{said}");
    assert!(said.contains("seccomp"), "{said}");
}

#[test]
fn a_guest_without_counters_has_software_events_only() {
    let counters = probe_all(1, |event, _| match event.is_hardware() {
        true => Err(Errno::ENOENT),
        false => Ok(RUNS),
    });
    assert!(!counters.has_hardware());
    let switches = counters.scope(Event::ContextSwitches);
    assert_eq!(switches, Some(Scope::Everywhere));
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
    let mut events = Event::ALL.into_iter();
    assert!(events.all(|event| counters.scope(event).is_none()));
}

#[test]
fn a_counter_that_shared_its_hardware_counts() {
    let running_ns = 30;
    let counters = probe_all(1, |_, _| Ok(Sample { running_ns, ..RUNS }));
    assert_eq!(counters.scope(Event::Cycles), Some(Scope::Everywhere));
}

#[test]
fn a_counter_that_never_ran_is_not_a_zero() {
    let never = Sample {
        count: 0,
        running_ns: 0,
        ..RUNS
    };
    let counters = probe_all(1, |_, _| Ok(never));
    assert_eq!(counters.scope(Event::ContextSwitches), None);
    assert!(counters.events[0].scope.to_string().contains("never ran"));
}

#[test]
fn a_counter_that_cannot_be_zero_but_is_does_not_count() {
    let counters = probe_all(1, |_, _| Ok(Sample { count: 0, ..RUNS }));
    assert_eq!(counters.scope(Event::Cycles), None);
    let migrations = counters.scope(Event::Migrations);
    assert_eq!(migrations, Some(Scope::Everywhere), "may well be 0");
}

#[test]
fn the_kernel_answers_for_every_event() {
    let counters = probe_all(2, perf);
    let mut events = BTreeSet::new();
    for Counter { event, scope } in &counters.events {
        events.insert(event.to_string());
        let said = scope.to_string();
        assert!(!said.contains("bug in flowgauge"), "{event}: {said}");
    }
    assert_eq!(events.len(), Event::ALL.len());
}
