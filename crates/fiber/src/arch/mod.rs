//! What differs between processors: exactly one file below is compiled in.
//!
//! # Theory
//!
//! Everything above this module moves addresses of **contexts** ([`Context`]) between memory
//! cells; only the module chosen here knows what lies at one: a few saved words ([`Saved`]), the
//! stack pointer among them. The **turn** ([`Turn`]) is the address of the ring cell that belongs
//! to the flow that runs, and it travels from flow to flow in a register.
//!
//! Each architecture exports the same names, so that a new one is one new file:
//!
//! | name | what it is |
//! |---|---|
//! | `available` | `Ok`, or why there are no fibers here |
//! | `Saved` | what is kept of a context that does not run |
//! | `switch` | save this context, go on with that of a cell |
//! | `switch_to_unwind` | the same with a null turn: "unwind, your scheduler is dropped" |
//! | `leave` | go on with the context of a cell; this one never runs again |
//! | `call_on` | go on in a function on another stack; this one never runs again |
//! | `first_frame` | make a context that will start in an [`Entry`] |
//! | `hole` | make a context that only hands the turn on |
//! | `lap` | make one that gives the turn to the first of the ring again, as a [`Lap`] says |
//! | `prefetch` | have a context's saved words brought near |
//! | `prefetch_stack` | the same for what it goes on with on its stack |
//! | `Floats` | the floating-point control state |
//! | `FRAME_BYTES` | stack that a started fiber needs before its body has used any |
//!
//! On other targets `none` stands in, so that everything that uses this crate builds there. A
//! build with `RUSTFLAGS="--cfg no_fibers"` does so everywhere: `.ci/run` checks one.

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(no_fibers)))]
mod x86_64;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(no_fibers)))]
pub(crate) use x86_64::*;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(no_fibers))))]
mod none;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(no_fibers))))]
pub(crate) use none::*;

use std::cell::Cell;

/// The context at the end of a ring: begins again as long as allowed, then continues the scheduler.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lap {
    /// First: a [`Context`] is its address.
    pub(crate) saved: Saved,
    pub(crate) first: Cell<Turn>,
    pub(crate) scheduler: Cell<Context>,
    /// Times begun again.
    pub(crate) done: Cell<usize>,
    /// Times allowed: while nothing has changed.
    pub(crate) most: Cell<usize>,
}

impl Lap {
    /// One that does not begin again.
    ///
    /// # Safety
    /// As [`first_frame`] with that `top`.
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
