//! The regions of a heap: those in use by how long a run of free slices they have, and those that linger.
//!
//! Slices come from the region whose longest free run is the shortest that fits: almost full regions are filled, almost
//! empty ones become empty (the fullest huge page first, of A. H. Hunter et al., *Beyond malloc efficiency to fleet
//! efficiency*, OSDI 2021). There is a list for each power of two of that length.
//!
//! Blocks of up to a page and larger ones have regions of their own. The former are carved one after the other: their
//! regions are on huge pages from the start, once the heap has grown. Of the latter a program may touch one page in a
//! hundred: their regions are *sparse*, and move to huge pages when seven pages in eight are resident.

use std::ptr::{NonNull, null_mut};

use super::{HeapStats, Inner};
use crate::class::{CLASSES, is_alone, slices_of_class};
use crate::os;
use crate::region::{FREE_WHEN_EMPTY, Region, SLICES, Span};

pub(super) const BINS: usize = SLICES.ilog2() as usize + 1;
/// Regions of the first list that may have room which are looked at.
const LOOKS: usize = 8;
/// Regions of a heap before further ones are huge from the start.
const SMALL_HEAP: usize = 2;
/// Empty regions that linger at the most, or `1 / KEPT_PART` of all.
const KEPT: usize = 8;
const KEPT_PART: usize = 8;
/// How long what is empty lingers at least; at most twice that.
const LINGER_MS: u64 = 250;
/// Most slices of empty spans that a heap keeps.
const SPARE: usize = 256;
/// Where that is more: one slice for this many slices of blocks that are alone.
const ALONE_FOR_SPARE: usize = 8;
/// Regions whose resident pages are counted at once.
const COUNTED: usize = 32;

fn bin_of(slices: usize) -> usize {
    slices.checked_ilog2().map_or(0, |log| log as usize + 1)
}

impl Inner {
    /// Slices of a region in use, of one that lingers, or of a new one: the region, and the first of them.
    pub(super) fn take_slices(
        &mut self,
        sparse: bool,
        slices: usize,
        align: usize,
    ) -> Option<(NonNull<Region>, usize)> {
        for bin in bin_of(slices)..BINS {
            let mut next = self.in_use[usize::from(sparse)][bin];
            for _ in 0..LOOKS {
                let Some(region) = NonNull::new(next) else {
                    break;
                };
                // SAFETY: it is in use.
                if let Some(first) = unsafe { self.take_from(region, slices, align) } {
                    return Some((region, first));
                }
                // SAFETY: regions in the lists are mapped.
                next = unsafe { region.as_ref() }.own().next.get();
            }
        }
        let region = match NonNull::new(self.idle) {
            // SAFETY: it lingers.
            Some(region) => unsafe { self.awaken(region) },
            None => self.new_region(sparse)?,
        };
        // SAFETY: it is mapped, this heap's, and in no list now.
        let own = unsafe { region.as_ref() }.own();
        own.is_sparse.set(sparse);
        // SAFETY: as above.
        let list = unsafe { self.list_of(region) };
        // SAFETY: as above.
        unsafe { insert(list, region) };
        // SAFETY: now it is in use.
        let first = unsafe { self.take_from(region, slices, align) }?;
        Some((region, first))
    }

    /// Safety: `region` is one of those in use.
    unsafe fn take_from(
        &mut self,
        region: NonNull<Region>,
        slices: usize,
        align: usize,
    ) -> Option<usize> {
        // SAFETY: regions in the lists are mapped, and the lock is held.
        let record = unsafe { region.as_ref() };
        let first = record.take(slices, align)?;
        // SAFETY: the caller's.
        unsafe { self.file(region) };
        if record.own().free_slices.get() == 0 && !record.own().is_sparse.get() {
            // SAFETY: it is mapped.
            unsafe { self.make_huge(region) };
        }
        Some(first)
    }

    /// Safety: `region` is mapped.
    unsafe fn list_of(&mut self, region: NonNull<Region>) -> &mut *mut Region {
        // SAFETY: the caller's; the lock is held.
        let own = unsafe { region.as_ref() }.own();
        &mut self.in_use[usize::from(own.is_sparse.get())][bin_of(own.longest.get().into())]
    }

    /// Puts a region whose slices were taken or given back into its list. Safety: `region` is one of those in use.
    unsafe fn file(&mut self, region: NonNull<Region>) {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { region.as_ref() };
        let before = bin_of(record.own().longest.get().into());
        let kind = usize::from(record.own().is_sparse.get());
        record.measure();
        let now = bin_of(record.own().longest.get().into());
        if now != before {
            // SAFETY: it is in the list of what it had before.
            unsafe { remove(&mut self.in_use[kind][before], region) };
            // SAFETY: it was taken out above.
            unsafe { insert(&mut self.in_use[kind][now], region) };
        }
    }

    fn new_region(&mut self, sparse: bool) -> Option<NonNull<Region>> {
        let dense = !sparse && self.regions >= SMALL_HEAP;
        let is_huge = self.config.huge && (dense || self.config.huge_at_once);
        let region = Region::map(self.geometry, self.core, is_huge)?;
        self.regions += 1;
        Some(region)
    }

    /// Safety: `region` is one of those that linger.
    unsafe fn awaken(&mut self, region: NonNull<Region>) -> NonNull<Region> {
        // SAFETY: the caller's.
        unsafe { remove(&mut self.idle, region) };
        self.empty -= 1;
        region
    }

    /// Safety: `region` is one of those in use, and empty.
    unsafe fn put_to_rest(&mut self, region: NonNull<Region>) {
        // SAFETY: the region is mapped, and the lock is held.
        unsafe { region.as_ref() }.own().is_old.set(false);
        // SAFETY: the caller's.
        let list = unsafe { self.list_of(region) };
        // SAFETY: the caller's.
        unsafe { remove(list, region) };
        // SAFETY: it was taken out above.
        unsafe { insert(&mut self.idle, region) };
        self.empty += 1;
        if self.empty > KEPT.max(self.regions / KEPT_PART) {
            // SAFETY: it is one of them.
            unsafe { self.unmap(region) };
        }
    }

    /// Safety: `region` is one of those that linger.
    unsafe fn unmap(&mut self, region: NonNull<Region>) {
        // SAFETY: the caller's.
        unsafe { remove(&mut self.idle, region) };
        self.regions -= 1;
        self.empty -= 1;
        // SAFETY: it is empty, so nobody has a block of it, and in no list.
        unsafe { os::unmap(region.cast(), self.geometry.region) };
    }

    /// Gives back what was empty when this was called last, if that is long ago.
    pub(super) fn give_back_old(&mut self) {
        let now = os::now_ms();
        if now >= self.looked + LINGER_MS {
            self.looked = now;
            self.give_back_empty(true);
            self.make_dense_huge();
        }
    }

    /// Gives back empty spans, regions and free slices, or those that were so at the last call; whether there were any.
    fn give_back_empty(&mut self, old: bool) -> bool {
        self.give_back_spans(old);
        let (mut next, all) = (self.idle, self.empty);
        while let Some(region) = NonNull::new(next) {
            // SAFETY: regions in the list are mapped, and the lock is held.
            let own = unsafe { region.as_ref() }.own();
            next = own.next.get();
            if own.is_old.replace(true) || !old {
                // SAFETY: it is one of them.
                unsafe { self.unmap(region) };
            }
        }
        let mut given = self.empty < all;
        // Free slices between small blocks are soon taken again, and part of huge pages.
        for list in &self.in_use[usize::from(old)..] {
            for region in list.iter().flat_map(|&first| all_from(first)) {
                // SAFETY: it is in use.
                given |= unsafe { self.drop_free(region, old) };
            }
        }
        given
    }

    fn give_back_spans(&mut self, old: bool) {
        for class in (0..CLASSES).filter(|&class| !old || is_alone(class)) {
            let mut next = self.with_room[class];
            while let Some(span) = NonNull::new(next) {
                // SAFETY: spans in the lists are live, and the lock is held.
                let record = unsafe { span.as_ref() };
                next = record.next.get();
                if record.used.get() == 0 && (record.mark_old(true) || !old) {
                    // SAFETY: it is in the list of its class, and empty.
                    unsafe { self.drop_span(span, class) };
                }
            }
        }
    }

    /// Drops the free slices of a region in use, or those free at the last call. Safety: `region` is this heap's.
    unsafe fn drop_free(&self, region: NonNull<Region>, rested: bool) -> bool {
        // SAFETY: the caller's: it is mapped; the lock is held.
        let record = unsafe { region.as_ref() };
        let slice = self.geometry.slice();
        let mut given = false;
        record.drop_free(rested, |first, slices| {
            // SAFETY: the slices are those of the region.
            let at = unsafe { region.cast::<u8>().add(first * slice) };
            // SAFETY: slices that belong to no span hold no block.
            let is_dropped = unsafe { os::advise(at, slices * slice, libc::MADV_DONTNEED) };
            given |= is_dropped;
            is_dropped
        });
        if given {
            record.own().is_huge.set(false);
        }
        given
    }

    /// Makes huge pages of those sparse regions that are in use almost whole.
    fn make_dense_huge(&mut self) {
        if !self.config.huge {
            return;
        }
        let full = self.in_use[1][..BINS - 3]
            .iter()
            .flat_map(|&first| all_from(first));
        // SAFETY: regions in the lists are mapped.
        let small = full.filter(|region| !unsafe { region.as_ref() }.own().is_huge.get());
        for region in small.take(COUNTED) {
            let pages = self.geometry.region / os::PAGE;
            if os::resident(region.cast(), self.geometry.region) >= pages - pages / 8 {
                // SAFETY: it is in use.
                unsafe { self.make_huge(region) };
            }
        }
    }

    /// Makes a huge page of a region. A small heap has none: a small program never uses those megabytes. Safety:
    /// `region` is one of this heap's.
    unsafe fn make_huge(&self, region: NonNull<Region>) {
        // SAFETY: the caller's: it is mapped; the lock is held.
        let own = unsafe { region.as_ref() }.own();
        if !self.config.huge || own.is_huge.get() {
            return;
        }
        own.is_huge.set(true);
        for advice in [libc::MADV_HUGEPAGE, os::MADV_COLLAPSE] {
            // SAFETY: all of a mapped region; neither drops contents.
            unsafe { os::advise(region.cast(), self.geometry.region, advice) };
        }
    }

    pub(super) fn may_spare(&self, slices: usize) -> bool {
        self.spare + slices <= SPARE.max(self.alone / ALONE_FOR_SPARE)
    }

    /// Safety: `span` is a live one of this heap's, in no list, and nobody has a block of it.
    pub(super) unsafe fn give_back(&mut self, span: NonNull<Span>) {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { span.as_ref() };
        let slices = record.slices(self.geometry);
        let region = record.region(self.geometry);
        // SAFETY: the region is mapped, and the lock is held.
        let within = unsafe { region.as_ref() };
        within.give(record.first(self.geometry), slices);
        self.alone -= if is_alone(record.class()) { slices } else { 0 };
        // SAFETY: a region that held a span is in use.
        unsafe { self.file(region) };
        if within.own().free_slices.get() == FREE_WHEN_EMPTY {
            // SAFETY: as above.
            unsafe { self.put_to_rest(region) };
        }
    }

    /// As `Heap::extend`, which holds the lock; its safety too.
    pub(super) unsafe fn extend(&mut self, span: NonNull<Span>, class: usize) -> bool {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { span.as_ref() };
        let (from, slice) = (record.slices(self.geometry), self.geometry.slice());
        let (first, to) = (record.first(self.geometry), slices_of_class(class, slice));
        let region = record.region(self.geometry);
        // SAFETY: the region is mapped, and the lock is held.
        let within = unsafe { region.as_ref() };
        let fits = from == to || within.extend(first, from, to);
        if fits {
            within.hold(first, class, self.geometry);
            self.alone += to - from;
            // SAFETY: a region that holds a span is in use.
            unsafe { self.file(region) };
        }
        fits
    }

    pub(super) fn trim(&mut self) -> bool {
        self.give_back_empty(false)
    }

    pub(super) fn stats(&self) -> HeapStats {
        let mut stats = HeapStats {
            regions: self.regions,
            ..HeapStats::default()
        };
        let lists = self.in_use.iter().flatten();
        for region in lists.flat_map(|&first| all_from(first)) {
            // SAFETY: regions in the lists are mapped, and the lock is held.
            unsafe { region.as_ref() }.spans(|span| {
                stats.live_blocks += usize::from(span.used.get());
                stats.live_bytes += usize::from(span.used.get()) * span.block();
            });
        }
        stats
    }
}

fn all_from(first: *mut Region) -> impl Iterator<Item = NonNull<Region>> {
    // SAFETY: regions in the lists are mapped, and the lock is held.
    let next = |region: &NonNull<Region>| unsafe { region.as_ref() }.own().next.get();
    std::iter::successors(NonNull::new(first), move |region| {
        NonNull::new(next(region))
    })
}

/// Safety: it is mapped and in no list; the lock of its heap, whose list it is, is held.
unsafe fn insert(list: &mut *mut Region, region: NonNull<Region>) {
    // SAFETY: the caller's.
    let own = unsafe { region.as_ref() }.own();
    own.prev.set(null_mut());
    own.next.set(*list);
    if let Some(next) = NonNull::new(*list) {
        // SAFETY: regions in the list are mapped, and another one than `region`.
        unsafe { next.as_ref() }.own().prev.set(region.as_ptr());
    }
    *list = region.as_ptr();
}

/// Safety: it is in that list, and the lock of its heap is held.
unsafe fn remove(list: &mut *mut Region, region: NonNull<Region>) {
    // SAFETY: the caller's.
    let own = unsafe { region.as_ref() }.own();
    let (prev, next) = (own.prev.get(), own.next.get());
    match NonNull::new(prev) {
        // SAFETY: neighbours in the list are mapped.
        Some(prev) => unsafe { prev.as_ref() }.own().next.set(next),
        None => *list = next,
    }
    if let Some(next) = NonNull::new(next) {
        // SAFETY: as above.
        unsafe { next.as_ref() }.own().prev.set(prev);
    }
}
