//! The spans of a heap that have room: a list for each class, the latest first.

use std::ptr::{NonNull, null_mut};

use super::Inner;
use crate::class::{is_alone, is_sparse, size_of_class, slices_of_class};
use crate::guard::{self, FREED_TWICE};
use crate::region::{Block, Region, Span};

impl Inner {
    /// The next block of a span; whether it holds zeros. Safety: `span` is in that class's list.
    #[inline]
    pub(super) unsafe fn pop(&mut self, span: NonNull<Span>, class: usize) -> (*mut u8, bool) {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_ref() };
        let (block, is_zero) = match NonNull::new(record.free.get()) {
            Some(block) => {
                // SAFETY: blocks in a span's list are free.
                record.free.set(unsafe { block.as_ref() }.next);
                (block.cast::<u8>().as_ptr(), false)
            }
            None => {
                let at = usize::from(record.carved.get()) * size_of_class(class);
                record.carved.update(|carved| carved + 1);
                // SAFETY: fewer blocks than the span's capacity were carved, so this one is in it.
                let block = unsafe { record.start(self.geometry).add(at) };
                (block, record.is_clean())
            }
        };
        record.used.update(|used| used + 1);
        if is_alone(class) {
            self.spare -= record.slices(self.geometry);
        }
        if !record.has_room() {
            // SAFETY: the caller's.
            unsafe { self.unlink(span, class) };
        }
        (block, is_zero)
    }

    /// Takes a block back into its span, which ends the process where it was the last to come back,
    /// or none is in use: freed twice. Safety: the block was given out by this heap from `span`,
    /// and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn push(&mut self, block: NonNull<Block>, span: NonNull<Span>) {
        // SAFETY: the span holds the block, so it is live.
        let record = unsafe { span.as_ref() };
        if record.used.get() == 0 || record.free.get() == block.as_ptr() {
            guard::abort(FREED_TWICE, block.cast());
        }
        // SAFETY: the caller's: the block is free now, and has room for a list.
        unsafe { (*block.as_ptr()).next = record.free.get() };
        record.free.set(block.as_ptr());
        let class = record.class();
        let had_room = record.has_room();
        record.used.update(|used| used - 1);
        if !had_room {
            // SAFETY: a span without room is in no list.
            unsafe { self.link(span, class) };
        }
        if record.used.get() > 0 {
            return;
        }
        let is_kept = match is_alone(class) {
            true => {
                let slices = record.slices(self.geometry);
                let may = self.may_spare(slices);
                self.spare += slices;
                record.mark_old(false);
                may
            }
            false => record.is_only(),
        };
        if !is_kept {
            // SAFETY: a span with room is in its list; this one is empty.
            unsafe { self.drop_span(span, class) };
        }
        self.give_back_old();
    }

    /// Safety: it is in the list of that class, and nobody has a block of it.
    pub(super) unsafe fn drop_span(&mut self, span: NonNull<Span>, class: usize) {
        // SAFETY: the caller's.
        unsafe { self.unlink(span, class) };
        if is_alone(class) {
            // SAFETY: spans in the lists are live, and the lock is held.
            self.spare -= unsafe { span.as_ref() }.slices(self.geometry);
        }
        // SAFETY: it was taken out above, and is empty.
        unsafe { self.give_back(span) };
    }

    /// Safety: it is null, or a block of this heap, and in no list.
    pub(super) unsafe fn push_at(&mut self, block: *mut u8) {
        let Some(at) = NonNull::new(block) else {
            return;
        };
        let Some(region) = NonNull::new(self.geometry.base(at).cast::<Region>()) else {
            return;
        };
        // SAFETY: a block that is not home yet keeps its span and its region alive.
        let span = unsafe { Region::span_of(region, at, self.geometry) };
        // SAFETY: the caller's.
        unsafe { self.push(at.cast(), span) };
    }

    /// Safety: `span` is a live one of this heap's, and in no list.
    pub(super) unsafe fn link(&mut self, span: NonNull<Span>, class: usize) {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { span.as_ref() };
        record.prev.set(null_mut());
        record.next.set(self.with_room[class]);
        if let Some(next) = NonNull::new(record.next.get()) {
            // SAFETY: spans in the list are live, and none of them is `span`.
            unsafe { next.as_ref() }.prev.set(span.as_ptr());
        }
        self.with_room[class] = span.as_ptr();
    }

    /// Safety: `span` is in the list of that class.
    pub(super) unsafe fn unlink(&mut self, span: NonNull<Span>, class: usize) {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_ref() };
        let prev = record.prev.replace(null_mut());
        let next = record.next.replace(null_mut());
        match NonNull::new(prev) {
            // SAFETY: neighbours in the list are live spans.
            Some(prev) => unsafe { prev.as_ref() }.next.set(next),
            None => self.with_room[class] = next,
        }
        if let Some(next) = NonNull::new(next) {
            // SAFETY: as above.
            unsafe { next.as_ref() }.prev.set(prev);
        }
    }

    /// A span for a class, in its list; its place is a multiple of `align` slices.
    pub(super) fn new_span(&mut self, class: usize, align: usize) -> Option<NonNull<Span>> {
        self.give_back_old();
        let slices = slices_of_class(class, self.geometry.slice());
        let (region, first) = self.take_slices(is_sparse(class), slices, align)?;
        // SAFETY: the region is in use, and the lock is held.
        unsafe { region.as_ref() }.hold(first, class, self.geometry);
        // SAFETY: the region is mapped.
        let span = unsafe { Region::span(region, first) };
        if is_alone(class) {
            self.alone += slices;
            self.spare += slices;
        }
        // SAFETY: the span was just made.
        unsafe { self.link(span, class) };
        Some(span)
    }
}
