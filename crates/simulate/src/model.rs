//! The caches and TLBs of a machine, fed with accesses.
//!
//! # Theory
//!
//! ```text
//!   access ─▶ page ─▶ TLB 1 ─▶ TLB 2 ─▶ walk          only when the page is another one
//!          └▶ line ─▶ L1D ─▶ L2 ─▶ last level ─▶ memory
//!                      └ store: other cores lose the line
//! ```
//!
//! * Caches are looked up by frame, not by address; a TLB entry's tag stands for a page of an
//!   address space, and for the hardware thread too where the machine says so.
//! * A miss brings the line into every level that it missed. What falls out of an inclusive last
//!   level falls out of the caches of its cores.
//! * A store takes the line from all other cores ([`crate::sharing`]).
//! * Where the first level does not allocate on stores, every store goes on to the next level, and
//!   a store that misses is no miss of the first level: nobody waits for it.
//! * Where entries do not outlive a switch, a hardware thread that enters another address space
//!   loses its entries.
//!
//! Of each hardware thread a small table remembers what is behind its pages. That is no part of the
//! machine; it only makes the model fast. So does the order of [`Model::accesses`]: everything that every
//! access needs comes first, in a loop of its own and without a choice, since whether an access stores,
//! stays on its page or folds has no pattern that a host could foresee; one branch leads to what few
//! accesses need.

use crate::counts::{Counts, Pages};
use crate::machine::{Cache, Machine, Tags};
use crate::memory::Memory;
use crate::sets::{NONE, Sets, Touch};
use crate::sharing::{Cores, Shared, Sharing};
use crate::tlb::TlbState;
use crate::trace::{Access, Event, GRANULE_BITS, PAGE_BITS};

/// Fractions of a cycle that are told apart.
const TICKS: f64 = 16.0;
/// Pages that a hardware thread's table remembers.
const REMEMBERED: usize = 1024;
/// Ticks of that many cycles.
pub(crate) fn ticks(cycles: f64) -> u64 {
    (cycles * TICKS).round() as u64
}

/// Costs in ticks.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    base: u64,
    l2: u64,
    llc: u64,
    memory: u64,
    l2_tlb: u64,
    walk: u64,
}

/// A machine at work.
#[derive(Debug)]
pub(crate) struct Model {
    threads_per_core: u32,
    shared_by: u32,
    tags: Tags,
    outlive: bool,
    /// Bits of a page of the TLB beyond those of a frame.
    page_shift: u32,
    l1_shift: u32,
    line_shift: u32,
    allocates: bool,
    inclusive: bool,
    ticks: Ticks,
    cores: Vec<Core>,
    llc: Vec<Sets>,
    threads: Vec<HardwareThread>,
    memory: Memory,
    pages: Pages,
    sharing: Sharing,
}

#[derive(Debug)]
struct Core {
    l1: Sets,
    l2: Option<Sets>,
    tlb1: TlbState,
    tlb2: Option<TlbState>,
}

/// What a hardware thread works on.
#[derive(Debug)]
struct HardwareThread {
    core: u32,
    space: u32,
    /// By the low bits of the page.
    known: Box<[KnownPage; REMEMBERED]>,
    counts: Counts,
}

impl HardwareThread {
    /// Forgets these pages; where they are few, each by itself: threads that share an address space
    /// map and write pages one at a time, tens of thousands of them.
    fn forget(&mut self, first: u64, pages: u64) {
        let is_one = |known: &KnownPage| (known.page_and_stored >> 1).wrapping_sub(first) < pages;
        let places = 0..pages.min(REMEMBERED as u64);
        for place in places.map(|page| (first.wrapping_add(page)) as usize % REMEMBERED) {
            if is_one(&self.known[place]) {
                self.known[place] = UNKNOWN;
            }
        }
    }
}

/// What is behind a page; 16 bytes, as a host's cache has to hold the tables of all hardware threads.
#[derive(Debug, Clone, Copy)]
struct KnownPage {
    /// The page, and in the lowest bit whether a store has been seen to: nothing happens at the next.
    page_and_stored: u64,
    frame: u32,
    entry: u32,
}

impl KnownPage {
    /// The granule of memory that is behind one of this page.
    #[inline]
    fn granule(self, granule: u64) -> u64 {
        let place = granule & ((1 << (PAGE_BITS - GRANULE_BITS)) - 1);
        u64::from(self.frame) << (PAGE_BITS - GRANULE_BITS) | place
    }

    /// Whether this is that page, and nothing happens at such an access.
    #[inline]
    fn serves(self, page: u64, store: bool) -> bool {
        self.page_and_stored | u64::from(!store) == page << 1 | 1
    }
}

/// Where accesses come from.
pub(crate) trait AtHand {
    /// The next one, if it is at hand.
    fn next(&mut self) -> Option<Access>;
}

impl AtHand for Option<Access> {
    fn next(&mut self) -> Option<Access> {
        self.take()
    }
}

/// What was met of an access.
#[derive(Debug, Clone, Copy)]
enum Met {
    /// A page of which nothing is remembered.
    Unknown,
    /// Its page, whether the first-level TLB had it, and the first-level cache the line; both are used.
    Known {
        known: KnownPage,
        translated: bool,
        hit: bool,
    },
}

const UNKNOWN: KnownPage = KnownPage {
    page_and_stored: u64::MAX,
    frame: 0,
    entry: NONE,
};

fn sets(cache: &Cache) -> Sets {
    Sets::new(cache.sets(), cache.ways, cache.policy)
}

impl Model {
    /// An empty machine whose memory is in pages of that size.
    pub(crate) fn new(machine: &Machine, page: u64) -> Self {
        let core = |_| Core {
            l1: sets(&machine.l1d),
            l2: machine.l2.as_ref().map(sets),
            tlb1: machine
                .tlb(1, page)
                .map_or_else(|| TlbState::new(&machine.dtlb[0]), TlbState::new),
            tlb2: machine.tlb(2, page).map(TlbState::new),
        };
        let thread = |number| HardwareThread {
            core: machine.core_of(number),
            space: 0,
            known: Box::new([UNKNOWN; REMEMBERED]),
            counts: Counts::default(),
        };
        let time = &machine.time;
        Self {
            threads_per_core: machine.threads_per_core,
            shared_by: machine.llc.shared_by,
            tags: machine.tags,
            outlive: machine.entries_outlive_switches,
            page_shift: page.trailing_zeros() - PAGE_BITS,
            l1_shift: machine.l1d.line.trailing_zeros() - GRANULE_BITS,
            line_shift: machine.llc.line.trailing_zeros() - GRANULE_BITS,
            allocates: machine.l1d.allocates_on_store,
            inclusive: machine.llc.inclusive,
            ticks: Ticks {
                base: ticks(time.base).max(1),
                l2: ticks(time.l2),
                llc: ticks(time.llc),
                memory: ticks(time.memory),
                l2_tlb: ticks(time.l2_tlb),
                walk: ticks(time.walk),
            },
            cores: (0..machine.cores).map(core).collect(),
            llc: (0..machine.cores.div_ceil(machine.llc.shared_by))
                .map(|_| sets(&machine.llc))
                .collect(),
            threads: (0..machine.hardware_threads()).map(thread).collect(),
            memory: Memory::default(),
            pages: Pages::default(),
            sharing: Sharing::default(),
        }
    }

    /// Cycles of that many ticks.
    pub(crate) fn cycles(ticks: u64) -> f64 {
        ticks as f64 / TICKS
    }

    /// A hardware thread runs in an address space from now on.
    pub(crate) fn enter(&mut self, thread: u32, space: u32) {
        let own = &mut self.threads[thread as usize];
        if own.space == space {
            return;
        }
        own.space = space;
        own.known.fill(UNKNOWN);
        if !self.outlive {
            self.flush(thread);
        }
    }

    /// A hardware thread loses its entries of the TLBs; all those of its core where they belong to
    /// address spaces.
    fn flush(&mut self, thread: u32) {
        let (tags, threads) = (self.tags, self.threads_per_core);
        let own = move |entry: u32| match tags {
            Tags::AddressSpace => true,
            Tags::HardwareThread => entry % threads == thread % threads,
        };
        let core = &mut self.cores[self.threads[thread as usize].core as usize];
        core.tlb1.remove_all(own);
        core.tlb2.iter_mut().for_each(|tlb| tlb.remove_all(own));
    }

    /// What a hardware thread has counted.
    pub(crate) fn counts(&self, thread: u32) -> Counts {
        let counts = self.threads[thread as usize].counts;
        Counts {
            base: counts.accesses * self.ticks.base,
            ..counts
        }
    }

    /// Lines and pages by who used them.
    pub(crate) fn shared(&self) -> (Shared, Shared) {
        (self.sharing.shared(), self.pages.shared())
    }

    /// Something other than an access happens in an address space.
    pub(crate) fn event(&mut self, space: u32, event: Event) {
        match event {
            Event::Map {
                first,
                pages,
                backing,
            } => {
                self.memory.map(space, first, pages, backing);
                self.forget(space, first, pages);
            }
            Event::Unmap { first, pages } => {
                self.memory.unmap(space, first, pages);
                self.forget(space, first, pages);
            }
            Event::Wrote { page } => {
                self.memory.wrote(space, page);
                self.forget(space, page, 1);
            }
            Event::Fork { child } => {
                self.memory.fork(space, child);
                self.forget(space, 0, u64::MAX);
            }
            Event::Begin { .. } | Event::End { .. } => {}
        }
    }

    /// What is remembered of pages of an address space is no longer so.
    fn forget(&mut self, space: u32, first: u64, pages: u64) {
        for thread in self.threads.iter_mut().filter(|one| one.space == space) {
            thread.forget(first, pages);
        }
    }

    /// An access of a hardware thread.
    pub(crate) fn access(&mut self, thread: u32, access: Access) {
        self.accesses(thread, &mut Some(access), 1);
    }

    /// Runs the accesses of a hardware thread that are at hand, at most `most`; returns their number.
    pub(crate) fn accesses(&mut self, thread: u32, from: &mut impl AtHand, most: u64) -> u64 {
        let mut done = 0;
        while done < most
            && let Some((access, met)) = self.easy(thread, from, most, &mut done)
        {
            self.hard(thread, access, met);
        }
        self.threads[thread as usize].counts.accesses += done;
        done
    }

    /// Accesses up to the first that needs more than its entry and its line in the first levels, with
    /// what was met of it; `None` where there is no such.
    fn easy(
        &mut self,
        thread: u32,
        from: &mut impl AtHand,
        most: u64,
        done: &mut u64,
    ) -> Option<(Access, Met)> {
        let own = &self.threads[thread as usize];
        let (number, known) = (own.core, &own.known);
        let core = &mut self.cores[number as usize];
        while *done < most {
            let access = from.next()?;
            *done += access.times;
            let page = access.granule >> (PAGE_BITS - GRANULE_BITS);
            let known = known[page as usize % REMEMBERED];
            if !known.serves(page, access.store) {
                return Some((access, Met::Unknown));
            }
            let granule = known.granule(access.granule);
            let (small, line) = (granule >> self.l1_shift, granule >> self.line_shift);
            let translated = core.tlb1.touch(page >> self.page_shift, known.entry);
            let hit = core.l1.touch_if_there(small, small as u32);
            let alone = !access.store | self.sharing.is_written_by(line as u32, number);
            if !(translated & hit & alone) | (access.store & !self.allocates) {
                return Some((
                    access,
                    Met::Known {
                        known,
                        translated,
                        hit,
                    },
                ));
            }
        }
        None
    }

    /// An access of which little or nothing is done.
    fn hard(&mut self, thread: u32, access: Access, met: Met) {
        let page = access.granule >> (PAGE_BITS - GRANULE_BITS) >> self.page_shift;
        let (known, translated, hit) = match met {
            Met::Known {
                known,
                translated,
                hit,
            } => (known, translated, hit),
            Met::Unknown => {
                let known = self.find(thread, access);
                let core = self.threads[thread as usize].core;
                let core = &mut self.cores[core as usize];
                let small = known.granule(access.granule) >> self.l1_shift;
                let translated = core.tlb1.touch(page, known.entry);
                (
                    known,
                    translated,
                    core.l1.touch_if_there(small, small as u32),
                )
            }
        };
        if !translated {
            self.translate(thread, page, known.entry);
        }
        let granule = known.granule(access.granule);
        let places = (granule >> self.l1_shift, granule >> self.line_shift);
        self.beyond(thread, places, hit, access);
    }

    /// What an access needs beyond its line in the first level, if anything.
    #[inline]
    fn beyond(&mut self, thread: u32, (small, line): (u64, u64), hit: bool, access: Access) {
        let core = self.threads[thread as usize].core;
        let waits = !hit & (access.load | self.allocates);
        if waits {
            let _nobody_asks_what_goes = self.cores[core as usize].l1.touch(small, small as u32);
        }
        if access.store {
            let others = self.sharing.touch(line as u32, core, true);
            if others != 0 {
                self.take(thread, line, others);
            }
        }
        if !hit | (access.store & !self.allocates) {
            self.below(thread, line, waits, access.store);
        }
    }

    /// Below the first level; nobody waits for a store that writes through.
    fn below(&mut self, thread: u32, line: u64, waits: bool, store: bool) {
        let own = &mut self.threads[thread as usize];
        let (counts, core) = (&mut own.counts, own.core);
        let waits = u64::from(waits);
        counts.l1d += waits;
        if !store {
            self.sharing.touch(line as u32, core, false);
        }
        if let Some(l2) = &mut self.cores[core as usize].l2 {
            if l2.touch(line, line as u32) == Touch::Hit {
                counts.stall += waits * self.ticks.l2;
                return;
            }
            counts.l2 += 1;
        }
        let group = core / self.shared_by;
        match self.llc[group as usize].touch(line, line as u32) {
            Touch::Hit => counts.stall += waits * self.ticks.llc,
            Touch::Miss { evicted } => {
                counts.llc += 1;
                counts.stall += waits * self.ticks.memory;
                if self.inclusive && evicted != NONE {
                    let of_group = group_mask(group, self.shared_by);
                    let holding = self.sharing.evict(evicted) & of_group;
                    self.drop_line(u64::from(evicted), holding);
                }
            }
        }
    }

    /// Takes a line from other cores.
    #[cold]
    fn take(&mut self, thread: u32, line: u64, others: Cores) {
        let group = self.threads[thread as usize].core / self.shared_by;
        let taken = self.drop_line(line, others);
        for (other, llc) in self.llc.iter_mut().enumerate() {
            if others & group_mask(other as u32, self.shared_by) != 0 && other as u32 != group {
                llc.remove(line, line as u32);
            }
        }
        self.threads[thread as usize].counts.taken += u64::from(taken);
    }

    /// A line leaves the caches of cores; whether any had it.
    fn drop_line(&mut self, line: u64, cores: Cores) -> bool {
        let lines = 1 << (self.line_shift - self.l1_shift);
        let mut had = false;
        let mut left = cores;
        while left != 0 {
            let core = &mut self.cores[left.trailing_zeros() as usize];
            left &= left - 1;
            for part in 0..lines {
                let small = line * lines + part;
                had |= core.l1.remove(small, small as u32);
            }
            if let Some(l2) = &mut core.l2 {
                had |= l2.remove(line, line as u32);
            }
        }
        had
    }

    /// The first-level TLB did not have a page.
    fn translate(&mut self, thread: u32, page: u64, entry: u32) {
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

    /// Finds out what is behind a page, and remembers it.
    #[cold]
    fn find(&mut self, thread: u32, access: Access) -> KnownPage {
        let (page, store) = (access.granule >> (PAGE_BITS - GRANULE_BITS), access.store);
        let own = &self.threads[thread as usize];
        let place = page as usize % REMEMBERED;
        let (space, core, known) = (own.space, own.core, own.known[place]);
        let stored = store || known.serves(page, true);
        let (behind, was_another) = self.memory.page(space, page, store);
        if was_another {
            // Others in this space must not go on with the frame before.
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

fn group_mask(group: u32, shared_by: u32) -> Cores {
    let cores = match shared_by {
        64 => Cores::MAX,
        few => (1 << few) - 1,
    };
    cores << (group * shared_by)
}

#[cfg(test)]
mod tests;
