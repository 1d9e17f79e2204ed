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
    pub(super) unsafe fn pop(&mut self, mut span: NonNull<Span>, class: usize) -> *mut u8 {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_mut() };
        let block = match NonNull::new(record.free) {
            Some(block) => {
                // SAFETY: blocks in a span's list are free.
                record.free = unsafe { block.as_ref() }.next;
                block.cast::<u8>().as_ptr()
            }
            None => {
                let at = usize::from(record.carved) * size_of_class(class);
                record.carved += 1;
                // SAFETY: fewer blocks than the span's capacity were carved, so this one is in it.
                unsafe { record.start(self.geometry).add(at) }
            }
        };
        record.used += 1;
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
    pub(super) unsafe fn push(&mut self, block: NonNull<Block>, mut span: NonNull<Span>) {
        // SAFETY: the span holds the block, so it is live.
        let record = unsafe { span.as_mut() };
        if record.used == 0 || record.free == block.as_ptr() {
            guard::abort(FREED_TWICE, block.cast());
        }
        if record.class == SINGLE {
            // SAFETY: it was its only block; spans of one block are in no list.
            return unsafe { self.give_back(span) };
        }
        // SAFETY: the caller's: the block is free now, and has room for a list.
        unsafe { (*block.as_ptr()).next = record.free };
        record.free = block.as_ptr();
        let class = usize::from(record.class);
        let had_room = record.has_room();
        record.used -= 1;
        let is_empty = record.used == 0;
        if !had_room {
            // SAFETY: a span without room is in no list.
            unsafe { self.link(span, class) };
        }
        // SAFETY: it is live, as above.
        if is_empty && !unsafe { span.as_ref() }.is_alone() {
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
    pub(super) unsafe fn link(&mut self, mut span: NonNull<Span>, class: usize) {
        // SAFETY: the caller's; the lock is held.
        let record = unsafe { span.as_mut() };
        record.prev = null_mut();
        record.next = self.with_room[class];
        if let Some(mut next) = NonNull::new(record.next) {
            // SAFETY: spans in the list are live, and none of them is `span`.
            unsafe { next.as_mut() }.prev = span.as_ptr();
        }
        self.with_room[class] = span.as_ptr();
    }

    /// # Safety
    /// `span` is in the list of that class.
    pub(super) unsafe fn unlink(&mut self, mut span: NonNull<Span>, class: usize) {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_mut() };
        let prev = std::mem::replace(&mut record.prev, null_mut());
        let next = std::mem::replace(&mut record.next, null_mut());
        match NonNull::new(prev) {
            // SAFETY: neighbours in the list are live spans.
            Some(mut prev) => unsafe { prev.as_mut() }.next = next,
            None => self.with_room[class] = next,
        }
        if let Some(mut next) = NonNull::new(next) {
            // SAFETY: as above.
            unsafe { next.as_mut() }.prev = prev;
        }
    }

    /// A span for a class, in its list.
    pub(super) fn new_span(&mut self, class: usize) -> Option<NonNull<Span>> {
        let slices = slices_of_class(class, self.geometry.slice());
        let (mut region, first) = self.take_slices(slices, 1)?;
        // SAFETY: the region is in use, and the lock is held.
        unsafe { region.as_mut() }.hold(first, class, self.geometry);
        // SAFETY: the region is mapped.
        let span = unsafe { Region::span(region, first) };
        // SAFETY: the span was just made.
        unsafe { self.link(span, class) };
        Some(span)
    }
}
