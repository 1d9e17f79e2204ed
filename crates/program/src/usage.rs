//! What a tree of processes used: the sum over all that were reaped. The kernel adds what a process used to its parent
//! when the parent waits for it; the orphans of a tree come to its subreaper one by one, so its sum is that of the
//! whole tree. Two things are missing: children of a process that ignores `SIGCHLD`, which the kernel forgets, and
//! processes that still run, which are ended before the sum is taken. A control group ([`flow::cgroup`]) counts the CPU
//! time of both. Without one, and of faults, switches and bytes, such a sum is not available ([`Forgotten`]).
//!
//! That children are missing is seen in two ways: a process ignores `SIGCHLD` (`SigIgn` in `/proc/PID/status`, read of
//! each that this process reaps, and of the others now and then), or the control group counted more CPU time than the
//! sum has. Not seen without one: `SA_NOCLDWAIT`, which no file shows.
//!
//! `ru_maxrss` is no sum but the most that one process of a family had, and not less than what this process had when it
//! made it. Bytes come from `/proc/PID/io` of the process that has ended and was not reaped yet; families are added up.

use std::fs;

use flow::SelfManagedUsage;
use flow::record::Forgotten;
use measure::usage::{ProcessUsage, Usage};

use crate::report::Elsewhere;
use crate::sys::Reaped;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) process: ProcessUsage,
    /// Bytes moved by read and write calls; `None` where one could not be read.
    pub(crate) moved: Option<Moved>,
    pub(crate) reaped: u64,
    pub(crate) forgets: bool,
}

/// CPU time in user mode and in the kernel, in ns.
pub(crate) type CpuTime = [u64; 2];

pub(crate) fn less(all: CpuTime, part: CpuTime) -> CpuTime {
    [
        all[0].saturating_sub(part[0]),
        all[1].saturating_sub(part[1]),
    ]
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

/// CPU time beyond what is known that is no matter of how it is counted.
const FORGOTTEN_NS: u64 = 5_000_000;

impl Used {
    pub(crate) fn of(reaped: &Reaped, moved: Option<Moved>) -> Self {
        Self {
            process: ProcessUsage::of(&reaped.usage),
            moved,
            reaped: 1,
            forgets: false,
        }
    }

    /// Adds what processes said of themselves. Their faults and switches are those of the repetitions.
    pub(crate) fn add_elsewhere(&mut self, other: &Elsewhere) {
        self.process += ProcessUsage {
            user_ns: other.user_ns,
            system_ns: other.system_ns,
            most_rss: other.most_rss,
            ..ProcessUsage::default()
        };
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.process += other.process;
        let first = self.reaped == 0;
        self.moved = match (self.moved, other.moved) {
            (None, moved) if first => moved,
            (Some(own), Some(other)) => Some(Moved {
                read: own.read + other.read,
                written: own.written + other.written,
            }),
            _ => None,
        };
        self.reaped += other.reaped;
        self.forgets |= other.forgets;
    }

    /// Takes the CPU time that a control group has counted, if any. Returns what is missing where children were
    /// forgotten, and leaves out the bytes that nobody knows then.
    pub(crate) fn settle(&mut self, by_cgroup: Option<CpuTime>) -> Option<Forgotten> {
        let known = self.cpu_ns();
        let by_cgroup_ns = by_cgroup.map_or(0, |[user, system]| user + system);
        let is_more = by_cgroup_ns > known + known / 20 + FORGOTTEN_NS;
        if let Some(all) = by_cgroup {
            [self.process.user_ns, self.process.system_ns] = all;
        }
        if !(self.forgets || is_more) {
            return None;
        }
        self.moved = None;
        Some(by_cgroup.map_or(Forgotten::All, |_| Forgotten::Counts))
    }

    pub(crate) fn cpu_time(&self) -> CpuTime {
        [self.process.user_ns, self.process.system_ns]
    }

    pub(crate) fn cpu_ns(&self) -> u64 {
        self.process.user_ns + self.process.system_ns
    }

    pub(crate) fn of_flows(
        &self,
        flows: u32,
        counts: impl IntoIterator<Item = (&'static str, u64)>,
    ) -> SelfManagedUsage {
        let counts = counts.into_iter();
        let counts = counts.map(|(name, count)| (name.to_owned(), count));
        SelfManagedUsage {
            user_ns: self.process.user_ns,
            system_ns: self.process.system_ns,
            made: flows.into(),
            most: flows.into(),
            disk_blocks: self.process.disk_blocks,
            peak_rss: self.process.most_rss,
            counts: counts.collect(),
            ..SelfManagedUsage::default()
        }
    }

    pub(crate) fn counts(&self) -> Usage {
        Usage {
            cpu_ns: self.cpu_ns(),
            ..self.process.flows
        }
    }
}

pub(crate) fn moved(pid: i32) -> Option<Moved> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let of = |key: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().parse().ok()
    };
    Some(Moved {
        read: of("rchar:")?,
        written: of("wchar:")?,
    })
}

/// Whether a process that has not been reaped ignores `SIGCHLD`: the kernel forgets what its children use.
pub(crate) fn forgets_children(pid: i32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    ignores(&text, libc::SIGCHLD)
}

fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that ignored `SIGCHLD` had a sixth of its CPU time: "9.25x slower" was said of equal work.
    #[test]
    fn children_that_nobody_waited_for_are_counted_by_the_group_or_nothing_is_told() {
        let process = ProcessUsage {
            user_ns: 30_000_000,
            system_ns: 10_000_000,
            ..ProcessUsage::default()
        };
        let with = |forgets, by_cgroup| {
            let mut used = Used {
                process,
                moved: Some(Moved::default()),
                forgets,
                ..Used::default()
            };
            let forgotten = used.settle(by_cgroup);
            (used.cpu_time(), forgotten, used.moved.is_some())
        };
        let known = [30_000_000, 10_000_000];
        assert_eq!(with(false, None), (known, None, true));
        assert_eq!(with(true, None), (known, Some(Forgotten::All), false));
        let rounded = [31_000_000, 10_500_000];
        assert_eq!(with(false, Some(rounded)), (rounded, None, true));
        let more = [70_000_000, 20_000_000];
        let counts = Some(Forgotten::Counts);
        assert_eq!(with(false, Some(more)), (more, counts, false));
        assert_eq!(with(true, Some(rounded)), (rounded, counts, false));
    }

    #[test]
    fn a_mask_shows_whether_a_signal_is_ignored() {
        let status = |mask: &str| format!("SigBlk:\t0000000000010000\nSigIgn:\t{mask}\n");
        assert!(ignores(&status("0000000000011000"), libc::SIGCHLD));
        assert!(!ignores(&status("0000000000001000"), libc::SIGCHLD));
        assert!(!ignores("", libc::SIGCHLD));
    }
}
