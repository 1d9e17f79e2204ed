//! No fibers on this target: all compiles; [`available`] is asked first, so nothing else runs.

use super::{Context, Entry, Saved, Turn};

pub(crate) const FRAME_BYTES: usize = 80;

pub(crate) fn available() -> Result<(), &'static str> {
    Err(
        "fibers are written for Linux on x86-64 and aarch64; another processor is one file in crates/fiber/src/arch",
    )
}

pub(crate) unsafe fn switch(_own: Context, _next: Turn) -> Turn {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn switch_to(_own: Context, _other: Context, _turn: Turn) -> Turn {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn leave(_next: Turn) -> ! {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn call_on(_top: *mut u8, _function: extern "C" fn() -> !) -> ! {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn first_frame(
    _context: &Saved,
    _entry: Entry,
    _top: *mut u8,
    _top_there: *mut u8,
) {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn hole(_top: *mut u8) -> Saved {
    unreachable!("no fibers on this target")
}

pub(crate) unsafe fn lap(_top: *mut u8) -> Saved {
    unreachable!("no fibers on this target")
}

pub(crate) fn own<const WORD: usize>() -> *mut () {
    std::ptr::null_mut()
}

pub(crate) fn set_own<const WORD: usize>(_word: *mut ()) {}

pub(crate) fn own_address() -> usize {
    0
}

pub(crate) fn prefetch(_context: Context) {}

pub(crate) fn valgrind(_words: &[usize; 6], otherwise: usize) -> usize {
    otherwise
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floats;

impl Floats {
    pub(crate) fn read() -> Floats {
        Floats
    }

    pub(crate) unsafe fn of_interrupted(_context: *const libc::ucontext_t) -> Floats {
        Floats
    }

    pub(crate) fn load(self) {}
}
