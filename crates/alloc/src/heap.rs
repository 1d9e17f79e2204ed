//! The heap of one core: its regions, and the spans in them that have room.
//!
//! # Theory
//!
//! Everything in [`Inner`] belongs to the holder of the heap's lock. Threads that run on the
//! core take it, and mostly find it free: only hardware threads of one core, and a thread that
//! was preempted while it held it, ever compete.
//!
//! A block that is freed on another core goes onto a list to which anybody may add
//! ([`crate::remote`]). The holder of the lock takes it when a class runs out of room; who adds the
//! 256th block takes the lock, if it is free, and brings them home, so that the memory of a core
//! that sleeps comes back too.
//!
//! Spans with room stand in a list for each class, the latest first. A span that becomes empty
//! gives its slices back unless it is the last of its class with room. A region that becomes empty
//! lingers for 50 ms, and is unmapped then, or at once where eight of them linger: so a load that
//! goes up and down costs few system calls and page faults, and what it leaves behind is given
//! back. Time is looked at when spans are made or become empty; a program that allocates nothing
//! any more keeps what lingered last, until [`Heap::trim`]. A span is taken from a region in use
//! before one that lingers, and from one that lingers before a new one.

use crate::class::{CLASSES, size_of_class, slices_of_class};
use crate::lock::Lock;
use crate::os;
use crate::region::{Block, FREE_WHEN_EMPTY, Geometry, Region, SINGLE, Span};
use crate::remote::{Chain, Remote};
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};

/// Blocks on the remote list after which who frees brings them home.
const MANY: usize = 256;
/// Regions with free slices that are looked at before a new one is mapped.
const LOOKS: usize = 32;
/// Regions of a heap before further ones are huge from the start.
const SMALL_HEAP: usize = 2;

/// Empty regions that linger at the most.
const KEPT: usize = 8;
/// How long they linger.
const LINGER_MS: u64 = 50;

/// The heap of a core.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) lock: Lock,
    remote: Remote,
    inner: UnsafeCell<Inner>,
}

// SAFETY: `inner` is only touched by the holder of `lock`; the rest is atomic.
unsafe impl Sync for Heap {}

/// What the lock guards.
#[derive(Debug)]
pub(crate) struct Inner {
    core: u32,
    geometry: Geometry,
    /// Whether the kernel is asked for huge pages.
    huge: bool,
    /// Spans with room, by class.
    with_room: [*mut Span; CLASSES],
    /// Regions with free slices, those without, and those that are empty, the latest first.
    open: *mut Region,
    full: *mut Region,
    idle: *mut Region,
    regions: usize,
    empty: usize,
}

/// What a heap holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapStats {
    /// Regions of this core.
    pub regions: usize,
    /// Bytes of live blocks, as large as their classes.
    pub live_bytes: usize,
    /// Live blocks.
    pub live_blocks: usize,
}

impl Heap {
    /// A heap without regions.
    pub(crate) const fn new(core: u32, geometry: Geometry, huge: bool) -> Self {
        Self {
            lock: Lock::new(),
            remote: Remote::new(),
            inner: UnsafeCell::new(Inner {
                core,
                geometry,
                huge,
                with_room: [null_mut(); CLASSES],
                open: null_mut(),
                full: null_mut(),
                idle: null_mut(),
                regions: 0,
                empty: 0,
            }),
        }
    }

    /// Runs `work` under the lock.
    #[inline]
    fn locked<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        self.lock.lock();
        // SAFETY: the lock is held, and `work` cannot reach the heap again.
        let done = work(unsafe { &mut *self.inner.get() });
        self.lock.unlock();
        done
    }

    /// A block of a class.
    #[inline]
    pub(crate) fn take(&self, class: usize) -> *mut u8 {
        self.locked(|inner| match NonNull::new(inner.with_room[class]) {
            Some(span) => inner.pop(span, class),
            None => self.take_slow(inner, class),
        })
    }

    /// Blocks of a class, as many as there are places for and memory; how many.
    pub(crate) fn take_many(&self, class: usize, places: &mut [*mut u8]) -> usize {
        self.locked(|inner| {
            for (taken, place) in places.iter_mut().enumerate() {
                *place = match NonNull::new(inner.with_room[class]) {
                    Some(span) => inner.pop(span, class),
                    None => self.take_slow(inner, class),
                };
                if place.is_null() {
                    return taken;
                }
            }
            places.len()
        })
    }

    /// Takes back free blocks of this heap.
    pub(crate) fn give_many(&self, blocks: &[*mut u8]) {
        self.locked(|inner| blocks.iter().for_each(|&block| inner.push_at(block)));
    }

    #[cold]
    fn take_slow(&self, inner: &mut Inner, class: usize) -> *mut u8 {
        self.bring_home(inner);
        let span = NonNull::new(inner.with_room[class]).or_else(|| inner.new_span(class));
        span.map_or(null_mut(), |span| inner.pop(span, class))
    }

    /// A block of its own slices.
    pub(crate) fn take_single(&self, slices: usize, align: usize) -> *mut u8 {
        self.locked(|inner| {
            self.bring_home(inner);
            let Some((mut region, span)) = inner.take_slices(slices, align) else {
                return null_mut();
            };
            // SAFETY: the region is in use, and the lock is held.
            unsafe { region.as_mut() }.hold_single(span, slices);
            // SAFETY: the span was just made.
            unsafe { span.as_ref() }.start(inner.geometry)
        })
    }

    /// Frees a block on its own core.
    ///
    /// # Safety
    /// `at` is a live block of `span`, which lies in `region`, one of this heap's.
    #[inline]
    pub(crate) unsafe fn free(&self, at: NonNull<u8>, span: NonNull<Span>) {
        // SAFETY: the caller's, and `locked` holds the lock.
        self.locked(|inner| unsafe { inner.push(at.cast(), span) });
    }

    /// Frees blocks of this heap on another core.
    pub(crate) fn free_from_afar(&self, chain: Chain) {
        let many = self.remote.add(chain) >= MANY;
        if many && self.lock.try_lock() {
            // SAFETY: the lock is held.
            self.bring_home(unsafe { &mut *self.inner.get() });
            self.lock.unlock();
        }
    }

    /// Puts the blocks that other cores freed where they belong.
    fn bring_home(&self, inner: &mut Inner) {
        self.remote
            .take(|block| inner.push_at(block.as_ptr().cast()));
    }

    /// Gives back what is empty; whether anything was.
    pub(crate) fn trim(&self) -> bool {
        self.locked(|inner| {
            self.bring_home(inner);
            inner.trim()
        })
    }

    /// Live blocks, among them those that wait to be brought home.
    #[cfg(test)]
    pub(crate) fn live_blocks_at_home(&self) -> usize {
        self.locked(|inner| inner.stats().live_blocks)
    }

    /// What the heap holds now.
    pub(crate) fn stats(&self) -> HeapStats {
        self.locked(|inner| {
            self.bring_home(inner);
            inner.stats()
        })
    }
}

impl Inner {
    /// The next block of a span with room.
    #[inline]
    fn pop(&mut self, mut span: NonNull<Span>, class: usize) -> *mut u8 {
        // SAFETY: spans in the lists are live, and the lock is held.
        let span = unsafe { span.as_mut() };
        let block = match NonNull::new(span.free) {
            Some(block) => {
                // SAFETY: blocks in a span's list are free.
                span.free = unsafe { block.as_ref() }.next;
                block.cast::<u8>().as_ptr()
            }
            None => {
                let at = usize::from(span.carved) * size_of_class(class);
                span.carved += 1;
                // SAFETY: fewer blocks than the span's capacity were carved, so this one is in it.
                unsafe { span.start(self.geometry).add(at) }
            }
        };
        span.used += 1;
        if !span.has_room() {
            self.unlink(span, class);
        }
        block
    }

    /// Takes a block back into its span.
    ///
    /// # Safety
    /// The block was given out by this heap from `span`, and nobody uses it any more.
    #[inline]
    unsafe fn push(&mut self, block: NonNull<Block>, mut span: NonNull<Span>) {
        // SAFETY: the span holds the block, so it is live.
        let record = unsafe { span.as_mut() };
        if record.class == SINGLE {
            return self.give_back(record);
        }
        // SAFETY: the caller's: the block is free now, and has room for a list.
        unsafe { (*block.as_ptr()).next = record.free };
        record.free = block.as_ptr();
        let class = usize::from(record.class);
        if !record.has_room() {
            self.link(record, class);
        }
        record.used -= 1;
        if record.used == 0 && !(record.next.is_null() && record.prev.is_null()) {
            self.unlink(record, class);
            self.give_back(record);
        }
    }

    /// Takes back a block that was freed and is not home yet.
    fn push_at(&mut self, block: *mut u8) {
        let Some(at) = NonNull::new(block) else {
            return;
        };
        let Some(region) = NonNull::new(self.geometry.base(at).cast::<Region>()) else {
            return;
        };
        // SAFETY: a block that is not home yet keeps its span and its region alive.
        let span = unsafe { Region::span_of(region, at, self.geometry) };
        // SAFETY: lists and magazines hold blocks of their own heap alone, each once.
        unsafe { self.push(at.cast(), span) };
    }

    fn link(&mut self, span: &mut Span, class: usize) {
        span.prev = null_mut();
        span.next = self.with_room[class];
        if let Some(mut next) = NonNull::new(span.next) {
            // SAFETY: spans in the list are live, and none of them is `span`.
            unsafe { next.as_mut() }.prev = span;
        }
        self.with_room[class] = span;
    }

    fn unlink(&mut self, span: &mut Span, class: usize) {
        match NonNull::new(span.prev) {
            // SAFETY: neighbours in the list are live spans.
            Some(mut prev) => unsafe { prev.as_mut() }.next = span.next,
            None => self.with_room[class] = span.next,
        }
        if let Some(mut next) = NonNull::new(span.next) {
            // SAFETY: as above.
            unsafe { next.as_mut() }.prev = span.prev;
        }
        (span.next, span.prev) = (null_mut(), null_mut());
    }

    /// A span for a class, in its list.
    fn new_span(&mut self, class: usize) -> Option<NonNull<Span>> {
        let slices = slices_of_class(class, self.geometry.slice());
        let (mut region, mut span) = self.take_slices(slices, 1)?;
        // SAFETY: the region is in use, and the lock is held.
        unsafe { region.as_mut() }.hold(span, class, self.geometry);
        // SAFETY: the span was just made, and the lock is held.
        self.link(unsafe { span.as_mut() }, class);
        Some(span)
    }

    /// Slices of an open region, of one that lingers, or of a new one.
    fn take_slices(
        &mut self,
        slices: usize,
        align: usize,
    ) -> Option<(NonNull<Region>, NonNull<Span>)> {
        let mut next = self.open;
        for _ in 0..LOOKS {
            let Some(region) = NonNull::new(next) else {
                break;
            };
            if let Some(span) = self.take_from(region, slices, align) {
                return Some((region, span));
            }
            // SAFETY: regions in the list are mapped.
            next = unsafe { region.as_ref() }.next;
        }
        let region = match NonNull::new(self.idle) {
            Some(region) => self.awaken(region),
            None => self.new_region()?,
        };
        insert(&mut self.open, region);
        self.take_from(region, slices, align)
            .map(|span| (region, span))
    }

    fn take_from(
        &mut self,
        mut region: NonNull<Region>,
        slices: usize,
        align: usize,
    ) -> Option<NonNull<Span>> {
        // SAFETY: regions in the list are mapped, and the lock is held.
        let record = unsafe { region.as_mut() };
        let span = record.take(slices, align)?;
        if record.free_slices == 0 {
            remove(&mut self.open, region);
            insert(&mut self.full, region);
            self.make_huge(region);
        }
        Some(span)
    }

    fn new_region(&mut self) -> Option<NonNull<Region>> {
        let is_huge = self.huge && self.regions >= SMALL_HEAP;
        let region = Region::map(self.geometry, self.core, is_huge)?;
        self.regions += 1;
        Some(region)
    }

    /// Takes the latest empty region, and gives back those that have lingered for too long.
    fn awaken(&mut self, region: NonNull<Region>) -> NonNull<Region> {
        remove(&mut self.idle, region);
        self.empty -= 1;
        self.give_back_idle(os::now_ms().saturating_sub(LINGER_MS));
        region
    }

    /// Lets a region that became empty linger.
    fn put_to_rest(&mut self, mut region: NonNull<Region>) {
        let now = os::now_ms();
        // SAFETY: the region is mapped, and the lock is held.
        unsafe { region.as_mut() }.empty_since = now;
        remove(&mut self.open, region);
        insert(&mut self.idle, region);
        self.empty += 1;
        self.give_back_idle(now.saturating_sub(LINGER_MS));
    }

    /// Unmaps regions that became empty before then, and those beyond the latest few.
    fn give_back_idle(&mut self, before: u64) -> bool {
        let (mut next, mut kept, all) = (self.idle, 0, self.empty);
        while let Some(region) = NonNull::new(next) {
            // SAFETY: regions in the list are mapped, and the lock is held.
            let record = unsafe { region.as_ref() };
            next = record.next;
            if kept < KEPT && record.empty_since >= before {
                kept += 1;
                continue;
            }
            remove(&mut self.idle, region);
            self.regions -= 1;
            self.empty -= 1;
            os::unmap(region.cast(), self.geometry.region);
        }
        self.empty < all
    }

    /// Makes a huge page of a region that is full. A heap that has grown has them from the start;
    /// a small one does not, so that a small program does not take megabytes that it never uses.
    fn make_huge(&self, mut region: NonNull<Region>) {
        // SAFETY: the region is mapped, and the lock is held.
        let record = unsafe { region.as_mut() };
        if !self.huge || record.is_huge {
            return;
        }
        record.is_huge = true;
        os::advise(region.cast(), self.geometry.region, libc::MADV_HUGEPAGE);
        os::advise(region.cast(), self.geometry.region, os::MADV_COLLAPSE);
    }

    /// Gives the slices of an empty span back to its region, and an empty region to the kernel.
    fn give_back(&mut self, span: &mut Span) {
        let (first, slices) = (usize::from(span.first), span.slices(self.geometry));
        span.used = 0;
        let at = NonNull::from(span).cast::<u8>();
        let region = self.geometry.base(at).cast::<Region>();
        // SAFETY: the record of a span stands in the header of its region.
        let mut region = unsafe { NonNull::new_unchecked(region) };
        // SAFETY: the region is mapped, and the lock is held; `span` is not used again.
        let record = unsafe { region.as_mut() };
        let was_full = record.free_slices == 0;
        record.give(first, slices);
        if was_full {
            remove(&mut self.full, region);
            insert(&mut self.open, region);
        }
        if record.free_slices == FREE_WHEN_EMPTY {
            self.put_to_rest(region);
        } else if !self.idle.is_null() {
            self.give_back_idle(os::now_ms().saturating_sub(LINGER_MS));
        }
    }

    fn trim(&mut self) -> bool {
        for class in 0..CLASSES {
            let mut next = self.with_room[class];
            while let Some(mut span) = NonNull::new(next) {
                // SAFETY: spans in the lists are live, and the lock is held.
                let record = unsafe { span.as_mut() };
                next = record.next;
                if record.used == 0 {
                    self.unlink(record, class);
                    self.give_back(record);
                }
            }
        }
        let mut given = self.give_back_idle(u64::MAX);
        let mut next = self.open;
        while let Some(region) = NonNull::new(next) {
            // SAFETY: regions in the list are mapped.
            next = unsafe { region.as_ref() }.next;
            given |= self.release_unused(region);
        }
        given
    }

    /// Drops the free slices of a region that is in use.
    fn release_unused(&mut self, region: NonNull<Region>) -> bool {
        // SAFETY: the caller's region is mapped, and the lock is held.
        let record = unsafe { region.as_ref() };
        let slice = self.geometry.slice();
        let mut given = false;
        record.free_runs(|first, slices| {
            // SAFETY: the slices are those of the region.
            let at = unsafe { region.cast::<u8>().add(first * slice) };
            given |= os::advise(at, slices * slice, libc::MADV_DONTNEED);
        });
        given
    }

    fn stats(&self) -> HeapStats {
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
                    stats.live_blocks += usize::from(span.used);
                    stats.live_bytes += usize::from(span.used) * span.block(self.geometry);
                });
                next = record.next;
            }
        }
        stats
    }
}

/// Puts a region at the head of a list.
fn insert(list: &mut *mut Region, mut region: NonNull<Region>) {
    // SAFETY: the region is mapped and in no list; the lock is held.
    let record = unsafe { region.as_mut() };
    record.prev = null_mut();
    record.next = *list;
    if let Some(mut next) = NonNull::new(*list) {
        // SAFETY: regions in the list are mapped, and another one than `region`.
        unsafe { next.as_mut() }.prev = region.as_ptr();
    }
    *list = region.as_ptr();
}

/// Takes a region out of the list that it is in.
fn remove(list: &mut *mut Region, region: NonNull<Region>) {
    // SAFETY: the region is mapped; the lock is held.
    let record = unsafe { region.as_ref() };
    let (prev, next) = (record.prev, record.next);
    match NonNull::new(prev) {
        // SAFETY: neighbours in the list are mapped.
        Some(mut prev) => unsafe { prev.as_mut() }.next = next,
        None => *list = next,
    }
    if let Some(mut next) = NonNull::new(next) {
        // SAFETY: as above.
        unsafe { next.as_mut() }.prev = prev;
    }
}
