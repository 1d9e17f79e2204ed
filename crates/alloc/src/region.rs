//! A region: one large page of memory that belongs to one core, as large as that page and aligned to it, so that the
//! region of a block is found by clearing low bits of its address. It is cut into 256 slices. The first two hold this
//! header; the others are given out as *spans*: runs of slices that hold blocks of one size class, or one block alone.
//! ```text
//!  0        2 slices                                                      256
//!  +--------+-----------+-----+------------------------+-----------------+
//!  | header | span of   | sp. | one block of 17 slices |  free slices    |
//!  |        | 48-byte b.| 4 K |                        |                 |
//!  +--------+-----------+-----+------------------------+-----------------+
//! ```
//! The record of a span stands at its first slice's place in the header; every slice of the span knows that place. What
//! a free needs to see, the owner and the class of a slice ([`Seen`]), stands together, and so does what the owner
//! needs to find room ([`Own`]), each at one of eight places: headers begin at multiples of a large page, so all would
//! compete for the same few lines of a cache. Blocks are carved from a span in order, so that memory that was never
//! asked for is never touched; freed blocks form a list through their own first word. Which slices hold zeros is known.
//!
//! A region changes its owner only by being given back whole. Its header is written under the lock of the owner's heap;
//! the tag, and the class, capacity and first slice of a span that holds a live block, do not change, so any thread may
//! read them, while the owner writes what stands beside them. So nobody borrows a header or a span mutably: what only
//! the owner sees is a [`Cell`], what others see is atomic.

mod bits;

use std::cell::Cell;
use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};

use crate::class::{is_alone, size_of_class, slices_of_class};
use crate::os;
use bits::Bits;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

pub(crate) const SLICES: usize = 256;
const HEADER: usize = 2;

const FIRST_TAG: u64 = 0x6667_7265_6769_0000;

#[inline]
pub(crate) fn tag_of(core: usize) -> u64 {
    FIRST_TAG + core as u64
}

#[inline]
pub(crate) fn core_of(tag: u64) -> Option<usize> {
    (tag & !0xffff == FIRST_TAG).then_some((tag & 0xffff) as usize)
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) next: *mut Block,
}

const _: () = assert!(size_of::<Block>() <= crate::class::WORD);

/// A run of slices. All zero where no span begins.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) free: Cell<*mut Block>,
    pub(crate) next: Cell<*mut Span>,
    pub(crate) prev: Cell<*mut Span>,
    pub(crate) used: Cell<u16>,
    /// Blocks that were ever given out: those beyond were never touched.
    pub(crate) carved: Cell<u16>,
    capacity: AtomicU16,
    class: AtomicU8,
    marks: Cell<u8>,
}

/// The span's slices held zeros when it was made.
const CLEAN: u8 = 1;
/// The span was empty when the heap looked for such spans last.
const OLD: u8 = 2;

/// The places in a header for what is looked at often.
pub(crate) const PLACES: usize = 8;

/// As long as a power of two: a free finds its place by a shift.
#[repr(C, align(512))]
#[derive(Debug)]
pub(crate) struct Seen {
    /// The owner's tag; zero in the places that are not used, and in the header of a large block.
    pub(crate) tag: AtomicU64,
    pub(crate) classes: [AtomicU8; SLICES],
}

#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) next: Cell<*mut Region>,
    pub(crate) prev: Cell<*mut Region>,
    pub(crate) free_slices: Cell<u32>,
    pub(crate) longest: Cell<u16>,
    /// Whether the kernel was asked for huge pages.
    pub(crate) is_huge: Cell<bool>,
    pub(crate) is_sparse: Cell<bool>,
    pub(crate) is_old: Cell<bool>,
    /// Slices that belong to no span, and those of them that did not either when the heap looked last.
    free: Bits,
    rested: Bits,
    /// Slices that hold zeros: nobody had them since they were mapped, or dropped.
    clean: Bits,
    firsts: [AtomicU8; SLICES],
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Region {
    /// All within the first page, which a large block has too.
    seen: [Seen; PLACES],
    own: [Own; PLACES],
    spans: [Span; SLICES],
}

pub(crate) const SEEN: usize = std::mem::offset_of!(Region, seen);
const _: () = assert!(std::mem::offset_of!(Region, own) <= os::PAGE);

/// Size of the regions: two or four MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) region: usize,
    slice_shift: u32,
}

impl Geometry {
    pub(crate) const fn of(region: usize) -> Self {
        Self {
            region,
            slice_shift: (region / SLICES).trailing_zeros(),
        }
    }

    #[inline]
    pub(crate) fn slice(self) -> usize {
        self.region / SLICES
    }

    /// Where the region of an address begins. Regions expose their provenance when they are mapped, as a program's
    /// pointer has that of one block at best.
    #[inline]
    pub(crate) fn base(self, at: *mut u8) -> *mut u8 {
        with_exposed_provenance_mut(at.addr() & !(self.region - 1))
    }

    #[inline]
    pub(crate) fn begins_slice(self, at: *mut u8) -> bool {
        at.addr() & (self.slice() - 1) == 0
    }

    #[inline]
    pub(crate) fn slice_of(self, at: *mut u8) -> usize {
        (at.addr() & (self.region - 1)) >> self.slice_shift
    }

    /// What a block within a region is aligned to at the most: half of it.
    #[inline]
    pub(crate) fn largest_align(self) -> usize {
        self.region / 2
    }
}

pub(crate) const FREE_WHEN_EMPTY: u32 = (SLICES - HEADER) as u32;

impl Region {
    /// A fresh region of a core's; `None` when the kernel has no memory. Huge pages are asked for before anything is
    /// written: what was touched by then would stay on a small page.
    pub(crate) fn map(geometry: Geometry, owner: u32, is_huge: bool) -> Option<NonNull<Self>> {
        let region = os::map(geometry.region, geometry.region)?.cast::<Self>();
        if is_huge {
            // SAFETY: the mapping just made.
            unsafe { os::advise(region.cast(), geometry.region, libc::MADV_HUGEPAGE) };
        }
        region.as_ptr().expose_provenance();
        // SAFETY: the mapping is fresh, zero and longer than the header; nobody else knows it.
        let header = unsafe { region.as_ref() };
        let seen = &header.seen[header.place()];
        seen.tag.store(tag_of(owner as usize), Relaxed);
        let own = header.own();
        own.is_huge.set(is_huge);
        own.free_slices.set(FREE_WHEN_EMPTY);
        own.longest.set(FREE_WHEN_EMPTY as u16);
        for all in [&own.free, &own.clean] {
            all.set(HEADER, SLICES - HEADER, true);
        }
        Some(region)
    }

    #[inline]
    pub(crate) fn seen(base: NonNull<Self>) -> *const Seen {
        // Large pages of 2 MiB lie one after the other in these bits.
        let place = (base.addr().get() >> 21) % PLACES;
        let at = std::mem::offset_of!(Self, seen) + place * size_of::<Seen>();
        base.as_ptr().cast::<u8>().wrapping_add(at).cast()
    }

    fn place(&self) -> usize {
        ((&raw const *self).addr() >> 21) % PLACES
    }

    #[inline]
    pub(crate) fn own(&self) -> &Own {
        &self.own[self.place()]
    }

    pub(crate) fn hold(&self, first: usize, class: usize, geometry: Geometry) {
        let slices = slices_of_class(class, geometry.slice());
        let (span, seen) = (&self.spans[first], &self.seen[self.place()]);
        let blocks = match is_alone(class) {
            true => 1,
            false => slices * geometry.slice() / size_of_class(class),
        };
        span.capacity.store(blocks as u16, Relaxed);
        span.class.store(class as u8, Relaxed);
        // A block that is alone begins at its first slice, and is freed nowhere else.
        let slices = if is_alone(class) { 1 } else { slices };
        for slice in &seen.classes[first..first + slices] {
            slice.store(class as u8, Relaxed);
        }
    }

    /// Takes `slices` slices from a multiple of `align` slices and makes a span: its first slice.
    pub(crate) fn take(&self, slices: usize, align: usize) -> Option<usize> {
        if slices > self.own().longest.get().into() {
            return None;
        }
        let first = self.find(slices, align)?;
        let span = &self.spans[first];
        span.free.set(null_mut());
        span.used.set(0);
        span.carved.set(0);
        let is_clean = self.own().clean.has_all(first, slices);
        span.marks.set(if is_clean { CLEAN } else { 0 });
        self.occupy(first, first, slices);
        Some(first)
    }

    fn occupy(&self, span: usize, first: usize, slices: usize) {
        let own = self.own();
        own.free.set(first, slices, false);
        own.rested.set(first, slices, false);
        own.clean.set(first, slices, false);
        own.free_slices.update(|free| free - slices as u32);
        for slice in &own.firsts[first..first + slices] {
            slice.store(span as u8, Relaxed);
        }
    }

    /// Makes a span longer where it stands; whether the slices behind it were free.
    pub(crate) fn extend(&self, first: usize, from: usize, to: usize) -> bool {
        let is_free =
            first + to <= SLICES && to > from && self.own().free.has_all(first + from, to - from);
        if is_free {
            self.occupy(first, first + from, to - from);
        }
        is_free
    }

    pub(crate) fn measure(&self) {
        let longest = self.own().free.runs().map(|(_, slices)| slices).max();
        self.own().longest.set(longest.unwrap_or(0) as u16);
    }

    /// The record of the span that begins at a slice, by the region's own pointer: it stays good when the region is
    /// borrowed again. Safety: `region` is mapped.
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

    fn find(&self, slices: usize, align: usize) -> Option<usize> {
        let fit = |(first, free): (usize, usize)| {
            let at = first.next_multiple_of(align);
            (at + slices <= first + free).then_some(at)
        };
        self.own().free.runs().find_map(fit)
    }

    pub(crate) fn give(&self, first: usize, slices: usize) {
        let own = self.own();
        own.free.set(first, slices, true);
        own.free_slices.update(|free| free + slices as u32);
    }

    /// Calls `drop` with every run of free slices that may hold something, or did at the last call.
    pub(crate) fn drop_free(&self, rested: bool, mut drop: impl FnMut(usize, usize) -> bool) {
        let own = self.own();
        let among = if rested { &own.rested } else { &own.free };
        for (first, slices) in own.free.and_not(among, &own.clean).runs() {
            if drop(first, slices) {
                own.clean.set(first, slices, true);
            }
        }
        own.rested.copy_from(&own.free);
    }

    pub(crate) fn spans(&self, mut see: impl FnMut(&Span)) {
        let own = self.own();
        let is_first =
            |&at: &usize| !own.free.has(at) && usize::from(own.firsts[at].load(Relaxed)) == at;
        for at in (HEADER..SLICES).filter(is_first) {
            see(&self.spans[at]);
        }
    }

    /// Safety: `region` begins a region, and `at` lies within a live span of it.
    #[inline]
    pub(crate) unsafe fn span_of(
        region: NonNull<Self>,
        at: NonNull<u8>,
        geometry: Geometry,
    ) -> NonNull<Span> {
        let slice = geometry.slice_of(at.as_ptr());
        // SAFETY: the caller's: the header is there for as long as the region has a live span.
        let own = unsafe { region.as_ref() }.own();
        // What is said of a slice of a live span does not change.
        let first = usize::from(own.firsts[slice].load(Relaxed));
        // SAFETY: the region is mapped.
        unsafe { Self::span(region, first) }
    }
}

impl Span {
    #[inline]
    pub(crate) fn class(&self) -> usize {
        usize::from(self.class.load(Relaxed))
    }

    pub(crate) fn region(&self, geometry: Geometry) -> NonNull<Region> {
        let region = geometry.base((&raw const *self).cast_mut().cast());
        // SAFETY: no header begins at the address 0.
        unsafe { NonNull::new_unchecked(region.cast()) }
    }

    /// The place of its first slice: that of this record in the header.
    #[inline]
    pub(crate) fn first(&self, geometry: Geometry) -> usize {
        let within = (&raw const *self).addr() & (geometry.region - 1);
        (within - std::mem::offset_of!(Region, spans)) / size_of::<Self>()
    }

    #[inline]
    fn capacity(&self) -> usize {
        usize::from(self.capacity.load(Relaxed))
    }

    pub(crate) fn slices(&self, geometry: Geometry) -> usize {
        slices_of_class(self.class(), geometry.slice())
    }

    #[inline]
    pub(crate) fn block(&self) -> usize {
        size_of_class(self.class())
    }

    /// Whether the next block that was never given out holds zeros.
    #[inline]
    pub(crate) fn is_clean(&self) -> bool {
        self.marks.get() & CLEAN != 0
    }

    pub(crate) fn mark_old(&self, is_old: bool) -> bool {
        let marks = self.marks.get();
        self.marks
            .set((marks & !OLD) | if is_old { OLD } else { 0 });
        marks & OLD != 0
    }

    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.capacity() - usize::from(self.used.get())
    }

    /// From its start to the end of its last block.
    pub(crate) fn bytes(&self) -> usize {
        self.capacity() * self.block()
    }

    #[inline]
    pub(crate) fn is_only(&self) -> bool {
        self.next.get().is_null() && self.prev.get().is_null()
    }

    #[inline]
    pub(crate) fn start(&self, geometry: Geometry) -> *mut u8 {
        let region = (&raw const *self).addr() & !(geometry.region - 1);
        with_exposed_provenance_mut(region + self.first(geometry) * geometry.slice())
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
        assert_eq!(region.own().free_slices.get(), FREE_WHEN_EMPTY);
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

    #[test]
    fn a_span_grows_into_free_slices_and_into_no_others() {
        let region = region();
        let (first, next) = (region.take(5, 1), region.take(2, 1));
        let (first, next) = (first.expect("room"), next.expect("room"));
        assert!(!region.extend(first, 5, 6), "the next span is there");
        region.give(next, 2);
        assert!(region.extend(first, 5, 7));
        assert!(!region.extend(first, 7, SLICES), "the region ends");
        region.measure();
        assert_eq!(region.own().longest.get() as usize, SLICES - HEADER - 7);
    }

    #[test]
    fn slices_are_clean_until_they_were_taken_and_once_they_are_dropped() {
        let region = region();
        let is_clean = |first: usize| region.spans[first].is_clean();
        let first = region.take(4, 1).expect("room");
        assert!(is_clean(first));
        region.give(first, 4);
        assert_eq!(region.take(4, 1), Some(first));
        assert!(!is_clean(first));
        region.give(first, 4);
        region.drop_free(true, |_, _| {
            unreachable!("they are free for the first time")
        });
        region.drop_free(true, |_, _| false);
        assert!(
            region.take(4, 1) == Some(first) && !is_clean(first),
            "the kernel refused"
        );
        region.give(first, 4);
        region.drop_free(false, |at, slices| (at, slices) == (first, 4));
        assert!(region.take(4, 1) == Some(first) && is_clean(first));
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
            prop_assert_eq!(region.own().free_slices.get() as usize, free);
            let mut seen = 0;
            region.drop_free(false, |_, _| true);
            for (first, slices) in region.own().clean.runs() {
                prop_assert!(region.own().free.has_all(first, slices));
                seen += slices;
            }
            prop_assert_eq!(seen, free);
        }
    }
}
