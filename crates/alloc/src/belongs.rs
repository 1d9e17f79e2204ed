//! What a block belongs to, found from its address alone.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

use crate::guard::{FREED_TWICE, NO_BLOCK, NOT_A_BEGINNING};
use crate::large::{FREED_MAGIC, Header, LARGE_MAGIC, header_of};
use crate::region::{Region, core_of};
use crate::{CoreAware, guard, os};

pub(crate) enum Place {
    Region(NonNull<Region>, usize),
    Large(NonNull<Header>),
}

impl CoreAware {
    /// What may be the region of a block, and the tag there; of null and of a block that begins a region, whose header
    /// is elsewhere, none. Safety: `block` is null, a live block of this allocator, or a free one on its way home.
    #[inline]
    pub(crate) unsafe fn region_of(&self, block: *mut u8) -> Option<(NonNull<Region>, u64)> {
        let base = self.geometry.base(block);
        if base == block {
            return None;
        }
        // SAFETY: the caller's: no block lies so low that its region would begin at the address 0.
        let region = unsafe { NonNull::new_unchecked(base.cast::<Region>()) };
        // SAFETY: the caller's: a block that begins no region has its region's header before it, or the first page of a
        // large block, in which this word is zero.
        let tag = unsafe { &*Region::seen(region) }.tag.load(Relaxed);
        Some((region, tag))
    }

    /// Safety: as [`CoreAware::region_of`], which gave `region`.
    #[inline]
    pub(crate) unsafe fn class_in(&self, region: NonNull<Region>, block: *mut u8) -> u8 {
        // SAFETY: the caller's: the region has a live block, so its header is mapped.
        let seen = unsafe { &*Region::seen(region) };
        let slice = self.geometry.slice_of(block);
        // SAFETY: a slice's number is below that of all slices.
        unsafe { seen.classes.get_unchecked(slice) }.load(Relaxed)
    }

    /// What a block belongs to. A pointer that no block begins at ends the process with a message, as far as that can
    /// be seen: the memory before it may not be mapped. Safety: as [`CoreAware::region_of`].
    #[inline]
    pub(crate) unsafe fn place(&self, block: NonNull<u8>) -> Place {
        // SAFETY: the caller's.
        let owned = unsafe { self.region_of(block.as_ptr()) };
        match owned.map(|(region, tag)| (region, core_of(tag))) {
            Some((region, Some(owner))) if owner < self.heaps.len() => Place::Region(region, owner),
            // SAFETY: the caller's.
            _ => unsafe { self.place_of_large(block) },
        }
    }

    /// Safety: as [`CoreAware::place`].
    #[cold]
    unsafe fn place_of_large(&self, block: NonNull<u8>) -> Place {
        let header = header_of(self.geometry, block);
        // SAFETY: as in `place`: a large block has its header there.
        let magic = unsafe { (*header).magic };
        match NonNull::new(header) {
            Some(header) if magic == LARGE_MAGIC => Place::Large(header),
            Some(_) if magic == FREED_MAGIC => guard::abort(FREED_TWICE, block),
            _ => guard::abort(NO_BLOCK, block),
        }
    }

    /// Ends the process of an allocator with guards with a message where nothing is mapped at the header.
    pub(crate) fn check_mapped(&self, block: NonNull<u8>) {
        if self.config.guarded && !os::is_mapped(header_of(self.geometry, block).addr()) {
            guard::abort(NO_BLOCK, block);
        }
    }

    /// As [`CoreAware::place`]; a pointer into a block ends the process. Safety: as there, or in such a block.
    pub(crate) unsafe fn place_of_beginning(&self, block: NonNull<u8>) -> Place {
        // SAFETY: the caller's.
        let place = unsafe { self.place(block) };
        // SAFETY: the caller's.
        if !unsafe { self.is_beginning(&place, block) } {
            guard::abort(NOT_A_BEGINNING, block);
        }
        place
    }

    /// Safety: `block` lies in a live block of this allocator, or a free one on its way home, at `place`.
    pub(crate) unsafe fn is_beginning(&self, place: &Place, block: NonNull<u8>) -> bool {
        match place {
            Place::Region(region, _) => {
                // SAFETY: the caller's: the span is live.
                let span = unsafe { Region::span_of(*region, block, self.geometry) };
                // SAFETY: class, capacity and first slice of a live span do not change.
                let (start, size) = unsafe {
                    let span = span.as_ref();
                    (span.start(self.geometry), span.block())
                };
                (block.addr().get() - start.addr()).is_multiple_of(size)
            }
            // SAFETY: the caller's: the header is mapped.
            Place::Large(header) => unsafe { header.as_ref() }.block() == block.addr().get(),
        }
    }

    /// Bytes that a block has.
    /// # Safety
    /// `block` is a live block of this allocator.
    #[must_use]
    pub unsafe fn usable(&self, block: NonNull<u8>) -> usize {
        if self.config.guarded {
            self.check_mapped(block);
            // SAFETY: the caller's.
            unsafe { self.place_of_beginning(block) };
        }
        // SAFETY: the caller's.
        let all = unsafe { self.capacity(block) };
        match self.config.guarded {
            // SAFETY: the caller's.
            true => unsafe { guard::requested(block, all) },
            false => all,
        }
    }

    /// Bytes of the block itself, a guard's among them. Safety: as [`CoreAware::usable`].
    pub(crate) unsafe fn capacity(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's.
        match unsafe { self.place(block) } {
            Place::Region(region, _) => {
                // SAFETY: the block is live, so its span is.
                let span = unsafe { Region::span_of(region, block, self.geometry) };
                // SAFETY: class and capacity of a live span do not change.
                let span = unsafe { span.as_ref() };
                span.block()
            }
            // SAFETY: the block is live, so its header is mapped.
            Place::Large(header) => unsafe { header.as_ref() }.usable(),
        }
    }

    /// The core whose region a block lies in; `None` for a large block.
    /// # Safety
    /// `block` is a live block of this allocator.
    #[must_use]
    pub unsafe fn owner(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller's.
        match unsafe { self.place(block) } {
            Place::Region(_, owner) => Some(owner),
            Place::Large(_) => None,
        }
    }
}
