//! Stacks made known to valgrind. Memcheck follows the stack pointer: a switch looks like one large
//! step over other flows' memory, unless valgrind knows both ends as different stacks. So each slot
//! is made known when first used, and the stacks on which fibers end, by **client requests**: four
//! rotations that together turn a register twice around, and one with itself that changes nothing.
//! A processor does nothing by that (1.1 ns); valgrind reads a request from a register (`arch`).
//!
//! * Whether valgrind is there is asked once a scheduler ([`Stacks::if_watched`]).
//! * **Used again.** [`renew`] makes all of the slot writable and undefined.
//! * **Red zone.** Memcheck takes the [`RED_ZONE`] below the stack pointer as the flow's own, over
//!   the end of its slot too. So packed slots are that much further apart: an overflow that small
//!   shows as a read of an undefined canary.
//! * **Movable stacks.** A process that joins tells all stacks of a region, and what arrives is
//!   made defined. Stacks that take turns in one place are one stack, writable anew at each turn.
//! * **Speed.** Valgrind searches a list at each switch: ten yields each take 10,000 fibers 2 s.
//! * **Guards** by `madvise` are unknown to memcheck; a touched one faults and is reported by name.
//!
//! Sources: valgrind 3.19, `valgrind.h` (the sequence, the requests), `memcheck.h`, `m_stacks.c`.

use std::cell::Cell;
use std::io;

use crate::arch;
use crate::memory::{Table, Zeroed};

/// That of x86-64; on aarch64 there is none, and more room does no harm.
pub(crate) const RED_ZONE: usize = 128;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const STACK_REGISTER: usize = 0x1501;
const STACK_DEREGISTER: usize = 0x1502;
const MAKE_MEMORY_UNDEFINED: usize = 0x4D43_0001;
const MAKE_MEMORY_DEFINED: usize = 0x4D43_0002;

#[derive(Debug)]
pub(crate) struct Stacks {
    /// A mapping, since fibers that spawn have little stack to allocate with.
    ids: Table<Cell<usize>>,
    len: Cell<usize>,
}

// SAFETY: zero is a number, which needs no drop.
unsafe impl Zeroed for Cell<usize> {}

impl Stacks {
    pub(crate) fn if_watched(most: usize) -> io::Result<Option<Stacks>> {
        if !is_watching() {
            return Ok(None);
        }
        Ok(Some(Stacks {
            ids: Table::new(most)?,
            len: Cell::new(0),
        }))
    }

    pub(crate) fn add(&self, lowest: *const u8, end: *const u8) {
        let id = request([STACK_REGISTER, lowest.addr(), end.addr() - 1], 0);
        self.ids.at(self.len.get()).set(id);
        self.len.set(self.len.get() + 1);
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn tell(&self, lowest: *const u8, end: *const u8, is_new: bool) {
        if is_new {
            self.add(lowest, end);
        }
        renew(lowest, end);
    }
}

/// Anything can be written, and nothing is worth reading.
pub(crate) fn renew(lowest: *const u8, end: *const u8) {
    let bytes = end.addr() - lowest.addr();
    request([MAKE_MEMORY_UNDEFINED, lowest.addr(), bytes], 0);
}

pub(crate) fn came_from_elsewhere(lowest: *const u8, bytes: usize) {
    request([MAKE_MEMORY_DEFINED, lowest.addr(), bytes], 0);
}

impl Drop for Stacks {
    fn drop(&mut self) {
        for index in 0..self.len.get() {
            request([STACK_DEREGISTER, self.ids.at(index).get(), 0], 0);
        }
    }
}

pub(crate) fn is_watching() -> bool {
    #[cfg(test)]
    if tests::is_to_be_unknown() {
        return false;
    }
    request([RUNNING_ON_VALGRIND, 0, 0], 0) > 0
}

fn request([code, first, second]: [usize; 3], otherwise: usize) -> usize {
    arch::valgrind(&[code, first, second, 0, 0, 0], otherwise)
}

#[cfg(test)]
mod tests;
