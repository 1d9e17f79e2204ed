//! The spans of a heap that have room: a list for each class, the latest first.

use std::ptr::{NonNull, null_mut};

use super::Inner;
use crate::class::{is_alone, is_sparse, size_of_class, slices_of_class};
use crate::guard::{self, FREED_TWICE};
use crate::region::{Block, Geometry, Region, Span};

/// Blocks of one span that come back one after the other.
struct Run {
    span: NonNull<Span>,
    start: usize,
    bytes: usize,
    free: *mut Block,
    blocks: usize,
}

impl Run {
    /// Safety: `block` is one of a live span of this heap's, whose lock is held.
    unsafe fn of(block: NonNull<u8>, geometry: Geometry) -> Self {
        let region = geometry.base(block.as_ptr()).cast::<Region>();
        // SAFETY: no region begins at the address 0, and the caller's block lies in one.
        let region = unsafe { NonNull::new_unchecked(region) };
        // SAFETY: the caller's.
        let span = unsafe { Region::span_of(region, block, geometry) };
        // SAFETY: the caller's.
        let record = unsafe { span.as_ref() };
        Self {
            span,
            start: record.start(geometry).addr(),
            bytes: record.bytes(),
            free: record.free.get(),
            blocks: 0,
        }
    }

    fn holds(&self, block: NonNull<u8>) -> bool {
        block.addr().get().wrapping_sub(self.start) < self.bytes
    }

    /// Ends the process where the block was the last to come back: it was freed twice. Safety: the block is the span's
    /// and free.
    unsafe fn add(&mut self, block: NonNull<Block>) {
        if self.free == block.as_ptr() {
            guard::abort(FREED_TWICE, block.cast());
        }
        // SAFETY: the caller's.
        unsafe { (*block.as_ptr()).next = self.free };
        self.free = block.as_ptr();
        self.blocks += 1;
    }
}

impl Inner {
    /// The next block of a span; whether it holds zeros. Safety: `span` is in that class's list.
    pub(super) unsafe fn pop(&mut self, span: NonNull<Span>, class: usize) -> (*mut u8, bool) {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_ref() };
        let is_zero = record.free.get().is_null() && record.is_clean();
        let mut block = [null_mut()];
        // SAFETY: the caller's.
        unsafe { self.pop_many(span, class, &mut block) };
        (block[0], is_zero)
    }

    /// The next blocks of a span, one at least, the first of them in the last place; how many. Safety: `span` is in that
    /// class's list.
    #[inline]
    pub(super) unsafe fn pop_many(
        &mut self,
        span: NonNull<Span>,
        class: usize,
        places: &mut [*mut u8],
    ) -> usize {
        // SAFETY: spans in the lists are live, and the lock is held.
        let record = unsafe { span.as_ref() };
        let taken = places.len().min(record.room());
        let mut free = record.free.get();
        let mut carved = 0;
        let start = record.start(self.geometry);
        let carve = usize::from(record.carved.get());
        for place in places.iter_mut().rev().take(taken) {
            *place = match NonNull::new(free) {
                Some(block) => {
                    // SAFETY: blocks in a span's list are free.
                    free = unsafe { block.as_ref() }.next;
                    block.cast().as_ptr()
                }
                None => {
                    carved += 1;
                    // Fewer blocks than the span's capacity were carved, so this one is in it.
                    start.wrapping_add((carve + carved - 1) * size_of_class(class))
                }
            };
        }
        record.free.set(free);
        record.carved.set((carve + carved) as u16);
        record.used.update(|used| used + taken as u16);
        if is_alone(class) {
            self.spare -= record.slices(self.geometry);
        }
        if record.room() == 0 {
            // SAFETY: the caller's.
            unsafe { self.unlink(span, class) };
        }
        taken
    }

    /// Takes blocks back into their spans. Safety: they are of this heap, were freed, each once, and are in no list.
    pub(super) unsafe fn push(&mut self, blocks: impl Iterator<Item = NonNull<u8>>) {
        let mut run: Option<Run> = None;
        for block in blocks {
            let mut of = match run.take() {
                Some(run) if run.holds(block) => run,
                other => {
                    if let Some(run) = other {
                        // SAFETY: its blocks are the caller's.
                        unsafe { self.end(run) };
                    }
                    // SAFETY: a block that is not home yet keeps its span and its region alive.
                    unsafe { Run::of(block, self.geometry) }
                }
            };
            // SAFETY: the caller's: the block is free now, and has room for a list.
            unsafe { of.add(block.cast()) };
            run = Some(of);
        }
        if let Some(run) = run {
            // SAFETY: its blocks are the caller's.
            unsafe { self.end(run) };
        }
    }

    /// Ends the process where the span has fewer blocks in use than come back: one was freed twice. Safety: as of
    /// [`Inner::push`] for the blocks of the run.
    unsafe fn end(&mut self, run: Run) {
        let span = run.span;
        // SAFETY: the span held the blocks until now, so it is live.
        let record = unsafe { span.as_ref() };
        let used = usize::from(record.used.get());
        if let (true, Some(block)) = (used < run.blocks, NonNull::new(run.free)) {
            guard::abort(FREED_TWICE, block.cast());
        }
        let (class, had_room) = (record.class(), record.room() > 0);
        record.free.set(run.free);
        record.used.set((used - run.blocks) as u16);
        if !had_room {
            // SAFETY: a span without room is in no list.
            unsafe { self.link(span, class) };
        }
        if used > run.blocks {
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
