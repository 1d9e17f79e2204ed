//! What one flow used: CPU time, page faults, context switches.
//!
//! # Theory
//!
//! The kernel keeps CPU time twice. `getrusage` reports a sum that is brought
//! up to date at scheduler ticks only: a thread that ran 177 us reads as 0, one
//! that ran 14 ms as a quarter less. A process that has ended has been
//! accounted in full. Comparing threads by `RUSAGE_THREAD` with children by
//! `RUSAGE_CHILDREN` therefore favours threads by a bias that is larger than
//! most real differences. So CPU time comes from `CLOCK_THREAD_CPUTIME_ID`, for
//! every model alike, and only the counts come from `getrusage`.
//!
//! A worker process has one thread, so [`this_thread`] is the right call in
//! every model; the usage of N flows is the sum of what each read of itself.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::clock;

/// What a flow used, either since it began or between two readings.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time, user and kernel together, in nanoseconds.
    pub cpu_ns: u64,
    /// Page faults answered without I/O.
    pub minor_faults: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
    /// Times the flow gave up its CPU: it blocked or waited.
    pub voluntary_switches: u64,
    /// Times its CPU was taken from it: its slice ended, or another went first.
    /// Linux counts `sched_yield` here too.
    pub involuntary_switches: u64,
}

/// What the calling thread has used since it began.
///
/// # Panics
/// When the kernel refuses `getrusage(RUSAGE_THREAD)`, which it has no reason
/// to; invented zeros would be worse.
pub fn this_thread() -> Usage {
    let cpu_ns = clock::thread_cpu_ns();
    let counts = match getrusage(UsageWho::RUSAGE_THREAD) {
        Ok(counts) => counts,
        Err(errno) => panic!("getrusage(RUSAGE_THREAD) failed: {errno}"),
    };
    // The kernel's counts are unsigned; only the C type is not.
    Usage {
        cpu_ns,
        minor_faults: counts.minor_page_faults() as u64,
        major_faults: counts.major_page_faults() as u64,
        voluntary_switches: counts.voluntary_context_switches() as u64,
        involuntary_switches: counts.involuntary_context_switches() as u64,
    }
}

impl Usage {
    /// What was used between `earlier` and `self`, two readings of one thread
    /// in that order.
    #[must_use]
    pub fn since(self, earlier: Usage) -> Usage {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(self, other: Usage, f: impl Fn(u64, u64) -> u64) -> Usage {
        Usage {
            cpu_ns: f(self.cpu_ns, other.cpu_ns),
            minor_faults: f(self.minor_faults, other.minor_faults),
            major_faults: f(self.major_faults, other.major_faults),
            voluntary_switches: f(self.voluntary_switches, other.voluntary_switches),
            involuntary_switches: f(self.involuntary_switches, other.involuntary_switches),
        }
    }
}

impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        self.zip(other, |a, b| a + b)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        *self = *self + other;
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(flows: I) -> Usage {
        flows.fold(Usage::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    const A: Usage = Usage {
        cpu_ns: 100,
        minor_faults: 20,
        major_faults: 3,
        voluntary_switches: 4,
        involuntary_switches: 5,
    };

    #[test]
    fn since_undoes_add() {
        let b = Usage {
            cpu_ns: 7,
            minor_faults: 6,
            ..Usage::default()
        };
        assert_eq!((A + b).since(A), b);
        assert_eq!([A, b].into_iter().sum::<Usage>(), A + b);
    }

    #[test]
    fn touching_pages_is_counted_as_faults() {
        let before = this_thread();
        let pages = 256;
        let mut memory = vec![0u8; pages * 65_536];
        memory.iter_mut().step_by(65_536).for_each(|byte| *byte = 1);
        black_box(&memory);
        // Huge pages may answer many touches by one fault.
        assert!(this_thread().since(before).minor_faults >= 8);
    }

    #[test]
    fn sleeping_is_a_voluntary_switch() {
        let before = this_thread();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(this_thread().since(before).voluntary_switches >= 1);
    }

    #[test]
    fn a_thread_does_not_see_the_work_of_another() {
        let other = std::thread::spawn(|| {
            while clock::thread_cpu_ns() < 20_000_000 {
                std::hint::spin_loop();
            }
            this_thread()
        });
        let other = other.join().unwrap();
        assert!(other.cpu_ns >= 20_000_000);
        let fresh = std::thread::spawn(this_thread).join().unwrap();
        assert!(fresh.cpu_ns < 10_000_000, "{fresh:?}");
    }
}
