//! The running fiber's own handle.

use std::marker::PhantomData;

use crate::arch::{self, Turn};
use crate::core::turns::arrive;
use crate::core::{AHEAD, Core};
use crate::current;
use crate::slots::CANARY;

/// Which fiber: a scheduler, a slot of it, and which of the fibers that this has had. Equal
/// only for the same fiber (until four billion schedulers, or fibers of one slot, have been).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiberId {
    pub(crate) scheduler: u32,
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl FiberId {
    /// The number by which messages name the fiber: that of its slot, from 0.
    #[must_use]
    pub fn number(self) -> u32 {
        self.index
    }
}

/// The running fiber's own handle: what its closure is given.
///
/// It keeps the turn where the compiler can hold it in a register, so that
/// [`Fiber::yield_now`] is the fastest way to yield. The free functions do the same
/// without it, a little slower; both may be mixed.
#[derive(Debug)]
pub struct Fiber {
    turn: Turn,
    /// A word that holds [`CANARY`] while yielding is nothing but a switch: the slot's
    /// canary itself, or [`CALM`], or [`NOT_CALM`].
    watch: *const u64,
    /// It belongs to one kernel thread.
    bound: PhantomData<*mut ()>,
}

/// Watched by fibers with a guard: nothing to look for.
static CALM: u64 = CANARY;
/// Watched by fibers with floating-point state of their own: every yield is special.
static NOT_CALM: u64 = !CANARY;

impl Fiber {
    /// The handle of fiber `index`, which begins.
    #[inline(always)]
    pub(crate) fn begin(core: &Core, index: u32, turn: Turn) -> Fiber {
        let own_floats = core.control(index).own_floats.get();
        if own_floats {
            core.keep_common_floats();
        }
        let watch = match (own_floats, core.slots.is_packed()) {
            (true, _) => &raw const NOT_CALM,
            (false, true) => core.slots.canary(index).cast_const().cast(),
            (false, false) => &raw const CALM,
        };
        Fiber {
            turn,
            watch,
            bound: PhantomData,
        }
    }

    /// Lets every other runnable fiber run once.
    #[inline(always)]
    pub fn yield_now(&mut self) {
        if current::turn() != self.turn {
            self.turn = moved();
        }
        // SAFETY: a static, or the lowest word of the slot on which this runs.
        if unsafe { self.watch.read() } != CANARY {
            self.turn = specially(self.turn);
            return;
        }
        // SAFETY: the ring has AHEAD cells more than it can hold contexts.
        arch::prefetch(unsafe { self.turn.wrapping_add(AHEAD).read() });
        // SAFETY: the published turn is this fiber's cell; fibers, holes or the scheduler
        // stand in the next.
        let turn = unsafe { arch::switch(self.turn, self.turn.wrapping_add(1)) };
        arrive(turn);
        self.turn = turn;
    }

    /// The fiber has gone on elsewhere, at this turn.
    #[inline(always)]
    pub(crate) fn arrived_with(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// This handle for a function of its own frame: what it keeps then lies there, near what
    /// a switch touches anyway, and not where the fiber began.
    #[inline(always)]
    pub fn lend(&mut self) -> Lent<'_> {
        let Fiber { turn, watch, bound } = *self;
        Lent {
            fiber: Fiber { turn, watch, bound },
            lender: PhantomData,
        }
    }

    /// Stops until somebody calls `awaken` with this fiber's id; at once if that happened
    /// since the last time.
    #[inline(always)]
    pub fn suspend(&mut self) {
        crate::suspend();
        self.turn = current::turn();
    }

    /// This fiber.
    #[must_use]
    pub fn id(&self) -> FiberId {
        crate::current()
    }
}

/// A [`Fiber`] that is lent: it yields, and ends before its lender.
#[derive(Debug)]
pub struct Lent<'f> {
    fiber: Fiber,
    lender: PhantomData<&'f mut Fiber>,
}

impl Lent<'_> {
    /// As [`Fiber::yield_now`].
    #[inline(always)]
    pub fn yield_now(&mut self) {
        self.fiber.yield_now();
    }
}

/// The fiber has yielded by other means since this handle last saw the turn.
#[cold]
#[inline(never)]
fn moved() -> Turn {
    current::turn_for("Fiber::yield_now")
}

/// The canary is gone, or the fiber keeps its own floating-point state.
#[cold]
#[inline(never)]
fn specially(turn: Turn) -> Turn {
    // SAFETY: a fiber runs, so its scheduler does, below it.
    unsafe { &*current::core() }.give_up(turn)
}
