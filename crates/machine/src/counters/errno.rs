use measure::Measured;
use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use super::Event;
use crate::root::Root;

/// What the kernel permits this process in counting events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// `kernel.perf_event_paranoid`: up to 1 own counts with the kernel; 2 user code only.
    pub paranoid: Measured<i64>,
    /// The process has `CAP_PERFMON` or `CAP_SYS_ADMIN` and may count despite `paranoid`.
    pub privileged: bool,
}

const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

impl Permission {
    pub(crate) fn read(root: &Root, privileged: bool) -> Self {
        Self {
            paranoid: root.number(PARANOID),
            privileged,
        }
    }

    fn forbids(&self) -> Option<i64> {
        let level = self.paranoid.value().copied();
        level.filter(|level| !self.privileged && *level > 1)
    }
}

const SYSCTL: &str = "sudo sysctl kernel.perf_event_paranoid=1";
const SANDBOX: &str = "allow perf_event_open in the seccomp profile of the container \
                       (docker: --cap-add PERFMON, or --security-opt seccomp=unconfined)";

/// [`explain`], of an error number as records hold it.
pub fn explain_number<T>(errno: i32, event: Event, permission: &Permission) -> Measured<T> {
    explain(Errno::from_raw(errno), event, permission)
}

/// Why `event` could not be counted, by the error number, and what to do.
pub fn explain<T>(errno: Errno, event: Event, permission: &Permission) -> Measured<T> {
    match errno {
        Errno::ENOENT | Errno::ENODEV | Errno::EOPNOTSUPP => no_such_event(event),
        Errno::EACCES | Errno::EPERM => forbidden(permission),
        Errno::ENOSYS => Measured::not_available(
            "this kernel has no perf_event_open",
            "use a kernel built with CONFIG_PERF_EVENTS, or allow the call in the container",
        ),
        Errno::EINVAL | Errno::E2BIG => Measured::not_available(
            format!("the kernel does not accept the request ({errno}): a bug in flowgauge"),
            "please report it with the output of `flowgauge machine`",
        ),
        Errno::EMFILE | Errno::ENFILE => Measured::not_available(
            "no file descriptor is left to open a counter",
            "ulimit -n 65536, or count fewer events at once",
        ),
        Errno::EBUSY => Measured::not_available(
            "another user has the counters of this processor to itself",
            "end other profilers",
        ),
        Errno::ESRCH => Measured::not_available(
            "a flow had ended before it could be counted",
            "run it again; if flows die, the failed slots say why",
        ),
        other => Measured::not_available(format!("perf_event_open: {other}"), ""),
    }
}

fn no_such_event<T>(event: Event) -> Measured<T> {
    if event.is_hardware() {
        Measured::not_available(
            "this machine has no such event: its processor offers no counter for it",
            "run on the hardware itself, or enable the virtual PMU of the guest",
        )
    } else {
        Measured::not_available("this kernel has no such event", "use a newer kernel")
    }
}

fn forbidden<T>(permission: &Permission) -> Measured<T> {
    match (permission.forbids(), &permission.paranoid) {
        (Some(level), _) => {
            Measured::not_available(format!("kernel.perf_event_paranoid is {level}"), SYSCTL)
        }
        (None, Measured::NotAvailable { .. }) if !permission.privileged => Measured::not_available(
            "counting is forbidden, by kernel.perf_event_paranoid or by a sandbox",
            format!("{SYSCTL}; {SANDBOX}"),
        ),
        _ => Measured::not_available("a sandbox (seccomp) forbids counting", SANDBOX),
    }
}
