//! The heap of one core: its regions, and the spans in them that have room.
//!
//! Everything in [`Inner`] belongs to the holder of the heap's lock, for which hardware threads of one core, and a
//! preempted holder, alone compete. A block that is freed on another core goes onto a list to which anybody may add
//! ([`crate::remote`]). The holder takes it when a class runs out of room; who adds the 256th block takes the lock, if
//! it is free, and brings them home, so that the memory of a core that sleeps comes back too.
//!
//! Spans with room stand in a list for each class, the latest first. An empty span gives its slices back unless it is
//! the last of its class with room; those of blocks that are alone stay there, up to an eighth of their slices, where
//! cutting a region takes ten times as long. An empty region lingers, as one of at most eight or an eighth of all. What
//! was empty for a quarter of a second is given back: spans to their regions, regions and free slices of sparse regions
//! to the kernel. Time is looked at when spans are made or become empty; a program that allocates nothing any more
//! keeps what lingered last, until [`Heap::trim`].

mod regions;
mod spans;

use crate::Config;
use crate::class::CLASSES;
use crate::lock::Guarded;
use crate::region::{Geometry, Region, Span};
use crate::remote::{Chain, Remote};
use regions::BINS;
use std::ptr::{NonNull, null_mut};

/// Blocks on the remote list after which who frees brings them home.
const MANY: usize = 256;

#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Heap {
    remote: Remote,
    pub(crate) inner: Guarded<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    core: u32,
    geometry: Geometry,
    config: Config,
    with_room: [*mut Span; CLASSES],
    /// Dense regions and sparse ones, by their longest run of free slices; and those that are empty, the latest first.
    in_use: [[*mut Region; BINS]; 2],
    idle: *mut Region,
    regions: usize,
    empty: usize,
    /// Slices in spans of blocks that are alone, and those among them in empty ones.
    alone: usize,
    spare: usize,
    /// When it was looked for what is empty for long: milliseconds of [`crate::os::now_ms`].
    looked: u64,
}

// SAFETY: what its pointers lead to is this heap's, whichever thread holds the lock.
unsafe impl Send for Inner {}

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
    pub(crate) const fn new(core: u32, geometry: Geometry, config: Config) -> Self {
        Self {
            remote: Remote::new(),
            inner: Guarded::new(Inner {
                core,
                geometry,
                config,
                with_room: [null_mut(); CLASSES],
                in_use: [[null_mut(); BINS]; 2],
                idle: null_mut(),
                regions: 0,
                empty: 0,
                alone: 0,
                spare: 0,
                looked: 0,
            }),
        }
    }

    /// A block of a class; whether it is known to hold zeros.
    #[inline]
    pub(crate) fn take(&self, class: usize) -> (*mut u8, bool) {
        let taken = self.inner.locked(|inner| {
            let span = self.with_room(inner, class);
            // SAFETY: a span with room of that class.
            span.map(|span| unsafe { inner.pop(span, class) })
        });
        taken.flatten().unwrap_or((null_mut(), false))
    }

    /// A block that is alone, of a class whose blocks are; its place is a multiple of `align` slices.
    pub(crate) fn take_aligned(&self, class: usize, align: usize) -> (*mut u8, bool) {
        let taken = self.inner.locked(|inner| {
            self.bring_home(inner);
            let span = inner.new_span(class, align);
            // SAFETY: a span with room of that class.
            span.map(|span| unsafe { inner.pop(span, class) })
        });
        taken.flatten().unwrap_or((null_mut(), false))
    }

    /// Blocks of a class, the first of them in the last place; how many.
    pub(crate) fn take_many(&self, class: usize, places: &mut [*mut u8]) -> usize {
        let taken = self.inner.locked(|inner| {
            let mut left = places.len();
            while left > 0
                && let Some(span) = self.with_room(inner, class)
            {
                // SAFETY: a span with room of that class.
                left -= unsafe { inner.pop_many(span, class, &mut places[..left]) };
            }
            places.len() - left
        });
        taken.unwrap_or(0)
    }

    /// Safety: they are of this heap, were freed, each once, and are in no list.
    pub(crate) unsafe fn give_many(&self, blocks: &[*mut u8]) {
        // SAFETY: the caller's.
        let all = || blocks.iter().filter_map(|&block| NonNull::new(block));
        // SAFETY: the caller's.
        let given = self.inner.locked(|inner| unsafe { inner.push(all()) });
        if given.is_none() {
            // SAFETY: the caller's.
            all().for_each(|block| unsafe { self.leave(block) });
        }
    }

    /// Leaves a block to who holds the lock next. Safety: it is of this heap, was freed, and is in no list.
    unsafe fn leave(&self, block: NonNull<u8>) {
        // SAFETY: the caller's; blocks have at least 8 bytes.
        self.remote.add(unsafe { Chain::of(block) });
    }

    /// A span of a class with room: what comes home may have some.
    #[inline]
    fn with_room(&self, inner: &mut Inner, class: usize) -> Option<NonNull<Span>> {
        let room = |inner: &Inner| NonNull::new(inner.with_room[class]);
        room(inner).or_else(|| {
            self.bring_home(inner);
            room(inner).or_else(|| inner.new_span(class, 1))
        })
    }

    /// Makes a block that is alone one of a larger class; whether it could. Safety: `span` is one of this heap's, whose
    /// block is live and the caller's.
    pub(crate) unsafe fn extend(&self, span: NonNull<Span>, class: usize) -> bool {
        // SAFETY: the caller's, and the lock is held.
        let extended = self
            .inner
            .locked(|inner| unsafe { inner.extend(span, class) });
        extended.unwrap_or(false)
    }

    /// Safety: the blocks of the chain are of this heap.
    pub(crate) unsafe fn free_from_afar(&self, chain: Chain) {
        if self.remote.add(chain) >= MANY {
            self.inner.if_free(|inner| self.bring_home(inner));
        }
    }

    fn bring_home(&self, inner: &mut Inner) {
        let blocks = self.remote.take().map(NonNull::cast);
        // SAFETY: who adds a chain has freed its blocks, which are of this heap.
        unsafe { inner.push(blocks) };
    }

    pub(crate) fn trim(&self) -> bool {
        let trimmed = self.inner.locked(|inner| {
            self.bring_home(inner);
            inner.trim()
        });
        trimmed.unwrap_or(false)
    }

    #[cfg(test)]
    pub(crate) fn live_blocks_at_home(&self) -> usize {
        let live = self.inner.locked(|inner| inner.stats().live_blocks);
        live.unwrap_or(0)
    }

    pub(crate) fn stats(&self) -> HeapStats {
        let stats = self.inner.locked(|inner| {
            self.bring_home(inner);
            inner.stats()
        });
        stats.unwrap_or_default()
    }
}
