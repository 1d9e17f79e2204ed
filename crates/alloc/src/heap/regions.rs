//! The regions of a heap: those with free slices, those without, and those that linger.

use std::ptr::{NonNull, null_mut};

use super::{HeapStats, Inner};
use crate::class::CLASSES;
use crate::os;
use crate::region::{FREE_WHEN_EMPTY, Region, Span};

/// Regions with free slices that are looked at before a new one is mapped.
const LOOKS: usize = 32;
/// Regions of a heap before further ones are huge from the start.
const SMALL_HEAP: usize = 2;
/// Empty regions that linger at the most.
const KEPT: usize = 8;
/// How long they linger.
const LINGER_MS: u64 = 50;

impl Inner {
    /// Slices of an open region, of one that lingers, or of a new one: the region, and the first of them.
    pub(super) fn take_slices(
        &mut self,
        slices: usize,
        align: usize,
    ) -> Option<(NonNull<Region>, usize)> {
        let mut next = self.open;
        for _ in 0..LOOKS {
            let Some(region) = NonNull::new(next) else {
                break;
            };
            // SAFETY: it is open.
            if let Some(first) = unsafe { self.take_from(region, slices, align) } {
                return Some((region, first));
            }
            // SAFETY: regions in the list are mapped.
            next = unsafe { region.as_ref() }.next.get();
        }
        let region = match NonNull::new(self.idle) {
            // SAFETY: it lingers.
            Some(region) => unsafe { self.awaken(region) },
            None => self.new_region()?,
        };
        // SAFETY: it is mapped, this heap's, and in no list now.
        unsafe { insert(&mut self.open, region) };
        // SAFETY: now it is open.
        let first = unsafe { self.take_from(region, slices, align) }?;
        Some((region, first))
    }

    /// # Safety
    /// `region` is one of the open ones.
    unsafe fn take_from(
        &mut self,
        region: NonNull<Region>,
        slices: usize,
        align: usize,
    ) -> Option<usize> {
        // SAFETY: regions in the list are mapped, and the lock is held.
        let record = unsafe { region.as_ref() };
        let first = record.take(slices, align)?;
        if record.free_slices.get() == 0 {
            // SAFETY: the caller's.
            unsafe { remove(&mut self.open, region) };
            // SAFETY: it was taken out above.
            unsafe { insert(&mut self.full, region) };
            // SAFETY: it is mapped.
            unsafe { self.make_huge(region) };
        }
        Some(first)
    }

    fn new_region(&mut self) -> Option<NonNull<Region>> {
        let is_huge = self.huge && self.regions >= SMALL_HEAP;
        let region = Region::map(self.geometry, self.core, is_huge)?;
        self.regions += 1;
        Some(region)
    }

    /// Takes the latest empty region, and gives back those that have lingered for too long.
    ///
    /// # Safety
    /// `region` is one of those that linger.
    unsafe fn awaken(&mut self, region: NonNull<Region>) -> NonNull<Region> {
        // SAFETY: the caller's.
        unsafe { remove(&mut self.idle, region) };
        self.empty -= 1;
        self.give_back_idle(os::now_ms().saturating_sub(LINGER_MS));
        region
    }

    /// Lets a region that became empty linger.
    ///
    /// # Safety
    /// `region` is one of the open ones.
    unsafe fn put_to_rest(&mut self, region: NonNull<Region>) {
        let now = os::now_ms();
        // SAFETY: the region is mapped, and the lock is held.
        unsafe { region.as_ref() }.empty_since.set(now);
        // SAFETY: the caller's.
        unsafe { remove(&mut self.open, region) };
        // SAFETY: it was taken out above.
        unsafe { insert(&mut self.idle, region) };
        self.empty += 1;
        self.give_back_idle(now.saturating_sub(LINGER_MS));
    }

    /// Unmaps regions that became empty before then, and those beyond the latest few.
    fn give_back_idle(&mut self, before: u64) -> bool {
        let (mut next, mut kept, all) = (self.idle, 0, self.empty);
        while let Some(region) = NonNull::new(next) {
            // SAFETY: regions in the list are mapped, and the lock is held.
            let record = unsafe { region.as_ref() };
            next = record.next.get();
            if kept < KEPT && record.empty_since.get() >= before {
                kept += 1;
                continue;
            }
            // SAFETY: it is one of them.
            unsafe { remove(&mut self.idle, region) };
            self.regions -= 1;
            self.empty -= 1;
            // SAFETY: it is empty, so nobody has a block of it, and in no list.
            unsafe { os::unmap(region.cast(), self.geometry.region) };
        }
        self.empty < all
    }

    /// Makes a huge page of a region that is full. A heap that has grown has them from the start;
    /// a small one does not, so that a small program does not take megabytes that it never uses.
    ///
    /// # Safety
    /// `region` is one of this heap's.
    unsafe fn make_huge(&self, region: NonNull<Region>) {
        // SAFETY: the caller's: it is mapped; the lock is held.
        let record = unsafe { region.as_ref() };
        if !self.huge || record.is_huge.get() {
            return;
        }
        record.is_huge.set(true);
        for advice in [libc::MADV_HUGEPAGE, os::MADV_COLLAPSE] {
            // SAFETY: all of a mapped region; neither drops contents.
            unsafe { os::advise(region.cast(), self.geometry.region, advice) };
        }
    }

    /// Gives the slices of an empty span back to its region, and an empty region to the kernel.
    ///
    /// # Safety
    /// `span` is a live one of this heap's, in no list, and nobody has a block of it.
    pub(super) unsafe fn give_back(&mut self, span: NonNull<Span>) {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { span.as_ref() };
        record.used.set(0);
        let (first, slices) = (record.first(), record.slices(self.geometry));
        let region = self.geometry.base(span.cast()).cast::<Region>();
        // SAFETY: the record of a span stands in the header of its region.
        let region = unsafe { NonNull::new_unchecked(region) };
        // SAFETY: the region is mapped, and the lock is held.
        let record = unsafe { region.as_ref() };
        let was_full = record.free_slices.get() == 0;
        record.give(first, slices);
        let is_empty = record.free_slices.get() == FREE_WHEN_EMPTY;
        if was_full {
            // SAFETY: a region without free slices is in that list.
            unsafe { remove(&mut self.full, region) };
            // SAFETY: it was taken out above.
            unsafe { insert(&mut self.open, region) };
        }
        if is_empty {
            // SAFETY: a region with free slices that held a span is open.
            unsafe { self.put_to_rest(region) };
        } else if !self.idle.is_null() {
            self.give_back_idle(os::now_ms().saturating_sub(LINGER_MS));
        }
    }

    pub(super) fn trim(&mut self) -> bool {
        for class in 0..CLASSES {
            let mut next = self.with_room[class];
            while let Some(span) = NonNull::new(next) {
                // SAFETY: spans in the lists are live, and the lock is held.
                let record = unsafe { span.as_ref() };
                next = record.next.get();
                if record.used.get() == 0 {
                    // SAFETY: it is in the list of its class.
                    unsafe { self.unlink(span, class) };
                    // SAFETY: it was taken out above, and is empty.
                    unsafe { self.give_back(span) };
                }
            }
        }
        let mut given = self.give_back_idle(u64::MAX);
        let mut next = self.open;
        while let Some(region) = NonNull::new(next) {
            // SAFETY: regions in the list are mapped.
            next = unsafe { region.as_ref() }.next.get();
            // SAFETY: it is open.
            given |= unsafe { self.release_unused(region) };
        }
        given
    }

    /// Drops the free slices of a region that is in use.
    ///
    /// # Safety
    /// `region` is one of this heap's.
    unsafe fn release_unused(&mut self, region: NonNull<Region>) -> bool {
        // SAFETY: the caller's: it is mapped; the lock is held.
        let record = unsafe { region.as_ref() };
        let slice = self.geometry.slice();
        let mut given = false;
        record.free_runs(|first, slices| {
            // SAFETY: the slices are those of the region.
            let at = unsafe { region.cast::<u8>().add(first * slice) };
            // SAFETY: slices that belong to no span hold no block.
            given |= unsafe { os::advise(at, slices * slice, libc::MADV_DONTNEED) };
        });
        given
    }

    pub(super) fn stats(&self) -> HeapStats {
        let mut stats = HeapStats {
            regions: self.regions,
            ..HeapStats::default()
        };
        for list in [self.open, self.full] {
            let mut next = list;
            while let Some(region) = NonNull::new(next) {
                // SAFETY: regions in the lists are mapped, and the lock is held.
                let record = unsafe { region.as_ref() };
                record.spans(|span| {
                    stats.live_blocks += usize::from(span.used.get());
                    stats.live_bytes += usize::from(span.used.get()) * span.block(self.geometry);
                });
                next = record.next.get();
            }
        }
        stats
    }
}

/// Puts a region at the head of a list.
///
/// # Safety
/// It is mapped and in no list; the lock of its heap, whose list it is, is held.
unsafe fn insert(list: &mut *mut Region, region: NonNull<Region>) {
    // SAFETY: the caller's.
    let record = unsafe { region.as_ref() };
    record.prev.set(null_mut());
    record.next.set(*list);
    if let Some(next) = NonNull::new(*list) {
        // SAFETY: regions in the list are mapped, and another one than `region`.
        unsafe { next.as_ref() }.prev.set(region.as_ptr());
    }
    *list = region.as_ptr();
}

/// Takes a region out of the list that it is in.
///
/// # Safety
/// It is in that list, and the lock of its heap is held.
unsafe fn remove(list: &mut *mut Region, region: NonNull<Region>) {
    // SAFETY: the caller's.
    let record = unsafe { region.as_ref() };
    let (prev, next) = (record.prev.get(), record.next.get());
    match NonNull::new(prev) {
        // SAFETY: neighbours in the list are mapped.
        Some(prev) => unsafe { prev.as_ref() }.next.set(next),
        None => *list = next,
    }
    if let Some(next) = NonNull::new(next) {
        // SAFETY: as above.
        unsafe { next.as_ref() }.prev.set(prev);
    }
}
