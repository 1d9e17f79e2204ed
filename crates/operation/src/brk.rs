//! `brk`: the end of the heap is moved. A process has one break: under `process` each flow moves
//! its own, under `thread` all move the same one.
//!
//! * Flow f moves the break between two levels of its own, 2f + 1 and 2f + 2 pages above where it
//!   was before flows: each call changes the address space, and the kernel's answer is verified.
//! * The page between the levels is *not* touched: under `thread` another flow may have taken it
//!   away. That it can be is verified once, before there are flows.
//! * The C library's allocator must not move the break: it has room ([`block::make_room`]).
//! * Calls go to the kernel itself: the library's `brk` and `sbrk` keep a copy of the break.

use std::io;

use crate::check::{must, same};
use crate::sys::block;
use crate::sys::memory::{Break, PAGE};
use crate::{Facts, Operation, OperationContext};

const ROOM: i32 = 8 << 20;

#[derive(Debug)]
pub(crate) struct Brk {
    before: Break,
}

#[derive(Debug)]
pub(crate) struct Levels {
    before: Break,
    low: Break,
    high: Break,
}

impl Operation for Brk {
    const FACTS: Facts = Facts {
        name: "brk",
        family: "address space",
        does: "move the break up by a page and down again",
        shares: "nothing (threads move the break of their process)",
        verified: "the kernel's answer is the break that was asked for, each time",
        ops: 1_000,
        ..Facts::USUAL
    };

    type State = Levels;

    fn prepare(_context: &OperationContext) -> io::Result<Self> {
        block::make_room(ROOM)?;
        let before = Break::now()?;
        // SAFETY: the slot process has one thread yet, and its allocator has just been given room.
        unsafe { before.try_page() }?;
        Ok(Self { before })
    }

    fn own(&self, flow: usize) -> Levels {
        let level = |pages: usize| self.before.above(pages * PAGE);
        Levels {
            before: self.before,
            low: level(2 * flow + 1),
            high: level(2 * flow + 2),
        }
    }

    fn repeat(&self, own: &mut Levels, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum, op| {
            own.high.set_and_check();
            own.low.set_and_check();
            checksum + op + 1
        })
    }
}

impl Break {
    fn set_and_check(self) {
        // SAFETY: flows move the break among levels above the heap, where nobody has memory, and
        // the allocator was given room (`prepare`).
        let came = must("move the break", unsafe { self.set() });
        same("the break", came.address(), self.address());
    }
}

impl Drop for Levels {
    fn drop(&mut self) {
        self.before.set_and_check();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the break")]
    fn a_break_that_cannot_be_set_is_found() {
        // Far above the stack: there is no room for such a heap.
        Break::now().unwrap().above(1 << 60).set_and_check();
    }
}
