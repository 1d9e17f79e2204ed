//! What memory costs here, by trying: how far the TLB reaches, and how long each cache and
//! the memory take to answer.
//!
//! One method serves both: a **pointer chase**. Cells hold the number of the next cell, in
//! one random cycle over all of them, so that each load waits for the one before it and no
//! prefetcher can guess. The time of a step is the time to answer a load.
//!
//! * **Reach** ([`reach`]): one cell in each of N pages of 4 KiB. The cells, and so what the
//!   data caches hold, are the same in number and spread whether the memory is mapped by
//!   4 KiB pages or by 2 MiB ones; only the entries that the TLB must hold differ, by a factor of
//!   512. Where the two come apart, 4 KiB pages are beyond its reach, and the difference is
//!   what a miss costs.
//! * **Caches** ([`latency`]): one cell in each line of a block of half a cache's size, in huge
//!   pages, so that the TLB has no part in it.
//!
//! The two kinds of page take turns within each pass, so that a change of the machine's
//! speed hits both, and the median of [`chase::PASSES`] stands for each.
//!
//! It does not ask the processor what its TLB is like: in a virtual machine that says
//! little, since a page of the guest may lie in smaller ones of the host. Then huge pages
//! extend reach less than they would on the hardware itself, or not at all, which is worth knowing
//! before anything is concluded from them.
//!
//! Method after L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis",
//! 1996.

mod chase;
mod found;
mod latency;
mod pages;
mod reach;

use crate::{Machine, Needs};
pub use found::Probe;
pub use latency::{Answer, Latency};
pub use pages::PageKind;
pub(crate) use reach::chase_bytes;
pub use reach::{Reach, ReachPoint};

impl Machine {
    /// The machine with the cost of memory, measured in some seconds on the CPU that this thread
    /// happens to run on.
    #[must_use]
    pub fn probed(self) -> Self {
        let room = room(&self);
        let (caches, memory) = latency::probe(self.topology.caches.as_ref(), room);
        let probe = Probe {
            reach: reach::probe(room),
            caches,
            memory,
        };
        Self {
            probe: Some(probe),
            ..self
        }
    }
}

/// A fourth of what this process may still take: of the machine, its control groups and addresses.
/// 0 if unknown.
fn room(machine: &Machine) -> u64 {
    let lowest = machine
        .user_level_ceilings(Needs::memory(1))
        .into_iter()
        .next();
    let known = machine.memory.available.value().and(lowest);
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
            .file("/sys/fs/cgroup/job/memory.max", (100 << 20).to_string())
            .file("/sys/fs/cgroup/job/memory.current", (50 << 20).to_string())
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
