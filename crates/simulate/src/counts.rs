use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use crate::machine::Time;
use crate::model::ticks;
use crate::sharing::{Cores, Shared, Spread};

/// What one hardware thread has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Loads and stores.
    pub accesses: u64,
    /// Accesses that missed the first-level data cache.
    pub l1d: u64,
    /// Those that missed the second level, where there is one.
    pub l2: u64,
    /// Those that missed the last level.
    pub llc: u64,
    /// Accesses whose page was not in the first-level data TLB.
    pub dtlb: u64,
    /// Those for which the page table was read.
    pub walks: u64,
    /// Stores that took a line out of another core's caches.
    pub taken: u64,
    /// Time of the accesses without waiting, in ticks of the model.
    pub base: u64,
    /// Time of waiting, in ticks of the model.
    pub stall: u64,
}

impl Counts {
    /// Which part of the waiting was for the data TLBs, on a machine of these times.
    #[must_use]
    pub fn tlb_stall(&self, time: &Time) -> u64 {
        (self.dtlb - self.walks) * ticks(time.l2_tlb) + self.walks * ticks(time.walk)
    }

    #[must_use]
    pub(crate) fn and(self, more: Self) -> Self {
        self.with(more, |own, more| own + more)
    }

    /// These without those of before.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        self.with(before, |own, before| own - before)
    }

    fn with(self, other: Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            accesses: each(self.accesses, other.accesses),
            l1d: each(self.l1d, other.l1d),
            l2: each(self.l2, other.l2),
            llc: each(self.llc, other.llc),
            dtlb: each(self.dtlb, other.dtlb),
            walks: each(self.walks, other.walks),
            taken: each(self.taken, other.taken),
            base: each(self.base, other.base),
            stall: each(self.stall, other.stall),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Pages {
    numbers: HashMap<(u32, u64), u32, BuildHasherDefault<Spread>>,
    used: Vec<[Cores; 2]>,
}

impl Pages {
    pub(crate) fn number(&mut self, space: u32, page: u64) -> u32 {
        let next = self.used.len() as u32;
        let number = *self.numbers.entry((space, page)).or_insert(next);
        if number == next {
            self.used.push([0; 2]);
        }
        number
    }

    pub(crate) fn used(&mut self, number: u32, core: u32, store: bool) {
        let [touched, written] = &mut self.used[number as usize];
        *touched |= 1 << core;
        *written |= Cores::from(store) << core;
    }

    pub(crate) fn shared(&self) -> Shared {
        let mut shared = Shared::default();
        let used = self.used.iter();
        used.for_each(|[touched, written]| shared.add(*touched, *written));
        shared
    }
}
