//! Who runs on this kernel thread: the scheduler, and the turn of the flow. The turn travels in a
//! register, and the flow that gets it publishes it here, for free functions and checks. Reading it
//! back to go on would put a store and a load between any two switches; a [`Fiber`](crate::Fiber)
//! that finds its own copy confirmed goes on with that.

use std::ptr;
use std::rc::Rc;

use crate::arch::{self, Turn};
use crate::core::Core;
use crate::error::SpawnError;
use crate::fatal;

/// Words of the kernel thread.
const TURN: usize = 0;
const CORE: usize = 1;

/// While a dropped scheduler unwinds fibers.
pub(crate) const NOBODYS: Turn = ptr::without_provenance_mut(8);

#[inline(always)]
pub(crate) fn turn() -> Turn {
    arch::own::<TURN>().cast()
}

#[inline(always)]
pub(crate) fn publish(turn: Turn) {
    arch::set_own::<TURN>(turn.cast());
}

pub(crate) fn address() -> usize {
    arch::own_address()
}

#[inline(always)]
pub(crate) fn turn_for(what: &str) -> Turn {
    let turn = turn();
    if !is_turn(turn) {
        refuse(what, turn);
    }
    turn
}

#[inline(always)]
pub(crate) fn is_turn(turn: Turn) -> bool {
    !turn.is_null() && turn != NOBODYS
}

#[cold]
#[inline(never)]
fn refuse(what: &str, turn: Turn) -> ! {
    if turn == NOBODYS {
        // SAFETY: a fiber is unwound, by the scheduler that was entered last.
        let index = unsafe { &*core() }.running_index();
        fatal::end(format_args!(
            "fiber {index} called {what} while it was unwound because its scheduler is dropped"
        ));
    }
    panic!("{what} was called outside any fiber: only a fiber that a scheduler runs can do that");
}

pub(crate) fn core_for(what: &str) -> *const Core {
    let core = core();
    if core.is_null() {
        refuse(what, ptr::null_mut());
    }
    core
}

/// Of this thread's running scheduler, for one who makes a fiber.
pub(crate) fn another_count() -> Result<Rc<Core>, SpawnError> {
    // SAFETY: null, or a scheduler that runs or is being dropped, below us on this thread.
    let core = unsafe { core().as_ref() }.ok_or(SpawnError::Outside)?;
    core.another_count().ok_or(SpawnError::Dropped)
}

#[inline(always)]
pub(crate) fn core() -> *const Core {
    arch::own::<CORE>().cast_const().cast()
}

#[inline(always)]
fn set_core(core: *const Core) {
    arch::set_own::<CORE>(core.cast_mut().cast());
}

/// Restores the previous scheduler when dropped.
pub(crate) struct Entered {
    turn: Turn,
    core: *const Core,
}

impl Entered {
    pub(crate) fn to_run(core: &Core) -> Entered {
        let before = self::core();
        set_core(core);
        if !is_entered(before, core) {
            core.below.set(before);
        }
        Entered {
            turn: turn(),
            core: before,
        }
    }

    /// Outside any fiber, also within another scheduler's: for one that is dropped, or a generator
    /// that is resumed where its scheduler does not run.
    pub(crate) fn outside(core: &Core) -> Entered {
        let before = Entered::to_run(core);
        publish(ptr::null_mut());
        before
    }

    pub(crate) fn to_unwind(core: &Core) -> Entered {
        let before = Entered::to_run(core);
        publish(NOBODYS);
        before
    }
}

/// As [`Entered::outside`] where no scheduler runs here, so that an overflow finds `core`.
#[inline(always)]
pub(crate) fn enter_alone(core: &Core) {
    core.below.set(ptr::null());
    set_core(core);
}

#[inline(always)]
pub(crate) fn leave_alone() {
    set_core(ptr::null());
}

/// Whether it waits below another one, as one that unwinds a fiber does, or whose generator resumes
/// that of another scheduler. Then it stays: the list of those below must have an end.
fn is_entered(innermost: *const Core, core: &Core) -> bool {
    // SAFETY: null, or a scheduler that runs, or has a generator that does, below us.
    let below = |at: &*const Core| unsafe { at.as_ref() }.map(|core| core.below.get());
    std::iter::successors(Some(innermost), below).any(|at| ptr::eq(at, core))
}

impl Drop for Entered {
    fn drop(&mut self) {
        publish(self.turn);
        set_core(self.core);
    }
}

/// Safety: a fiber runs here, a scheduler below; the reference ends with its stay on it.
#[inline(always)]
pub(crate) unsafe fn running<'a>() -> &'a Core {
    // SAFETY: the caller promises that a fiber runs, and with it its scheduler.
    unsafe { &*core() }
}

#[inline(always)]
pub(crate) fn arrive(turn: Turn) {
    if turn.is_null() {
        unwind();
    }
    publish(turn);
}

pub(crate) struct SchedulerDropped;

#[cold]
#[inline(never)]
pub(crate) fn unwind() -> ! {
    std::panic::resume_unwind(Box::new(SchedulerDropped))
}
