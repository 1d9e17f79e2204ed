//! Turns: flows that run one after the other (docs/switch.md) and hand over: kernel flows by a
//! [`HandOver`], fibers by the scheduler's yield, tasks by `Pending`. A **lap** is one turn of all.
//!
//! One body serves them all as a future: on kernel flows and fibers a hand-over comes back when the
//! next turn begins, so it is polled once; a task returns at each. What the body keeps from turn to
//! turn lies on the flow's own stack, or in the task.
//! ```text
//!  gate ─ line up ─│start│─ laps ─│end│─ line up ─ checked laps ─ done
//!                   └ timed, the body ┘            └ who ran between two turns?
//! ```
//! A kernel may return from `sched_yield` to who called it: [`crate::record::Turns`] has counted
//! switches against hand-overs, and whether every flow ran between two turns of the same flow.

mod kernel;
mod order;
mod pipes;

use serde::{Deserialize, Serialize};

pub(crate) use kernel::{KernelTurn, at_once};
pub(crate) use order::{CHECKED_LAPS, Order, is_orderly};
pub(crate) use pipes::Pipes;

use crate::word::words;

/// The end of a turn, and the beginning of the next one of the same flow.
pub trait Turn {
    /// Whether the flows are user-level: switches take nanoseconds, not microseconds.
    const USER_LEVEL: bool;

    /// Hands over to the next flow; ready when it is this one's turn again.
    fn next(&mut self) -> impl Future<Output = ()>;
}

/// How flows of the kernel hand over; user-level ones have one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandOver {
    /// `sched_yield`: to whom the scheduler chooses.
    #[default]
    SchedYield,
    /// A byte through a pipe to the next flow of the ring.
    Pipe,
    /// A wake of the next flow of the ring, which sleeps on a word of shared memory.
    Futex,
    /// Returns to its caller, as some systems' `sched_yield`: such figures are refused.
    Ignored,
}

impl HandOver {
    /// Whether flows name their successor: then they run in one order only.
    #[must_use]
    pub fn is_ring(self) -> bool {
        matches!(self, Self::Pipe | Self::Futex)
    }
}

words!(HandOver, "way to hand over", "sched_yield, pipe, futex or ignored", [
    "sched_yield" => Self::SchedYield,
    "pipe" => Self::Pipe,
    "futex" => Self::Futex,
    "ignored" => Self::Ignored
]);
