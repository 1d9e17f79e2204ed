//! What differs between processors: exactly one file below is compiled in.
//!
//! Everything above moves addresses of **contexts** ([`Context`]) between memory cells; only the
//! module chosen here knows what lies at one: a few saved words ([`Saved`]). The **turn**
//! ([`Turn`]) is the address of the running flow's ring cell, passed on in a register.
//!
//! A new architecture is one file with the names of `x86_64`: `available`, `Saved`, `switch`,
//! `switch_to_unwind`, `leave`, `call_on`, `first_frame` (for an [`Entry`]), `hole`, `lap` (for a
//! [`Lap`]), `prefetch`, `prefetch_stack`, `valgrind`, `Floats` and `FRAME_BYTES`. On other
//! targets, and with `RUSTFLAGS="--cfg no_fibers"` (see `.ci/run`), `none` stands in.

cfg_select! {
    no_fibers => {
        mod none;
        pub(crate) use none::*;
    }
    all(target_arch = "x86_64", target_os = "linux") => {
        mod x86_64;
        pub(crate) use x86_64::*;
    }
    all(target_arch = "aarch64", target_os = "linux") => {
        mod aarch64;
        pub(crate) use aarch64::*;
    }
    _ => {
        mod none;
        pub(crate) use none::*;
    }
}

use std::cell::Cell;

/// The context at the end of a ring: begins again as long as allowed, then continues the scheduler.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lap {
    /// First: a [`Context`] is its address.
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

/// Of a context that does not run.
pub(crate) type Context = *const Saved;

/// Of the running context.
pub(crate) type Turn = *mut Context;

/// It gets the turn and never returns.
pub(crate) type Entry = unsafe extern "C" fn(Turn) -> !;
