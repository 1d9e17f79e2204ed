//! Freeing: into the magazine of this CPU, home to another core, or to its region.

use std::ptr::NonNull;

use crate::belongs::Place;
use crate::class::size_of_class;
use crate::region::{Region, SINGLE};
use crate::remote::Chain;
use crate::{CoreAware, rseq};

impl CoreAware {
    /// Frees a block.
    ///
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
    ///
    /// # Safety
    /// `block` is null, or as for [`CoreAware::free`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn free_fast(&self, block: *mut u8) -> bool {
        if let Some(here) = self.magazines.here()
            && let Some(block) = NonNull::new(block)
            // SAFETY: the caller's.
            && let Some((region, tag)) = unsafe { self.region_of(block) }
            && tag == here.tag()
        {
            // SAFETY: the caller's.
            let class = unsafe { self.class_in(region, block) };
            // SAFETY: the caller's; the tag says that the block is of this CPU's core.
            return class != SINGLE && unsafe { here.give(usize::from(class), block.as_ptr()) };
        }
        false
    }

    /// Frees a block that its CPU's magazine does not take: it is full, or the block belongs to
    /// another core or is none of a class.
    ///
    /// # Safety
    /// As [`CoreAware::free`].
    #[cold]
    #[inline(never)]
    unsafe fn free_slowly(&self, block: NonNull<u8>) {
        // SAFETY: the caller's.
        let place = unsafe { self.place(block) };
        if let (Some(here), Place::Region(region, owner)) = (self.magazines.here(), &place) {
            // SAFETY: the caller's.
            let class = unsafe { self.class_in(*region, block) };
            let is_own = *owner == self.cores.of(here.cpu());
            if class != SINGLE && is_own {
                let class = usize::from(class);
                // SAFETY: the caller's; this CPU's core owns the block.
                return unsafe { here.flush(class, &self.heaps[*owner], block.as_ptr()) };
            }
            if class != SINGLE {
                let size = size_of_class(usize::from(class));
                // SAFETY: what waited there was freed, each once.
                let leave = |blocks: &[*mut u8]| unsafe { self.send_home(blocks) };
                // SAFETY: the caller's.
                if unsafe { here.send(size, block.as_ptr(), leave) } {
                    return;
                }
            }
        }
        // SAFETY: the caller's.
        unsafe { self.free_at(self.here(), block) };
    }

    /// Sends free blocks to the heaps that they belong to, as one chain each.
    ///
    /// # Safety
    /// They are blocks of this allocator that were freed, each once, and are in no list.
    unsafe fn send_home(&self, blocks: &[*mut u8]) {
        let mut left = [false; rseq::DEPTH];
        for first in 0..blocks.len() {
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
            }
            if let Some((owner, chain)) = chain {
                // SAFETY: the chain has blocks of that owner alone.
                unsafe { self.heaps[owner].free_from_afar(chain) };
            }
        }
    }

    /// Frees a block as if on a core.
    ///
    /// # Safety
    /// As [`CoreAware::free`].
    pub(crate) unsafe fn free_at(&self, core: usize, block: NonNull<u8>) {
        if self.config.guarded {
            // SAFETY: the caller's.
            unsafe { self.check_guard(block) };
        }
        // SAFETY: the caller's.
        match unsafe { self.place(block) } {
            Place::Region(region, owner) if owner == core => {
                // SAFETY: the block is live, so its span is.
                let span = unsafe { Region::span_of(region, block, self.geometry) };
                // SAFETY: the caller's; the region is of this heap.
                unsafe { self.heaps[owner].free(block, span) };
            }
            Place::Region(_, owner) => {
                // SAFETY: the caller's; blocks have at least 16 bytes.
                let chain = unsafe { Chain::of(block) };
                // SAFETY: the owner's.
                unsafe { self.heaps[owner].free_from_afar(chain) };
            }
            // SAFETY: the caller's.
            Place::Large(header) => unsafe { self.large.free(self.geometry, header) },
        }
    }
}
