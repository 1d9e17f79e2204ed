//! What memory costs, by trying: the reach of the TLB, and the times to answer of caches and
//! memory. Both by a **pointer chase**: cells hold the number of the next cell, in one random cycle
//! over all, so each load waits for the one before and no prefetcher can guess.
//!
//! * **Reach** ([`reach`]): one cell in each of N pages of 4 KiB, mapped by 4 KiB pages or by 2 MiB
//!   ones. The data caches hold the same; only the TLB entries needed differ, by a factor of 512.
//!   Where the two come apart 4 KiB pages are beyond reach; the difference is a miss.
//! * **Caches** ([`latency`]): one cell in each line of a block of half a cache's size.
//!
//! The kinds of page take turns within each pass: a change of speed hits both. The median of
//! [`chase::PASSES`] stands for each. A guest's huge page may lie in smaller ones of the host, and
//! then extends reach less, or not at all. Method after L. McVoy and C. Staelin, "lmbench: Portable
//! Tools for Performance Analysis", 1996.

mod chase;
mod found;
mod latency;
mod pages;
mod reach;

use crate::{Machine, Needs};
pub use found::Probe;
pub use latency::{Answer, Latency};
pub use pages::PageKind;
pub(crate) use reach::{PAGE, chase_bytes};
pub use reach::{Reach, ReachPoint};

impl Machine {
    /// The machine with the cost of memory, measured in some seconds on the CPU of this thread.
    #[must_use]
    pub fn probed(self) -> Self {
        let room = room(&self);
        let (caches, memory) = latency::probe(self.topology.caches.as_ref(), room);
        let probe = Probe {
            reach: reach::probe(room, &self.memory.page),
            caches,
            memory,
        };
        Self {
            probe: Some(probe),
            ..self
        }
    }
}

/// A fourth of what this process may still take of machine, groups and addresses; 0 if unknown.
fn room(machine: &Machine) -> u64 {
    let ceilings = machine.user_level_ceilings(Needs::memory(1));
    let known = machine.memory.available.value().and(ceilings.first());
    known.map_or(0, |lowest| lowest.count / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, guest};

    /// A guest with 23.5 GiB, in a control group that leaves it 40 MiB.
    fn in_a_small_group() -> Fixture {
        guest()
            .groups("0::/job", &["/ /sys/fs/cgroup rw - cgroup2 cgroup2 rw"])
            .limit("/sys/fs/cgroup/job/memory", 100 << 20, 50 << 20)
            .file("/sys/fs/cgroup/job/memory.stat", "inactive_file 0")
    }

    #[test]
    fn a_control_group_bounds_what_is_tried_and_not_the_machine_alone() {
        // 100 MiB less 50 that are used and 10 that are left alone.
        assert_eq!(room(&in_a_small_group().machine()), 10 << 20);
        assert!(room(&guest().machine()) > 5 << 30);
    }

    #[test]
    fn nothing_is_tried_where_nobody_knows_what_is_free() {
        assert_eq!(room(&Fixture::new().machine()), 0);
    }
}
