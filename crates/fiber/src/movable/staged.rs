//! Stacks that take turns at one place. A stack without addresses of its own lies in its slot as an
//! **image**. At its turn it is brought to the **window**, which has one address in all processes:
//!
//! | way | in | out |
//! |---|---|---|
//! | copied | the live part (stack pointer to top) is copied in | and copied back |
//! | aliased | the slot's pages are mapped over the window | nothing |
//!
//! The scheduler does that on its own stack, between any two fibers. The turn of such a fiber is a
//! cell of a ring of two, itself and the scheduler:
//! ```text
//!  ring    │ fiber 0 │ fiber 1 │ …                 cells │ the fiber │ scheduler │
//! ```
//! Not done: more than one window, which would let some flows stay in place (the switch still has
//! to look); skipping the copy of what did not change.

use std::cell::Cell;
use std::io;
use std::ptr;

use crate::arch::{self, Context, Saved};
use crate::control::{Control, NOBODY, Stage};
use crate::core::{AHEAD, Core};
use crate::fatal;
use crate::memory::Mapping;
use crate::movable::Way;
use crate::valgrind::{self, Stacks};

#[derive(Debug)]
pub(crate) struct Staged {
    way: Way,
    window: Mapping,
    file: i32,
    slots: usize,
    /// This fiber, the scheduler, and what a yield asks to be near.
    cells: [Cell<Context>; AHEAD + 2],
    own_context: Saved,
    index: Cell<u32>,
    mapped: Cell<u32>,
}

impl Staged {
    pub(crate) fn new(way: Way, window: Mapping, file: i32, slots: usize) -> Staged {
        Staged {
            way,
            window,
            file,
            slots,
            cells: [const { Cell::new(ptr::null()) }; AHEAD + 2],
            own_context: Saved::default(),
            index: Cell::new(NOBODY),
            mapped: Cell::new(NOBODY),
        }
    }

    pub(crate) fn index(&self) -> u32 {
        self.index.get()
    }

    pub(crate) fn is_guard(&self, address: usize) -> bool {
        self.window.is_below(address)
    }

    pub(crate) fn tell(&self, stacks: &Stacks) {
        stacks.add(self.window.base(), self.window.end());
    }

    fn bring(&self, core: &Core, index: u32, live: usize) {
        let top = core.slots.top(index);
        let watched = core.watched.is_some();
        if watched && self.way == Way::Copied {
            valgrind::renew(self.window.base(), self.window.end());
        }
        match self.way {
            Way::Aliased => {
                self.map(core, index);
                // The same fiber may be back from another process, deeper than it left.
                if watched {
                    valgrind::came_from_elsewhere(self.window.base(), self.window.bytes());
                }
            }
            _ => {
                let (from, to) = (top.wrapping_sub(live), self.window.end().wrapping_sub(live));
                // SAFETY: both lie in mappings of ours that do not overlap, and hold as much.
                unsafe { ptr::copy_nonoverlapping(from, to, live) };
            }
        }
    }

    fn put_back(&self, core: &Core, index: u32, live: usize) {
        if self.way == Way::Aliased {
            return;
        }
        let top = core.slots.top(index);
        let (from, to) = (self.window.end().wrapping_sub(live), top.wrapping_sub(live));
        // SAFETY: as in `bring`.
        unsafe { ptr::copy_nonoverlapping(from, to, live) };
    }

    fn map(&self, core: &Core, index: u32) {
        if self.mapped.replace(index) == index {
            return;
        }
        let stack = core.slots.lowest(index).addr() - core.slots.landing().addr();
        let offset = (self.slots + stack) as i64;
        let (at, bytes) = (self.window.base().cast(), self.window.bytes());
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the window is ours, and nobody is on it while the scheduler runs.
        let mapped = unsafe { libc::mmap(at, bytes, access, flags, self.file, offset) };
        if mapped == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            fatal::end(format_args!(
                "the stack of fiber {index} cannot be mapped: {error}"
            ));
        }
    }
}

impl Core {
    /// The fiber whose overflow touched `address` below the window, and its bytes.
    pub(crate) fn staged_guard_at(&self, address: usize) -> Option<(u32, usize)> {
        let staged = self
            .staged
            .as_ref()
            .filter(|staged| staged.is_guard(address))?;
        Some((staged.index(), self.slots.stack().bytes()))
    }

    #[inline(always)]
    pub(crate) fn top_at_turn(&self, top: *mut u8) -> *mut u8 {
        let staged = self.staged.as_ref();
        staged.map_or(top, |staged| staged.window.end())
    }

    pub(crate) fn live_bytes(&self, index: u32, control: &Control) -> usize {
        let top = self.top_at_turn(self.slots.top(index));
        top.addr() - control.saved.sp().addr()
    }

    pub(crate) fn staged_round(&self, staged: &Staged) {
        for place in 0..self.len.get() {
            let cell = self.ring.at(place);
            if !self.staged_turn(staged, cell.get()) {
                cell.set(&raw const self.hole);
            }
        }
    }

    /// True where it stays in the ring.
    fn staged_turn(&self, staged: &Staged, context: Context) -> bool {
        let index = self.index_of(context);
        let control = self.control(index);
        self.enter_window(staged, index, control);
        let [first, own, ..] = &staged.cells;
        first.set(context);
        own.set(&raw const staged.own_context);
        // SAFETY: the first cell holds the fiber's context, whose stack was just brought in; it
        // hands over to the second.
        unsafe { arch::switch(own.get(), first.as_ptr()) };
        let stage = self.mark(index).stage.get();
        if stage.is_here() || stage == Stage::Away {
            staged.put_back(self, index, self.live_bytes(index, control));
        }
        stage == Stage::Started
    }

    pub(crate) fn enter_window(&self, staged: &Staged, index: u32, control: &Control) {
        staged.index.set(index);
        staged.bring(self, index, self.live_bytes(index, control));
    }
}
