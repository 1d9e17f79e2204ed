//! The spans of a heap that have room: a list for each class, the latest first.

use std::ptr::{NonNull, null_mut};

use super::Inner;
use crate::class::{size_of_class, slices_of_class};
use crate::region::{Block, Region, SINGLE, Span};

impl Inner {
    /// The next block of a span with room.
    #[inline]
    pub(super) fn pop(&mut self, mut span: NonNull<Span>, class: usize) -> *mut u8 {
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
    pub(super) unsafe fn push(&mut self, block: NonNull<Block>, mut span: NonNull<Span>) {
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
    pub(super) fn push_at(&mut self, block: *mut u8) {
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

    pub(super) fn link(&mut self, span: &mut Span, class: usize) {
        span.prev = null_mut();
        span.next = self.with_room[class];
        if let Some(mut next) = NonNull::new(span.next) {
            // SAFETY: spans in the list are live, and none of them is `span`.
            unsafe { next.as_mut() }.prev = span;
        }
        self.with_room[class] = span;
    }

    pub(super) fn unlink(&mut self, span: &mut Span, class: usize) {
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
    pub(super) fn new_span(&mut self, class: usize) -> Option<NonNull<Span>> {
        let slices = slices_of_class(class, self.geometry.slice());
        let (mut region, mut span) = self.take_slices(slices, 1)?;
        // SAFETY: the region is in use, and the lock is held.
        unsafe { region.as_mut() }.hold(span, class, self.geometry);
        // SAFETY: the span was just made, and the lock is held.
        self.link(unsafe { span.as_mut() }, class);
        Some(span)
    }
}
