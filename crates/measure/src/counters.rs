//! Counters of events, opened for one thread. Where more are asked for than fit, the kernel lets
//! counters take turns, and tells of each how long it was wanted and ran while the thread had a CPU
//! ([`Sample`]). It would have counted `count * enabled / running` ([`Sample::scaled`]); one that
//! never ran is no zero. A [`Source`] opens counters: the [`Kernel`], or a script in a test. Errors
//! are error numbers; crate `machine` puts them into words. Counters are in no groups, as one that
//! does not fit never runs, and do not count what the thread makes (`inherit`).

mod event;
mod kernel;

use std::fmt;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

pub use event::{Event, EventError, Events};
pub use kernel::Kernel;

/// Where an event is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In user code and in the kernel on its behalf.
    Everywhere,
    /// In user code only.
    UserOnly,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Everywhere => "can be counted",
            Scope::UserOnly => "can be counted in user code only",
        })
    }
}

/// One reading of a counter. As JSON it is an array of the three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct Sample {
    /// Events counted.
    pub count: u64,
    /// Nanoseconds that the counter was wanted.
    pub enabled_ns: u64,
    /// Nanoseconds that it did run; fewer when it shares hardware with others.
    pub running_ns: u64,
}

impl Sample {
    /// Estimated events of all the time wanted; `None` if it never ran.
    #[must_use]
    pub fn scaled(self) -> Option<f64> {
        let share = self.ran()?;
        Some(self.count as f64 / share)
    }

    /// Share of the time for which it ran, above 0 and up to 1; `None` if it never did.
    #[must_use]
    pub fn ran(self) -> Option<f64> {
        let (running, enabled) = (self.running_ns, self.enabled_ns);
        (running > 0).then(|| (running as f64 / enabled.max(running) as f64).min(1.0))
    }
}

impl std::iter::Sum for Sample {
    fn sum<I: Iterator<Item = Self>>(samples: I) -> Self {
        samples.fold(Self::default(), |sum, one| Self {
            count: sum.count.saturating_add(one.count),
            enabled_ns: sum.enabled_ns.saturating_add(one.enabled_ns),
            running_ns: sum.running_ns.saturating_add(one.running_ns),
        })
    }
}

impl From<(u64, u64, u64)> for Sample {
    fn from((count, enabled_ns, running_ns): (u64, u64, u64)) -> Self {
        Self {
            count,
            enabled_ns,
            running_ns,
        }
    }
}

impl From<Sample> for (u64, u64, u64) {
    fn from(sample: Sample) -> Self {
        (sample.count, sample.enabled_ns, sample.running_ns)
    }
}

/// Whose events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of the calling thread.
    Own,
    /// Those of the thread with this id.
    Thread(i32),
}

/// Something that opens counters: the kernel, or a script in a test.
pub trait Source {
    /// What it opens.
    type Counter: Counter;

    /// A counter that does not count yet.
    fn open(&mut self, event: Event, scope: Scope, whose: Whose) -> Result<Self::Counter, Errno>;
}

/// An open counter; dropping it closes it.
pub trait Counter {
    /// Counts from now on.
    fn begin(&mut self) -> Result<(), Errno>;

    /// Counts no more.
    fn end(&mut self) -> Result<(), Errno>;

    /// What it has counted.
    fn sample(&mut self) -> Result<Sample, Errno>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(count: u64, enabled_ns: u64, running_ns: u64) -> Sample {
        Sample {
            count,
            enabled_ns,
            running_ns,
        }
    }

    #[test]
    fn part_of_the_time_is_scaled_to_all_of_it() {
        let third = sample(100, 300, 100);
        assert_eq!(third.ran(), Some(1.0 / 3.0));
        assert!((third.scaled().unwrap() - 300.0).abs() < 1e-9);
        let whole = sample(u64::MAX, 7, 7);
        assert_eq!(whole.scaled(), Some(u64::MAX as f64));
        assert_eq!(sample(0, 300, 100).scaled(), Some(0.0));
    }

    #[test]
    fn one_that_never_ran_has_counted_nothing_and_no_zero() {
        for never in [sample(0, 300, 0), sample(9, 300, 0), sample(0, 0, 0)] {
            assert_eq!((never.scaled(), never.ran()), (None, None));
        }
    }

    #[test]
    fn one_that_ran_longer_than_it_was_wanted_ran_all_of_the_time() {
        assert_eq!(sample(5, 100, 101).scaled(), Some(5.0));
    }

    #[test]
    fn sums_are_of_counts_and_times() {
        let sum: Sample = [sample(1, 10, 5), sample(2, 20, 10)].into_iter().sum();
        assert_eq!(sum, sample(3, 30, 15));
        assert_eq!(sum.scaled(), Some(6.0));
        let full = [sample(u64::MAX, 1, 1), sample(1, 1, 1)];
        assert_eq!(full.into_iter().sum::<Sample>().count, u64::MAX);
    }

    #[test]
    fn in_the_journal_it_is_three_numbers() {
        let text = serde_json::to_string(&sample(1, 2, 3)).unwrap();
        assert_eq!(text, "[1,2,3]");
        let read = serde_json::from_str::<Sample>(&text).unwrap();
        assert_eq!(read, sample(1, 2, 3));
    }

    /// Where nothing may be counted, the error says so; where it may, counters only grow.
    #[test]
    fn the_kernel_counts_the_calling_thread_or_says_why_not() {
        for event in Event::ALL {
            let opened = Kernel.open(event, Scope::Everywhere, Whose::Own);
            let opened = opened.or_else(|_| Kernel.open(event, Scope::UserOnly, Whose::Own));
            let Ok(mut counter) = opened else {
                continue;
            };
            counter.begin().unwrap();
            let first = counter.sample().unwrap();
            let second = counter.sample().unwrap();
            assert!(second.count >= first.count, "{event}");
            assert!(second.enabled_ns >= first.enabled_ns, "{event}");
            counter.end().unwrap();
        }
    }

    #[test]
    fn a_thread_that_is_not_there_cannot_be_counted() {
        let nobody = Whose::Thread(i32::MAX);
        let refused = Kernel.open(Event::PageFaults, Scope::UserOnly, nobody);
        assert!(refused.is_err());
    }
}
