use super::{HardwareThread, Model};
use crate::machine::Tags;
use crate::sets::NONE;
use crate::trace::{Access, GRANULE_BITS, PAGE_BITS};

pub(super) const REMEMBERED: usize = 1024;

/// 16 bytes: a host's cache must hold the tables of all hardware threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownPage {
    /// The page; the lowest bit: a store to it needs nothing more.
    pub(super) page_and_stored: u64,
    pub(super) frame: u32,
    pub(super) entry: u32,
}

impl KnownPage {
    #[inline]
    pub(super) fn granule(self, granule: u64) -> u64 {
        let place = granule & ((1 << (PAGE_BITS - GRANULE_BITS)) - 1);
        u64::from(self.frame) << (PAGE_BITS - GRANULE_BITS) | place
    }

    #[inline]
    pub(super) fn serves(self, page: u64, store: bool) -> bool {
        self.page_and_stored | u64::from(!store) == page << 1 | 1
    }
}

pub(super) const UNKNOWN: KnownPage = KnownPage {
    page_and_stored: u64::MAX,
    frame: 0,
    entry: NONE,
};

impl HardwareThread {
    /// One by one if few: threads of one space map and write tens of thousands of pages singly.
    pub(super) fn forget(&mut self, first: u64, pages: u64) {
        let is_one = |known: &KnownPage| (known.page_and_stored >> 1).wrapping_sub(first) < pages;
        let places = 0..pages.min(REMEMBERED as u64);
        for place in places.map(|page| (first.wrapping_add(page)) as usize % REMEMBERED) {
            if is_one(&self.known[place]) {
                self.known[place] = UNKNOWN;
            }
        }
    }
}

impl Model {
    pub(super) fn forget(&mut self, space: u32, first: u64, pages: u64) {
        for thread in self.threads.iter_mut().filter(|one| one.space == space) {
            thread.forget(first, pages);
        }
    }

    #[inline]
    pub(super) fn translate(&mut self, thread: u32, page: u64, entry: u32) {
        let own = &mut self.threads[thread as usize];
        let core = &mut self.cores[own.core as usize];
        own.counts.dtlb += 1;
        let second = core.tlb2.as_mut().is_some_and(|tlb| tlb.touch(page, entry));
        if second {
            own.counts.stall += self.ticks.l2_tlb;
        } else {
            own.counts.walks += 1;
            own.counts.stall += self.ticks.walk;
        }
    }

    #[cold]
    pub(super) fn find(&mut self, thread: u32, access: Access) -> KnownPage {
        let (page, store) = (access.granule >> (PAGE_BITS - GRANULE_BITS), access.store);
        let own = &self.threads[thread as usize];
        let place = page as usize % REMEMBERED;
        let (space, core, known) = (own.space, own.core, own.known[place]);
        let stored = store || known.serves(page, true);
        let (behind, was_another) = self.memory.page(space, page, store);
        if was_another {
            // Others in this space must not keep the old frame.
            self.forget(space, page, 1);
        }
        let lines = 1 << (PAGE_BITS - GRANULE_BITS - self.line_shift);
        self.sharing.reach(self.memory.frames() * lines);
        let number = self.pages.number(space, page >> self.page_shift);
        self.pages.used(number, core, store);
        let entry = match self.tags {
            Tags::AddressSpace => number,
            Tags::HardwareThread => number * self.threads_per_core + thread % self.threads_per_core,
        };
        let known = KnownPage {
            page_and_stored: page << 1 | u64::from(stored),
            frame: behind.frame,
            entry,
        };
        self.threads[thread as usize].known[place] = known;
        known
    }
}
