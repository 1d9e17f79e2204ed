//! What every model runs: the body of a workload.

use measure::usage::Usage;

use crate::channel::Outlet;
use crate::footprint::Pieces;
use crate::latency::Latencies;
use crate::proof::Proof;
use crate::turn::{HandOver, Turn};

/// A part of a flow's life in which code of the work runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its state is made.
    Begin,
    /// Its units are done.
    Work,
    /// Its state is dropped.
    End,
}

/// The work, the same for every model: [`run`](crate::SlotProcess::run) is generic over it.
pub trait Body: Sync {
    /// What one flow keeps between its units, made before the start gate: part of *create*.
    type State;

    /// Whether units send results to the parent; if not, no channel is made.
    const SENDS: bool;

    /// Whether flows hand over to each other: flow u does unit u, by [`Body::turns`].
    const TURNS: bool = false;

    /// Whether flows note how long requests take ([`Body::latencies`]).
    const TIMES: bool = false;

    /// Whether TLB shootdowns are counted while it works.
    const SHOOTS_DOWN: bool = false;

    /// How many units of work one repetition has.
    fn units(&self) -> u64;

    /// What unit `unit` is, for people (`range 1 - 1000`).
    fn describe(&self, unit: u64) -> String {
        format!("unit {unit}")
    }

    /// Bytes of stack that a flow needs where the harness makes its stack (fibers).
    fn stack_bytes(&self) -> usize {
        256 * 1024
    }

    /// How the kernel's flows hand over, where they do.
    fn hand_over(&self) -> HandOver {
        HandOver::default()
    }

    /// How many turns each flow takes in [`Body::turns`].
    fn laps(&self, _user_level: bool) -> u64 {
        0
    }

    /// What its code does in that part of a flow's life, for people, where it may hang in it.
    fn doing(&self, _part: Part) -> String {
        String::new()
    }

    /// Makes the state of flow `flow` (0-based), in that flow's process, thread and file table.
    fn state(&self, flow: usize) -> Self::State;

    /// Does unit `unit` (0-based) and proves it. Results for the parent go to `outlet`.
    fn unit(&self, state: &mut Self::State, unit: u64, outlet: &mut Outlet<'_>) -> Proof;

    /// Checks a flow's state after its last unit, beyond a sum, untimed. A panic fails the slot.
    fn settle(&self, _state: &mut Self::State) {}

    /// A flow's latencies, if [`Body::TIMES`]; asked for after [`Body::settle`], in no timed part.
    fn latencies<'s>(&self, _state: &'s Self::State) -> Option<&'s Latencies> {
        None
    }

    /// Whether flows make threads of their own: files of the kernel on a flow's thread miss those.
    fn hires(&self) -> bool {
        false
    }

    /// Usage of ended threads that the flow made itself; it counts as the flow's own.
    fn hired(&self, _state: &Self::State) -> Usage {
        Usage::default()
    }

    /// Whether flows can tell what they work on ([`Body::touched`]).
    const TOUCHES: bool = false;

    /// Adds all memory that flow `flow` works on, after the last repetition, in no timed part.
    fn touched(&self, _state: &Self::State, _flow: usize, _pieces: &mut Pieces) {}

    /// Takes all turns of flow `unit`, each ended by `turn.next().await`, and proves them.
    fn turns<T: Turn>(
        &self,
        _state: &mut Self::State,
        _unit: u64,
        _turn: &mut T,
    ) -> impl Future<Output = Proof> {
        async { Proof::default() }
    }
}
