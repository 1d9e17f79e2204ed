//! No fibers on this target: everything compiles, nothing can be started.
//!
//! [`available`] is asked before the first context is made, so none of the rest runs.

use super::{Entry, Sp, Turn};

pub(crate) const FRAME_BYTES: usize = 104;

pub(crate) fn available() -> Result<(), &'static str> {
    Err(
        "fibers are written for Linux on x86-64 only; another processor is one file in crates/fiber/src/arch",
    )
}

pub(crate) unsafe fn switch(_save: *mut Sp, _next: Turn) -> Turn {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn switch_to_unwind(_save: *mut Sp, _sp: Sp) {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn leave(_next: Turn) -> ! {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn call_on(_top: *mut u8, _function: extern "C" fn() -> !) -> ! {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn first_frame(_top: *mut u8, _entry: Entry) -> Sp {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn hole_frame(_top: *mut u8) -> Sp {
    unreachable!("no fibers on this target")
}

pub(crate) fn prefetch(_sp: Sp) {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floats;

impl Floats {
    pub(crate) fn read() -> Floats {
        Floats
    }

    pub(crate) fn load(self) {}
}
