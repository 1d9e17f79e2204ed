//! Freeing: into the magazine of this CPU, home to another core, or to its region.
//!
//! # What is noticed of a wrong free
//!
//! A program that frees a block twice in a row, or a pointer to where no block of its class may begin
//! (no multiple of 16, or of 8 among blocks of 8 bytes), ends with a message. The checks of the usual
//! way touch neither the block nor another line of its region: a mark in each free block took 1.10 to
//! 1.40 of the CPU time of random replacements, and the exact place of the block in its span 1.035
//! (small blocks). A block that comes back to its span is compared with the last one that came, and
//! one that goes there alone (of a mapping, or of more than 512 bytes and another core) with the
//! beginning of its place. Guarded allocators check each.

use std::ptr::NonNull;

use crate::belongs::Place;
use crate::class::{align_of_class, is_alone, size_of_class};
use crate::guard::{self, NOT_A_BEGINNING};
use crate::large::Keep;
use crate::remote::Chain;
use crate::{CoreAware, rseq};

/// Blocks on their way home that are larger count as several, so that few of them wait.
const WEIGHT: usize = 1 << 10;

impl CoreAware {
    /// Frees a block.
    /// # Safety
    /// `block` is a live block of this allocator, and nobody uses it any more.
    #[inline]
    pub unsafe fn free(&self, block: NonNull<u8>) {
        // SAFETY: the caller's.
        if !unsafe { self.free_fast(block.as_ptr()) } {
            // SAFETY: the caller's.
            unsafe { self.free_slowly(block) };
        }
    }

    /// Frees a block into the magazine of this CPU, if it belongs to its core and there is room:
    /// the usual way, which calls nothing. Whether it did; null is never freed.
    /// # Safety
    /// `block` is null, or as for [`CoreAware::free`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn free_fast(&self, block: *mut u8) -> bool {
        if let Some(here) = self.magazines.here()
            // SAFETY: the caller's.
            && let Some((region, tag)) = unsafe { self.region_of(block) }
            && tag == here.tag()
        {
            // SAFETY: the caller's.
            let class = usize::from(unsafe { self.class_in(region, block) });
            // SAFETY: the caller's; the tag says that the block is of this CPU's core.
            return self.may_begin(class, block) && unsafe { here.give(class, block) };
        }
        false
    }

    /// Whether a block of that class may begin there, by what costs nothing to see.
    #[inline(always)]
    fn may_begin(&self, class: usize, block: *mut u8) -> bool {
        let is_aligned = block.addr() & (align_of_class(class) - 1) == 0;
        is_aligned && (!is_alone(class) || self.geometry.begins_slice(block))
    }

    /// Frees a block that its CPU's magazine does not take: full, the block on top, another core's,
    /// of no class, or not a beginning.
    /// # Safety
    /// As for [`CoreAware::free`].
    #[cold]
    #[inline(never)]
    pub unsafe fn free_slowly(&self, block: NonNull<u8>) {
        self.check_mapped(block);
        // SAFETY: the caller's.
        let place = unsafe { self.place(block) };
        if let (Some(here), Place::Region(region, owner)) = (self.magazines.here(), &place) {
            // SAFETY: the caller's.
            let class = usize::from(unsafe { self.class_in(*region, block.as_ptr()) });
            if !self.may_begin(class, block.as_ptr()) {
                guard::abort(NOT_A_BEGINNING, block);
            }
            if *owner == self.cores.of(here.cpu()) {
                // SAFETY: the caller's; this CPU's core owns the block.
                return unsafe { here.flush(class, &self.heaps[*owner], block.as_ptr()) };
            }
            // SAFETY: what waited there was freed, each once.
            let leave = |blocks: &[*mut u8]| unsafe { self.send_home(blocks) };
            // SAFETY: the caller's.
            if unsafe { here.send(size_of_class(class), block.as_ptr(), leave) } {
                return;
            }
        }
        // SAFETY: the caller's.
        unsafe { self.free_at(self.here(), block) };
    }

    /// Sends blocks home, as one chain for each heap. Safety: they are of this allocator, were
    /// freed, each once, and are in no list.
    unsafe fn send_home(&self, blocks: &[*mut u8]) {
        let mut left = [false; rseq::DEPTH];
        let mut here = blocks.len();
        for first in 0..blocks.len() {
            if here == 0 {
                return;
            }
            let mut chain: Option<(usize, Chain)> = None;
            for (at, &block) in blocks.iter().enumerate().skip(first) {
                let Some(block) = NonNull::new(block).filter(|_| !left[at]) else {
                    continue;
                };
                // SAFETY: the caller's: the block is on its way home.
                let Place::Region(_, owner) = (unsafe { self.place(block) }) else {
                    continue;
                };
                chain = match chain {
                    // SAFETY: the caller's: this thread has it alone.
                    None => Some((owner, unsafe { Chain::of(block) })),
                    // SAFETY: as above.
                    Some((of, chain)) if of == owner => Some((of, unsafe { chain.with(block) })),
                    other => {
                        chain = other;
                        continue;
                    }
                };
                left[at] = true;
                here -= 1;
            }
            if let Some((owner, chain)) = chain {
                // SAFETY: the chain has blocks of that owner alone.
                unsafe { self.heaps[owner].free_from_afar(chain) };
            }
        }
    }

    /// Frees a block as if on a core. Safety: as [`CoreAware::free`].
    pub(crate) unsafe fn free_at(&self, core: usize, block: NonNull<u8>) {
        // SAFETY: the caller's.
        let place = unsafe { self.place_of_beginning(block) };
        if self.config.guarded {
            // SAFETY: the caller's.
            unsafe { self.check_guard(block, &place) };
        }
        match place {
            Place::Region(_, owner) if owner == core => {
                // SAFETY: the caller's; the region is of this heap.
                unsafe { self.heaps[owner].give_many(&[block.as_ptr()]) };
            }
            Place::Region(_, owner) => {
                // SAFETY: the caller's; blocks have at least 8 bytes.
                let chain = unsafe { Chain::of(block) };
                // SAFETY: the block is on its way home.
                let size = unsafe { self.capacity(block) };
                let chain = chain.as_heavy_as(size / WEIGHT);
                // SAFETY: the owner's.
                unsafe { self.heaps[owner].free_from_afar(chain) };
            }
            Place::Large(header) => {
                let keep = match self.config.guarded {
                    true => Keep::Header,
                    false => Keep::Mapping,
                };
                // SAFETY: the caller's.
                unsafe { self.large.free(core, self.geometry, header, keep) };
            }
        }
    }
}
