//! The spans of a heap that have room: a list for each class, the latest first.

use std::ptr::{NonNull, null_mut};

use super::Inner;
use crate::class::{size_of_class, slices_of_class};
use crate::guard::{self, FREED_TWICE};
use crate::region::{Block, Region, SINGLE, Span};

impl Inner {
    /// The next block of a span with room.
    ///
    /// # Safety
    /// `span` is in the list of that class.
    #[inline]
    pub(super) unsafe fn pop(&mut self, span: NonNull<Span>, class: usize) -> *mut u8 {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_ref() };
        let block = match NonNull::new(record.free.get()) {
            Some(block) => {
                // SAFETY: blocks in a span's list are free.
                record.free.set(unsafe { block.as_ref() }.next);
                block.cast::<u8>().as_ptr()
            }
            None => {
                let at = usize::from(record.carved.get()) * size_of_class(class);
                record.carved.update(|carved| carved + 1);
                // SAFETY: fewer blocks than the span's capacity were carved, so this one is in it.
                unsafe { record.start(self.geometry).add(at) }
            }
        };
        record.used.update(|used| used + 1);
        if !record.has_room() {
            // SAFETY: the caller's.
            unsafe { self.unlink(span, class) };
        }
        block
    }

    /// Takes a block back into its span. Where no block of the span is in use, or it is the last one
    /// that came back, the process ends: it was freed twice.
    ///
    /// # Safety
    /// The block was given out by this heap from `span`, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn push(&mut self, block: NonNull<Block>, span: NonNull<Span>) {
        // SAFETY: the span holds the block, so it is live.
        let record = unsafe { span.as_ref() };
        if record.used.get() == 0 || record.free.get() == block.as_ptr() {
            guard::abort(FREED_TWICE, block.cast());
        }
        if record.class() == SINGLE {
            // SAFETY: it was its only block; spans of one block are in no list.
            return unsafe { self.give_back(span) };
        }
        // SAFETY: the caller's: the block is free now, and has room for a list.
        unsafe { (*block.as_ptr()).next = record.free.get() };
        record.free.set(block.as_ptr());
        let class = usize::from(record.class());
        let had_room = record.has_room();
        record.used.update(|used| used - 1);
        let is_empty = record.used.get() == 0;
        if !had_room {
            // SAFETY: a span without room is in no list.
            unsafe { self.link(span, class) };
        }
        if is_empty && !record.is_alone() {
            // SAFETY: a span with room is in its list.
            unsafe { self.unlink(span, class) };
            // SAFETY: it was taken out above.
            unsafe { self.give_back(span) };
        }
    }

    /// Takes back a block that was freed and is not home yet.
    ///
    /// # Safety
    /// It is null, or a block of this heap, and in no list.
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

    /// # Safety
    /// `span` is a live one of this heap's, and in no list.
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

    /// # Safety
    /// `span` is in the list of that class.
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

    /// A span for a class, in its list.
    pub(super) fn new_span(&mut self, class: usize) -> Option<NonNull<Span>> {
        let slices = slices_of_class(class, self.geometry.slice());
        let (region, first) = self.take_slices(slices, 1)?;
        // SAFETY: the region is in use, and the lock is held.
        unsafe { region.as_ref() }.hold(first, class, self.geometry);
        // SAFETY: the region is mapped.
        let span = unsafe { Region::span(region, first) };
        // SAFETY: the span was just made.
        unsafe { self.link(span, class) };
        Some(span)
    }
}
