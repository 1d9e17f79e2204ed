//! What this process and those that it reaped have used.

use measure::clock;
use nix::sys::resource::{Usage as Counts, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};

use crate::report::Usage;

/// A reading; the difference of two is what was used between them.
///
/// CPU time of this process comes from its clock, which is exact; the kernel's sums of user
/// and system time, which lag behind for a process that runs, only tell how to split it.
/// Sums over processes that have ended are exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    own_cpu_ns: u64,
    own: Usage,
    reaped: Usage,
}

impl Reading {
    pub(crate) fn now() -> Reading {
        Reading {
            own_cpu_ns: clock::process_cpu_ns(),
            own: of(UsageWho::RUSAGE_SELF),
            reaped: of(UsageWho::RUSAGE_CHILDREN),
        }
    }

    pub(crate) fn since(&self, earlier: &Reading) -> Usage {
        let mut own = zip(self.own, earlier.own, u64::saturating_sub);
        own.cpu_ns = self.own_cpu_ns - earlier.own_cpu_ns;
        let told_ns = own.user_ns + own.system_ns;
        let user_share = own.user_ns as f64 / told_ns.max(1) as f64;
        own.user_ns = (own.cpu_ns as f64 * user_share) as u64;
        own.system_ns = own.cpu_ns - own.user_ns;
        let reaped = zip(self.reaped, earlier.reaped, u64::saturating_sub);
        zip(own, reaped, |own, reaped| own + reaped)
    }
}

fn of(who: UsageWho) -> Usage {
    // It has no reason to fail; zeros then cancel out in the difference of two readings.
    getrusage(who).map_or_else(|_| Usage::default(), told)
}

/// The kernel's counts are unsigned; only the C type is not.
fn told(counts: Counts) -> Usage {
    let ns = |time: TimeVal| time.num_microseconds() as u64 * 1_000;
    let (user_ns, system_ns) = (ns(counts.user_time()), ns(counts.system_time()));
    Usage {
        cpu_ns: user_ns + system_ns,
        user_ns,
        system_ns,
        minor_faults: counts.minor_page_faults() as u64,
        major_faults: counts.major_page_faults() as u64,
        voluntary_switches: counts.voluntary_context_switches() as u64,
        involuntary_switches: counts.involuntary_context_switches() as u64,
        disk_blocks: counts.block_reads() as u64,
    }
}

fn zip(a: Usage, b: Usage, f: impl Fn(u64, u64) -> u64) -> Usage {
    Usage {
        cpu_ns: f(a.cpu_ns, b.cpu_ns),
        user_ns: f(a.user_ns, b.user_ns),
        system_ns: f(a.system_ns, b.system_ns),
        minor_faults: f(a.minor_faults, b.minor_faults),
        major_faults: f(a.major_faults, b.major_faults),
        voluntary_switches: f(a.voluntary_switches, b.voluntary_switches),
        involuntary_switches: f(a.involuntary_switches, b.involuntary_switches),
        disk_blocks: f(a.disk_blocks, b.disk_blocks),
    }
}
