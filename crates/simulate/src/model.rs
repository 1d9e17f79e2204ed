//! The caches and TLBs of a machine, fed with accesses.
//! ```text
//!   access ─▶ page ─▶ TLB 1 ─▶ TLB 2 ─▶ walk          only when the page is another one
//!          └▶ line ─▶ L1D ─▶ L2 ─▶ last level ─▶ memory
//!                      └ store: other cores lose the line
//! ```
//! * Caches are looked up by frame; a TLB entry's tag stands for a page of an address space, and
//!   for the hardware thread where the machine says so.
//! * A miss brings the line into every level missed. What falls out of an inclusive last level
//!   leaves its cores' caches. A store takes the line from all other cores ([`crate::sharing`]).
//! * Where the first level does not allocate on stores, every store goes on to the next level, and
//!   is no miss of the first: nobody waits for it.
//! * Where entries do not outlive a switch, a hardware thread in another address space loses them.
//!
//! A small table remembers what is behind the pages of a hardware thread, for speed alone. So does
//! the order of [`Model::accesses`]: what every access needs comes first, in a loop without a
//! choice, since no host foresees what an access is; one branch leads to the rest.

mod caches;
mod pages;

use crate::counts::{Counts, Pages};
use crate::machine::{Cache, Machine, Tags};
use crate::memory::Memory;
use crate::sets::Sets;
use crate::sharing::{Shared, Sharing};
use crate::tlb::TlbState;
use crate::trace::{Access, Event, GRANULE_BITS, PAGE_BITS};
use pages::{KnownPage, REMEMBERED, UNKNOWN};

/// Per cycle.
const TICKS: f64 = 16.0;
pub(crate) fn ticks(cycles: f64) -> u64 {
    (cycles * TICKS).round() as u64
}

#[derive(Debug, Clone, Copy)]
struct Ticks {
    base: u64,
    l2: u64,
    llc: u64,
    memory: u64,
    l2_tlb: u64,
    walk: u64,
}

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

#[derive(Debug)]
struct HardwareThread {
    core: u32,
    space: u32,
    known: Box<[KnownPage; REMEMBERED]>,
    counts: Counts,
}

pub(crate) trait AtHand {
    fn next(&mut self) -> Option<Access>;
}

impl AtHand for Option<Access> {
    fn next(&mut self) -> Option<Access> {
        self.take()
    }
}

#[derive(Debug, Clone, Copy)]
enum Met {
    Unknown,
    /// Its page, and whether the first-level TLB and cache had it; both are marked as used.
    Known {
        known: KnownPage,
        translated: bool,
        hit: bool,
    },
}

fn sets(cache: &Cache) -> Sets {
    Sets::new(cache.sets(), cache.ways, cache.policy)
}

impl Model {
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

    pub(crate) fn cycles(ticks: u64) -> f64 {
        ticks as f64 / TICKS
    }

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

    pub(crate) fn counts(&self, thread: u32) -> Counts {
        let counts = self.threads[thread as usize].counts;
        Counts {
            base: counts.accesses * self.ticks.base,
            ..counts
        }
    }

    pub(crate) fn shared(&self) -> (Shared, Shared) {
        (self.sharing.shared(), self.pages.shared())
    }

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

    pub(crate) fn access(&mut self, thread: u32, access: Access) {
        self.accesses(thread, &mut Some(access), 1);
    }

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

    /// Runs those that need only their line in the first levels; returns the first other one.
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
}

#[cfg(test)]
mod tests;
