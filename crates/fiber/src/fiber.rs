use std::marker::PhantomData;
use std::ptr;

use crate::arch::{self, Turn};
use crate::control::Control;
use crate::core::{AHEAD, Core};
use crate::current::{self, arrive};

/// A fiber's scheduler, slot, and number there (unique until four billion of either).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiberId {
    pub(crate) scheduler: u32,
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl FiberId {
    /// The number by which messages name the fiber: its slot's, from 0.
    #[must_use]
    pub fn number(self) -> u32 {
        self.index
    }
}

/// The running fiber's handle, with the turn in a register: [`Fiber::yield_now`] is the fastest.
#[derive(Debug)]
pub struct Fiber {
    /// Null with its own floating-point state: no yield is plain then.
    turn: Turn,
    bound: PhantomData<*mut ()>,
}

impl Fiber {
    #[inline(always)]
    pub(crate) fn begin(core: &Core, index: u32, turn: Turn) -> Fiber {
        let own_floats = core.control(index).own_floats.get();
        if own_floats {
            core.keep_common_floats();
        }
        Fiber {
            turn: if own_floats { ptr::null_mut() } else { turn },
            bound: PhantomData,
        }
    }

    /// Lets every other runnable fiber run once.
    #[inline(always)]
    pub fn yield_now(&mut self) {
        if current::turn() != self.turn {
            match uncommonly() {
                Some(turn) => self.turn = turn,
                None => return,
            }
        }
        // SAFETY: the ring has AHEAD cells more than it can hold contexts.
        arch::prefetch(unsafe { self.turn.wrapping_add(AHEAD).read() });
        // SAFETY: the published turn is this fiber's cell.
        let own = unsafe { self.turn.read() };
        // SAFETY: this fiber's context; a fiber, a hole or the scheduler is in the next cell.
        let turn = unsafe { arch::switch(own, self.turn.wrapping_add(1)) };
        arrive(turn);
        self.turn = turn;
    }

    #[inline(always)]
    pub(crate) fn arrived_with(&mut self, turn: Turn) {
        if !self.turn.is_null() {
            self.turn = turn;
        }
    }

    /// This handle for a function of its own frame: what it keeps lies near what a switch touches.
    #[inline(always)]
    pub fn lend(&mut self) -> Lent<'_> {
        let Fiber { turn, bound } = *self;
        Lent {
            fiber: Fiber { turn, bound },
            lender: PhantomData,
        }
    }

    /// Stops until somebody calls `awaken` with this fiber's id; at once if that has happened.
    #[inline(always)]
    pub fn suspend(&mut self) {
        crate::suspend();
        self.arrived_with(current::turn());
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

/// What is no plain switch: the fiber yielded by other means since its handle saw the turn (then
/// there is a turn to go on with), or has its own floating-point state (and has yielded).
#[cold]
#[inline(never)]
fn uncommonly() -> Option<Turn> {
    let turn = current::turn_for("Fiber::yield_now");
    // SAFETY: a turn is a cell of the ring.
    let context = unsafe { turn.read() };
    // SAFETY: it holds its fiber's context, with which the control block begins.
    let control = unsafe { &*context.cast::<Control>() };
    if control.own_floats.get() {
        specially(turn);
        return None;
    }
    Some(turn)
}

#[cold]
#[inline(never)]
fn specially(turn: Turn) {
    // SAFETY: a fiber runs, so its scheduler does, below it.
    unsafe { &*current::core() }.give_up(turn);
}
