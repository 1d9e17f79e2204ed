//! A region: one large page of memory that belongs to one core.
//!
//! # Theory
//!
//! A region is as large as the large page and aligned to it, so the region of a block is found by
//! clearing the low bits of its address. It is cut into 256 slices. The first two hold this
//! header; the others are given out as *spans*: runs of slices that hold blocks of one size
//! class, or one block of its own.
//!
//! ```text
//!  0        2 slices                                                      256
//!  +--------+-----------+-----+------------------------+-----------------+
//!  | header | span of   | sp. | one block of 17 slices |  free slices    |
//!  |        | 48-byte b.| 4 K |                        |                 |
//!  +--------+-----------+-----+------------------------+-----------------+
//! ```
//!
//! The record of a span stands at its first slice's place in the header; every slice of the span
//! knows that place. What a free needs to see, the owner and the class of a slice, stands together
//! ([`Seen`]), at one of eight places: headers begin at multiples of a large page, so without that
//! those of all regions would compete for the same few lines of a cache. Blocks are carved from a span one after the other, so that memory that was
//! never asked for is never touched; freed blocks form a list through their own first word.
//!
//! A region changes its owner only by being given back whole. Its header is written under the
//! lock of the owner's heap; the tag, and the class, capacity and first slice of a span that holds
//! a live block, do not change, so that any thread may read them. A thread that frees a block reads
//! those while the owner writes what stands beside them. So nobody borrows a header or a span
//! mutably: what only the owner sees is a [`Cell`], what others see is atomic.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};

use crate::class::{size_of_class, slices_of_class};
use crate::os;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

/// Slices in a region.
pub(crate) const SLICES: usize = 256;
/// Slices of the header.
const HEADER: usize = 2;
/// The class of a span that is one block.
pub(crate) const SINGLE: u8 = u8::MAX;

/// The tag of the first core's regions.
const FIRST_TAG: u64 = 0x6667_7265_6769_0000;

/// What is written in all regions of a core, and nowhere else.
#[inline]
pub(crate) fn tag_of(core: usize) -> u64 {
    FIRST_TAG + core as u64
}

/// The core whose regions have that tag.
#[inline]
pub(crate) fn core_of(tag: u64) -> Option<usize> {
    (tag & !0xffff == FIRST_TAG).then_some((tag & 0xffff) as usize)
}

/// A free block: the next one in its list.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) next: *mut Block,
    /// In hardened mode, what marks the block as free.
    pub(crate) mark: u64,
}

/// A run of slices. All zero where no span begins.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) free: Cell<*mut Block>,
    pub(crate) next: Cell<*mut Span>,
    pub(crate) prev: Cell<*mut Span>,
    /// Blocks in use.
    pub(crate) used: Cell<u16>,
    /// Blocks that were ever given out: those beyond were never touched.
    pub(crate) carved: Cell<u16>,
    /// Blocks in all; slices, for a span that is one block.
    capacity: AtomicU16,
    class: AtomicU8,
    /// The place of the span's first slice; of every slice in it.
    first: AtomicU8,
}

/// The places in a header for what a free sees.
const PLACES: usize = 8;

/// What a free sees of a region.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Seen {
    /// The owner's tag; zero in the places that are not used, and in the header of a large block.
    pub(crate) tag: AtomicU64,
    /// The class of the span that a slice is part of.
    pub(crate) classes: [AtomicU8; SLICES],
}

/// The header of a region.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Region {
    /// Slices that belong to no span.
    pub(crate) free_slices: Cell<u32>,
    /// Whether the kernel was asked for huge pages.
    pub(crate) is_huge: Cell<bool>,
    /// When it became empty: milliseconds of [`os::now_ms`].
    pub(crate) empty_since: Cell<u64>,
    pub(crate) next: Cell<*mut Region>,
    pub(crate) prev: Cell<*mut Region>,
    /// A bit for each slice that belongs to no span.
    free: [Cell<u64>; SLICES / 64],
    /// All within the first page, which a large block has too.
    seen: [Seen; PLACES],
    spans: [Span; SLICES],
}

const _: () = assert!(std::mem::offset_of!(Region, spans) <= os::PAGE);

/// Size of the regions: two or four MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) region: usize,
    slice_shift: u32,
}

impl Geometry {
    /// That of regions of the given size in bytes, a power of two.
    pub(crate) const fn of(region: usize) -> Self {
        Self {
            region,
            slice_shift: (region / SLICES).trailing_zeros(),
        }
    }

    /// Bytes of a slice.
    #[inline]
    pub(crate) fn slice(self) -> usize {
        self.region / SLICES
    }

    /// Where the region of an address begins.
    ///
    /// What a program frees has the provenance of one block at best; regions expose theirs when
    /// they are mapped, so their headers can be found from an address alone.
    #[inline]
    pub(crate) fn base(self, at: NonNull<u8>) -> *mut u8 {
        with_exposed_provenance_mut(at.addr().get() & !(self.region - 1))
    }

    /// Which slice of its region an address is in.
    #[inline]
    pub(crate) fn slice_of(self, at: NonNull<u8>) -> usize {
        (at.addr().get() & (self.region - 1)) >> self.slice_shift
    }

    /// Slices that hold `size` bytes.
    #[inline]
    pub(crate) fn slices_for(self, size: usize) -> usize {
        size.div_ceil(self.slice())
    }

    /// The largest block within a region: half of it.
    #[inline]
    pub(crate) fn largest_single(self) -> usize {
        self.region / 2
    }
}

/// Slices of an empty region.
pub(crate) const FREE_WHEN_EMPTY: u32 = (SLICES - HEADER) as u32;

impl Region {
    /// A fresh region of a core's; `None` when the kernel has no memory.
    ///
    /// Huge pages are asked for before anything is written: what was touched by then would stay
    /// on a small page, and the rest with it.
    pub(crate) fn map(geometry: Geometry, owner: u32, is_huge: bool) -> Option<NonNull<Self>> {
        let region = os::map(geometry.region, geometry.region)?.cast::<Self>();
        if is_huge {
            // SAFETY: the mapping just made.
            unsafe { os::advise(region.cast(), geometry.region, libc::MADV_HUGEPAGE) };
        }
        region.as_ptr().expose_provenance();
        // SAFETY: the mapping is fresh, zero and longer than the header; nobody else knows it.
        let header = unsafe { region.as_ref() };
        header.own_seen().tag.store(tag_of(owner as usize), Relaxed);
        header.is_huge.set(is_huge);
        header.free_slices.set(FREE_WHEN_EMPTY);
        header.free.iter().for_each(|word| word.set(u64::MAX));
        header.free[0].set(u64::MAX << HEADER);
        Some(region)
    }

    /// What a free sees, of what begins at `base`: a region, or the first page of a large block.
    #[inline]
    pub(crate) fn seen(base: NonNull<Self>) -> *const Seen {
        // Large pages of 2 MiB lie one after the other in these bits.
        let place = (base.addr().get() >> 21) % PLACES;
        let at = std::mem::offset_of!(Self, seen) + place * size_of::<Seen>();
        base.as_ptr().cast::<u8>().wrapping_add(at).cast()
    }

    fn own_seen(&self) -> &Seen {
        &self.seen[((&raw const *self).addr() >> 21) % PLACES]
    }

    fn set_class(&self, first: usize, slices: usize, class: u8) {
        let seen = &self.own_seen().classes[first..first + slices];
        seen.iter().for_each(|slice| slice.store(class, Relaxed));
        self.spans[first].class.store(class, Relaxed);
    }

    /// Makes the span that begins at a slice hold blocks of a class.
    pub(crate) fn hold(&self, first: usize, class: usize, geometry: Geometry) {
        let slices = slices_of_class(class, geometry.slice());
        let blocks = slices * geometry.slice() / size_of_class(class);
        self.spans[first].capacity.store(blocks as u16, Relaxed);
        self.set_class(first, slices, class as u8);
    }

    /// Makes the span that begins at a slice one block.
    pub(crate) fn hold_single(&self, first: usize, slices: usize) {
        self.spans[first].capacity.store(slices as u16, Relaxed);
        self.spans[first].used.set(1);
        self.set_class(first, slices, SINGLE);
    }

    /// Takes `slices` slices from a place that is a multiple of `align` slices and makes a span: its
    /// first slice.
    pub(crate) fn take(&self, slices: usize, align: usize) -> Option<usize> {
        let first = self.find(slices, align)?;
        for at in first..first + slices {
            self.free[at / 64].update(|bits| bits & !(1 << (at % 64)));
            self.spans[at].first.store(first as u8, Relaxed);
        }
        self.free_slices.update(|free| free - slices as u32);
        let span = &self.spans[first];
        span.free.set(null_mut());
        span.used.set(0);
        span.carved.set(0);
        Some(first)
    }

    /// The record of the span that begins at a slice. It comes from the region's own pointer, so that
    /// it stays good when the region is borrowed again.
    ///
    /// # Safety
    /// `region` is mapped.
    #[inline]
    pub(crate) unsafe fn span(region: NonNull<Self>, first: usize) -> NonNull<Span> {
        assert!(first < SLICES, "no such slice");
        // SAFETY: the caller's.
        let spans = unsafe { &raw mut (*region.as_ptr()).spans }.cast::<Span>();
        // SAFETY: the place is one of the array.
        let span = unsafe { spans.add(first) };
        // SAFETY: a place in an array of a mapped header is not null.
        unsafe { NonNull::new_unchecked(span) }
    }

    /// The first run of free slices that is long enough.
    fn find(&self, slices: usize, align: usize) -> Option<usize> {
        let mut at = HEADER;
        while at + slices <= SLICES {
            at = self.next_free(at)?.next_multiple_of(align);
            match self.first_taken(at, slices) {
                None if at + slices <= SLICES => return Some(at),
                None => return None,
                Some(taken) => at = taken + 1,
            }
        }
        None
    }

    /// The first free slice at `from` or after it.
    fn next_free(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.free.get(word)?.get() & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = self.free.get(word)?.get();
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The first slice of a run that is taken.
    fn first_taken(&self, at: usize, slices: usize) -> Option<usize> {
        let mut run = at..(at + slices).min(SLICES);
        run.find(|slice| self.free[slice / 64].get() & (1 << (slice % 64)) == 0)
    }

    /// Gives the slices of a span back.
    pub(crate) fn give(&self, first: usize, slices: usize) {
        for at in first..first + slices {
            self.free[at / 64].update(|bits| bits | 1 << (at % 64));
        }
        self.free_slices.update(|free| free + slices as u32);
    }

    /// Calls `see` with every run of free slices.
    pub(crate) fn free_runs(&self, mut see: impl FnMut(usize, usize)) {
        let mut at = HEADER;
        while let Some(first) = self.next_free(at) {
            let end = self.first_taken(first, SLICES - first).unwrap_or(SLICES);
            see(first, end - first);
            at = end;
            if at >= SLICES {
                return;
            }
        }
    }

    /// Calls `see` with every span.
    pub(crate) fn spans(&self, mut see: impl FnMut(&Span)) {
        let is_taken = |at: usize| self.free[at / 64].get() & (1 << (at % 64)) == 0;
        let firsts = (HEADER..SLICES).filter(|&at| is_taken(at));
        for at in firsts.filter(|&at| self.spans[at].first() == at) {
            see(&self.spans[at]);
        }
    }

    /// The span that holds an address of this region.
    ///
    /// # Safety
    /// `region` begins a region, and `at` lies within a live span of it.
    #[inline]
    pub(crate) unsafe fn span_of(
        region: NonNull<Self>,
        at: NonNull<u8>,
        geometry: Geometry,
    ) -> NonNull<Span> {
        let slice = geometry.slice_of(at);
        // SAFETY: the caller's: the header is there for as long as the region has a live span.
        let spans = unsafe { &raw mut (*region.as_ptr()).spans }.cast::<Span>();
        // SAFETY: a slice's place is below SLICES.
        let record = unsafe { spans.add(slice) };
        // SAFETY: the record of a slice of a live span does not change.
        let first = unsafe { &*record }.first();
        // SAFETY: so is the place of its first slice.
        let span = unsafe { spans.add(first) };
        // SAFETY: a place in an array of a live header is not null.
        unsafe { NonNull::new_unchecked(span) }
    }
}

impl Span {
    /// The class of its blocks, or [`SINGLE`].
    #[inline]
    pub(crate) fn class(&self) -> u8 {
        self.class.load(Relaxed)
    }

    /// The place of its first slice.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        usize::from(self.first.load(Relaxed))
    }

    #[inline]
    fn capacity(&self) -> usize {
        usize::from(self.capacity.load(Relaxed))
    }

    /// Slices of the span.
    pub(crate) fn slices(&self, geometry: Geometry) -> usize {
        match self.class() {
            SINGLE => self.capacity(),
            class => slices_of_class(usize::from(class), geometry.slice()),
        }
    }

    /// Bytes of each of its blocks.
    #[inline]
    pub(crate) fn block(&self, geometry: Geometry) -> usize {
        match self.class() {
            SINGLE => self.capacity() * geometry.slice(),
            class => size_of_class(usize::from(class)),
        }
    }

    /// Whether another block can be had.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        usize::from(self.used.get()) < self.capacity()
    }

    /// Whether no other is in its list.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.next.get().is_null() && self.prev.get().is_null()
    }

    /// Where its first slice begins.
    #[inline]
    pub(crate) fn start(&self, geometry: Geometry) -> *mut u8 {
        let region = (&raw const *self).addr() & !(geometry.region - 1);
        with_exposed_provenance_mut(region + self.first() * geometry.slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO: Geometry = Geometry::of(2 << 20);

    fn region() -> &'static Region {
        let region = Region::map(TWO, 3, false).expect("2 MiB");
        // SAFETY: the region is fresh and never unmapped in tests.
        unsafe { &*region.as_ptr() }
    }

    #[test]
    fn the_header_fits_its_slices_in_regions_of_both_sizes() {
        assert!(size_of::<Region>() <= HEADER * TWO.slice());
        assert_eq!(size_of::<Span>(), 32);
    }

    #[test]
    fn a_region_gives_all_its_slices_and_takes_them_back() {
        let region = region();
        let mut spans = Vec::new();
        while let Some(span) = region.take(3, 1) {
            spans.push(span);
        }
        assert_eq!(spans.len(), (SLICES - HEADER) / 3);
        for first in spans {
            region.give(first, 3);
        }
        assert_eq!(region.free_slices.get(), FREE_WHEN_EMPTY);
        assert!(region.take(SLICES - HEADER, 1).is_some());
    }

    #[test]
    fn a_span_starts_where_its_slice_does() {
        let region = region();
        let base = (&raw const *region).addr();
        let first = region.take(1, 128).expect("an empty region has it");
        let start = region.spans[first].start(TWO);
        assert_eq!(start.addr(), base + 128 * TWO.slice());
    }

    proptest! {
        #[test]
        fn spans_never_overlap(sizes in prop::collection::vec((1_usize..40, 0_u32..5), 1..60)) {
            let region = region();
            let mut owner = [None; SLICES];
            for (number, (slices, align)) in sizes.into_iter().enumerate() {
                let Some(first) = region.take(slices, 1 << align) else { continue };
                prop_assert!(first.is_multiple_of(1 << align) && first >= HEADER);
                for slot in &mut owner[first..first + slices] {
                    prop_assert!(slot.replace(number).is_none());
                }
                if number % 3 == 0 {
                    region.give(first, slices);
                    owner[first..first + slices].fill(None);
                }
            }
            let free = owner[HEADER..].iter().filter(|slot| slot.is_none()).count();
            prop_assert_eq!(region.free_slices.get() as usize, free);
            let mut seen = 0;
            region.free_runs(|_, slices| seen += slices);
            prop_assert_eq!(seen, free);
        }
    }
}
