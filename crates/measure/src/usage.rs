//! What one flow used: CPU time, page faults, context switches. `getrusage` brings CPU time up to
//! date at scheduler ticks only: a thread that ran 177 us reads as 0, an ended process is accounted
//! in full, which favours threads by more than most real differences. So CPU time comes from
//! `CLOCK_THREAD_CPUTIME_ID` for every model, and only counts from `getrusage`. A worker process
//! has one thread: [`this_thread`] is right in every model.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use nix::errno::Errno;
use nix::libc::{c_long, rusage, timeval};
use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::{clock, give_up};

/// Makes [`Usage`] and [`Counter`]; a row is a field, its id, and its value in the `rusage`.
macro_rules! counters {
    ($($(#[$doc:meta])* $field:ident, $id:ident, $read:expr;)+) => {
        /// What a flow used, either since it began or between two readings.
        #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Usage {
            $($(#[$doc])* pub $field: u64,)+
        }

        /// One of the fields of [`Usage`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Counter {
            $($(#[$doc])* $id,)+
        }

        impl Counter {
            /// All of them, in the order of [`Usage::words`].
            pub const ALL: [Self; Usage::WORDS] = [$(Self::$id),+];

            /// Its name in journals and tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => stringify!($field),)+
                }
            }
        }

        impl Usage {
            /// How many words [`words`](Self::words) are.
            pub const WORDS: usize = [$(Counter::$id),+].len();

            /// The counts as words, to travel between processes.
            #[must_use]
            pub fn words(self) -> [u64; Self::WORDS] {
                [$(self.$field),+]
            }

            /// The counts that travelled as words.
            #[must_use]
            pub fn of_words([$($field),+]: [u64; Self::WORDS]) -> Self {
                Self { $($field),+ }
            }

            fn of_rusage(kernel: &rusage) -> Self {
                let of = |read: fn(&rusage) -> u64| read(kernel);
                Self { $($field: of($read)),+ }
            }
        }
    };
}

counters! {
    /// CPU time, user and kernel together, in nanoseconds.
    cpu_ns, Cpu, |kernel| ns(kernel.ru_utime) + ns(kernel.ru_stime);
    /// Page faults answered without I/O.
    minor_faults, MinorFaults, |kernel| unsigned(kernel.ru_minflt);
    /// Page faults that had to read from a disk.
    major_faults, MajorFaults, |kernel| unsigned(kernel.ru_majflt);
    /// Times the flow gave up its CPU: it blocked or waited.
    voluntary_switches, VoluntarySwitches, |kernel| unsigned(kernel.ru_nvcsw);
    /// Preemptions: the slice ended or another task went first; on Linux also `sched_yield`.
    involuntary_switches, InvoluntarySwitches, |kernel| unsigned(kernel.ru_nivcsw);
}

/// The kernel's counts are unsigned; only the C type is not.
fn unsigned(count: c_long) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

fn ns(time: timeval) -> u64 {
    1_000_000_000 * unsigned(time.tv_sec) + 1_000 * unsigned(time.tv_usec)
}

/// Of the calling thread since it began. Panics where `getrusage(RUSAGE_THREAD)` is refused.
pub fn this_thread() -> Usage {
    let cpu_ns = clock::thread_cpu_ns();
    match getrusage(UsageWho::RUSAGE_THREAD) {
        Ok(kernel) => Usage {
            cpu_ns,
            ..Usage::of_rusage(kernel.as_ref())
        },
        Err(errno) => give_up(format_args!(
            "getrusage, which counts what a flow uses, is refused: {errno}; allow it in the sandbox"
        )),
    }
}

impl Usage {
    /// Usage between `earlier` and `self`, two readings of one thread.
    #[must_use]
    pub fn since(self, earlier: Usage) -> Usage {
        self.zip(earlier, u64::saturating_sub)
    }

    /// One of the counts.
    #[must_use]
    pub fn of(self, counter: Counter) -> u64 {
        self.words()[counter as usize]
    }

    fn zip(self, other: Usage, f: impl Fn(u64, u64) -> u64) -> Usage {
        let (own, other) = (self.words(), other.words());
        Usage::of_words(std::array::from_fn(|place| f(own[place], other[place])))
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

/// What whole processes used, as the kernel sums it up: exact for those that have ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ProcessUsage {
    /// What every flow tells.
    pub flows: Usage,
    /// CPU time in user mode. Most kernels split by 4 ms samples: below 100 ms it says little.
    pub user_ns: u64,
    /// The part in the kernel.
    pub system_ns: u64,
    /// Blocks of 512 bytes read from a disk: 0 where all was in the page cache.
    pub disk_blocks: u64,
    /// The most RSS of one process, in bytes.
    pub most_rss: u64,
}

const KIB: u64 = 1024;

impl ProcessUsage {
    /// What `wait4` tells of a process and all that it has waited for.
    #[must_use]
    pub fn of(kernel: &rusage) -> Self {
        Self {
            flows: Usage::of_rusage(kernel),
            user_ns: ns(kernel.ru_utime),
            system_ns: ns(kernel.ru_stime),
            disk_blocks: unsigned(kernel.ru_inblock),
            most_rss: KIB * unsigned(kernel.ru_maxrss),
        }
    }

    /// What this process has used.
    pub fn own() -> Result<Self, Errno> {
        getrusage(UsageWho::RUSAGE_SELF).map(|kernel| Self::of(kernel.as_ref()))
    }

    /// What the processes that this one has waited for had used.
    pub fn reaped() -> Result<Self, Errno> {
        getrusage(UsageWho::RUSAGE_CHILDREN).map(|kernel| Self::of(kernel.as_ref()))
    }

    /// What was used between two readings; the most RSS is that of the later one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let most_rss = self.most_rss;
        self.with(earlier, most_rss, u64::saturating_sub)
    }

    fn with(self, other: Self, most_rss: u64, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            flows: self.flows.zip(other.flows, &of),
            user_ns: of(self.user_ns, other.user_ns),
            system_ns: of(self.system_ns, other.system_ns),
            disk_blocks: of(self.disk_blocks, other.disk_blocks),
            most_rss,
        }
    }
}

impl Add for ProcessUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let most_rss = self.most_rss.max(other.most_rss);
        self.with(other, most_rss, |one, other| one + other)
    }
}

impl AddAssign for ProcessUsage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn since_undoes_add() {
        let a = Usage::of_words(std::array::from_fn(|place| 100 / (place as u64 + 1)));
        let b = Usage {
            cpu_ns: 7,
            minor_faults: 6,
            ..Usage::default()
        };
        assert_eq!((a + b).since(a), b);
        assert_eq!([a, b].into_iter().sum::<Usage>(), a + b);
    }

    /// A counter that one place forgot read 0 for ever.
    #[test]
    fn no_counter_is_forgotten_on_its_way_between_processes() {
        let words = std::array::from_fn(|place| place as u64 + 1);
        let usage = Usage::of_words(words);
        assert_eq!(usage.words(), words);
        assert_eq!(Counter::ALL.map(|counter| usage.of(counter)), words);
        assert_eq!(usage.minor_faults, usage.of(Counter::MinorFaults));
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
