//! What differs between processors: exactly one file below is compiled in. Everything above moves addresses of
//! **contexts** ([`Context`]) between memory cells; only that file knows the saved words ([`Saved`]) that lie there.
//! The **turn** ([`Turn`]) is the address of the running flow's ring cell, passed on in a register.
//!
//! A new architecture is one file with the names of `x86_64`: `available`, `switch`, `switch_to`, `leave`, `call_on`,
//! `first_frame` (for an [`Entry`]), `hole`, `lap` (for a [`Lap`]), `own`, `set_own`, `own_address`, `prefetch`, `valgrind`,
//! `Floats` and `FRAME_BYTES`. On other targets, and with `RUSTFLAGS="--cfg no_fibers"` (see `.ci/run`), `none` stands in.

cfg_select! {
    no_fibers => {
        mod none;
        pub(crate) use none::*;
    }
    all(target_arch = "x86_64", target_os = "linux") => {
        #[macro_use]
        mod own;
        mod x86_64;
        pub(crate) use x86_64::*;
    }
    all(target_arch = "aarch64", target_os = "linux") => {
        #[macro_use]
        mod own;
        mod aarch64;
        pub(crate) use aarch64::*;
    }
    _ => {
        mod none;
        pub(crate) use none::*;
    }
}

use std::cell::Cell;

/// A context at rest: where it goes on (0), its stack pointer (1), rbx, rbp, r12, r13, or x19, x29, x20, x21.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Saved([Cell<usize>; 6]);

impl Saved {
    pub(crate) fn sp(&self) -> Sp {
        std::ptr::with_exposed_provenance_mut(self.0[1].get())
    }

    pub(crate) fn words(&self) -> [usize; 6] {
        self.0.each_ref().map(Cell::get)
    }

    pub(crate) fn set_words(&self, words: [usize; 6]) {
        self.0.iter().zip(words).for_each(|(to, word)| to.set(word));
    }

    /// A register's word, free before the context has begun, and when it is over.
    #[inline(always)]
    pub(crate) fn spare(&self) -> &Cell<usize> {
        &self.0[2]
    }
}

/// Asks for the two lowest lines of a context's stack: mostly its frame. Safety: `context` is null, or readable.
#[inline(always)]
pub(crate) unsafe fn prefetch_stack(context: Context) {
    // SAFETY: the caller's promise.
    if let Some(saved) = unsafe { context.as_ref() } {
        let lowest = saved.sp().cast::<Saved>();
        prefetch(lowest);
        prefetch(lowest.wrapping_byte_add(64));
    }
}

/// The context at the end of a ring: begins again as long as allowed, then continues the scheduler.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lap {
    pub(crate) saved: Saved,
    pub(crate) first: Cell<Turn>,
    pub(crate) scheduler: Cell<Context>,
    pub(crate) done: Cell<usize>,
    pub(crate) most: Cell<usize>,
}

impl Lap {
    /// Does not begin again. Safety: as [`first_frame`] with that `top`.
    pub(crate) unsafe fn new(top: *mut u8) -> Self {
        Self {
            // SAFETY: the caller's promise is the one asked for.
            saved: unsafe { lap(top) },
            first: Cell::new(std::ptr::null_mut()),
            scheduler: Cell::new(std::ptr::null()),
            done: Cell::new(0),
            most: Cell::new(0),
        }
    }
}

pub(crate) type Sp = *mut u8;

pub(crate) type Context = *const Saved;

pub(crate) type Turn = *mut Context;

/// It gets the turn and never returns.
pub(crate) type Entry = unsafe extern "C" fn(Turn) -> !;
