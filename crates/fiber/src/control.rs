use std::cell::Cell;

use crate::arch::{Context, Saved};
use crate::memory::Zeroed;

/// The end of a list, a join that nobody waits for.
pub(crate) const NOBODY: u32 = u32::MAX;

/// One fiber's control block, a cache line. All-zero bytes are a free slot.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Control {
    pub(crate) saved: Saved,
    /// Of a parcel. Those of fibers that are here lie apart.
    pub(crate) mark: Mark,
    /// Who waits for its end; in a free slot, the next free one.
    pub(crate) link: Cell<u32>,
    pub(crate) detached: Cell<bool>,
    pub(crate) own_floats: Cell<bool>,
}

/// What awakening asks of a fiber: eight to a cache line. All-zero bytes are a free slot.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Mark {
    /// Fibers that this slot has had: tells ids of earlier ones.
    pub(crate) generation: Cell<u32>,
    pub(crate) stage: Cell<Stage>,
    /// Awakened while it was not suspended: its next `suspend` returns at once.
    pub(crate) permit: Cell<bool>,
}

impl Mark {
    pub(crate) fn copy_from(&self, other: &Mark) {
        self.generation.set(other.generation.get());
        self.stage.set(other.stage.get());
        self.permit.set(other.permit.get());
    }
}

impl Control {
    /// What drops the value at the top of the slot: the closure of a fresh fiber, the result or
    /// panic of an ended one; `None` in a free slot. Not of one that has begun.
    #[inline(always)]
    pub(crate) fn discard(&self) -> Option<Discard> {
        let word = self.saved.spare().get();
        // SAFETY: at these stages the word is from `set_discard`: `None` (0) or such a function.
        unsafe { std::mem::transmute::<usize, Option<Discard>>(word) }
    }

    #[inline(always)]
    pub(crate) fn set_discard(&self, discard: Option<Discard>) {
        let word = discard.map_or(0, |discard| discard as usize);
        self.saved.spare().set(word);
    }

    #[inline(always)]
    pub(crate) fn context(&self) -> Context {
        &raw const self.saved
    }

    /// Copies all but who waits for it, and its mark; one on its way continues where it arrives.
    #[inline]
    pub(crate) fn copy_from(&self, other: &Control) {
        self.saved.set_words(other.saved.words());
        self.own_floats.set(other.own_floats.get());
    }
}

pub(crate) type Discard = unsafe fn(*mut u8);

// SAFETY: zero, `Stage::Free` and false are all-zero bytes; nothing here needs to be dropped.
unsafe impl Zeroed for Control {}

// SAFETY: the same.
unsafe impl Zeroed for Mark {}

// SAFETY: all-zero bytes are a null pointer, which needs no drop.
unsafe impl Zeroed for Cell<Context> {}

const _: () = assert!(
    size_of::<Control>() == 64,
    "a cache line for each control block"
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    Free = 0,
    /// In the queue, never run: its closure lies at the top of its slot.
    Fresh,
    Started,
    Suspended,
    /// Waits for the end of another fiber, and nothing else has it go on.
    Joining,
    Done,
    /// Ended: what it threw lies at the top of its slot.
    Panicked,
    /// In another process, or on its way there: nothing of it is ours to look at.
    Away,
    Lost,
    /// A generator that gave a value, and waits to be resumed.
    Paused,
    /// A generator that runs, or whose fiber waits within it: unwound with that fiber.
    Resumed,
}

impl Stage {
    pub(crate) fn is_here(self) -> bool {
        matches!(self, Stage::Started | Stage::Suspended | Stage::Joining)
    }

    pub(crate) fn is_over(self) -> bool {
        matches!(self, Stage::Done | Stage::Panicked | Stage::Lost)
    }
}

/// Where a `V` lies in the slot that ends at `top`.
#[inline(always)]
pub(crate) fn place<V>(top: *mut u8) -> *mut V {
    let end = top.wrapping_sub(size_of::<V>());
    end.map_addr(|address| address & !(align_of::<V>() - 1))
        .cast()
}

/// Rounded to what keeps a stack aligned.
pub(crate) const fn area<V>() -> usize {
    let slack = if align_of::<V>() > 16 {
        align_of::<V>()
    } else {
        0
    };
    (size_of::<V>() + slack).next_multiple_of(16)
}

/// Safety: a `V` lies at its [`place`] below `top`, and nobody uses it again.
pub(crate) unsafe fn discard<V>(top: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { place::<V>(top).drop_in_place() };
}
