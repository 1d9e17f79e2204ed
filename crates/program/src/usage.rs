//! What a tree of processes used: the sum over all that were reaped.
//!
//! The kernel adds what a process used to its parent when the parent waits for it, and gives the
//! sum to the process that waits for the parent. The orphans of a tree come to its subreaper one by one. So
//! the sum over all that the subreaper reaps is that of the whole tree. Two things are missing from
//! it: children of a process that ignores `SIGCHLD`, which the kernel forgets, and processes that
//! still run, which are ended before the sum is taken. The CPU time of the former is known where
//! there is a control group ([`flow::cgroup`]); their faults and switches are not.
//!
//! `ru_maxrss` is no sum but the most that one process of a family had, and it cannot be less than
//! what this process had when it made it (a child begins in the memory of its parent). Bytes come
//! from `/proc/PID/io` of the process that has ended and was not reaped yet; the kernel adds up
//! families there as well.

use std::fs;

use measure::usage::{ProcessUsage, Usage};

use crate::report::Elsewhere;
use crate::sys::Reaped;

/// A sum over processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) process: ProcessUsage,
    /// Bytes moved by read and write calls; `None` where one could not be read.
    pub(crate) moved: Option<Moved>,
    /// Processes that the subreaper inherited.
    pub(crate) reaped: u64,
}

/// Bytes that calls moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

/// CPU time beyond what is known that is no matter of how it is counted.
const FORGOTTEN_NS: u64 = 5_000_000;

impl Used {
    /// What came of one process and all that it has waited for.
    pub(crate) fn of(reaped: &Reaped, moved: Option<Moved>) -> Self {
        Self {
            process: ProcessUsage::of(&reaped.usage),
            moved,
            reaped: 1,
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
    }

    /// Takes the CPU time that a control group has counted, where processes used more than those
    /// that were waited for: children of a process that ignores `SIGCHLD`, for one. Kernels count
    /// the two in different ways, so that a little more says nothing.
    pub(crate) fn take_forgotten(&mut self, by_cgroup_ns: u64) {
        let known = self.cpu_ns();
        if by_cgroup_ns <= known + known / 20 + FORGOTTEN_NS {
            return;
        }
        let process = &mut self.process;
        process.user_ns = match known {
            0 => by_cgroup_ns,
            known => (by_cgroup_ns as f64 * process.user_ns as f64 / known as f64) as u64,
        };
        process.system_ns = by_cgroup_ns.saturating_sub(process.user_ns);
    }

    pub(crate) fn cpu_ns(&self) -> u64 {
        self.process.user_ns + self.process.system_ns
    }

    /// As every flow tells what it used.
    pub(crate) fn counts(&self) -> Usage {
        Usage {
            cpu_ns: self.cpu_ns(),
            ..self.process.flows
        }
    }
}

/// Bytes that a process which has ended, and all that it had waited for, moved.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_nobody_waited_for_is_taken_and_rounding_is_not() {
        let process = ProcessUsage {
            user_ns: 30_000_000,
            system_ns: 10_000_000,
            ..ProcessUsage::default()
        };
        let with = |by_cgroup_ns| {
            let mut used = Used {
                process,
                ..Used::default()
            };
            used.take_forgotten(by_cgroup_ns);
            (used.process.user_ns, used.process.system_ns)
        };
        assert_eq!(with(44_000_000), (30_000_000, 10_000_000));
        assert_eq!(with(80_000_000), (60_000_000, 20_000_000));
    }
}
