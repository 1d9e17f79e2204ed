//! `compute*`, `short-behind-long*`: what a timer that interrupts flows costs, and brings. The
//! kernel interrupts its flows; user-level flows nobody, or a timer of their carrier
//! ([`flow::preemptible`]). So each operation is here without a timer and with two of different
//! length. Behind a long piece of work: flows of odd place have short ones, those of even place
//! compute until all short ones are done, or for [`LONG`] at most. On one carrier the first begins.

use std::hint::black_box;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use measure::clock::now_ns;

use crate::check::must;
use crate::{Facts, Operation, OperationContext};
use sys::Shared;

const LONG: Duration = Duration::from_millis(20);

/// Steps of one operation: some microseconds.
const STEPS: u64 = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Alike,
    BehindLong,
}

struct Row {
    name: &'static str,
    does: &'static str,
    work: Work,
    /// In milliseconds.
    quantum: Option<u64>,
}

const ROWS: [Row; 6] = [
    Row {
        name: "compute",
        does: "4,000 steps of arithmetic",
        work: Work::Alike,
        quantum: None,
    },
    Row {
        name: "compute-10ms",
        does: "4,000 steps of arithmetic; a timer ends each turn of a fiber after 10 ms",
        work: Work::Alike,
        quantum: Some(10),
    },
    Row {
        name: "compute-1ms",
        does: "4,000 steps of arithmetic; a timer ends each turn of a fiber after 1 ms",
        work: Work::Alike,
        quantum: Some(1),
    },
    Row {
        name: "short-behind-long",
        does: "4,000 steps of arithmetic behind a flow that computes for 20 ms, or until all are done",
        work: Work::BehindLong,
        quantum: None,
    },
    Row {
        name: "short-behind-long-10ms",
        does: "the same; a timer ends each turn of a fiber after 10 ms",
        work: Work::BehindLong,
        quantum: Some(10),
    },
    Row {
        name: "short-behind-long-1ms",
        does: "the same; a timer ends each turn of a fiber after 1 ms",
        work: Work::BehindLong,
        quantum: Some(1),
    },
];

#[derive(Debug)]
pub(crate) struct Preempt<const ROW: usize> {
    flows: u32,
    done: Shared<AtomicU32>,
}

pub(crate) type Compute = Preempt<0>;
pub(crate) type Compute10 = Preempt<1>;
pub(crate) type Compute1 = Preempt<2>;
pub(crate) type Behind = Preempt<3>;
pub(crate) type Behind10 = Preempt<4>;
pub(crate) type Behind1 = Preempt<5>;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Own {
    Piece,
    /// With the number of short pieces that are done where this repetition ends.
    Long(u32),
}

impl<const ROW: usize> Preempt<ROW> {
    fn is_over(&self, at: u32) -> bool {
        self.done.header().load(Ordering::Acquire) >= at
    }

    fn compute_long(&self, at: u32) {
        let begun = now_ns();
        while !self.is_over(at) && u128::from(now_ns() - begun) < LONG.as_nanos() {
            steps(0);
        }
    }
}

impl<const ROW: usize> Operation for Preempt<ROW> {
    const FACTS: Facts = Facts {
        name: ROWS[ROW].name,
        family: "preemption",
        does: ROWS[ROW].does,
        shares: "nothing but the end of the work",
        verified: "the results are those of every model",
        ops: 200,
        ..Facts::USUAL
    };

    type State = Own;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            flows: context.flows as u32,
            done: Shared::value()?,
        })
    }

    fn own(&self, flow: usize) -> Own {
        match flow.is_multiple_of(2) && ROWS[ROW].work == Work::BehindLong {
            true => Own::Long(self.done.header().load(Ordering::Acquire) + self.flows / 2),
            false => Own::Piece,
        }
    }

    fn repeat(&self, own: &mut Own, ops: u64) -> u64 {
        let own = *own;
        let work = || match own {
            Own::Long(at) => {
                self.compute_long(at);
                0
            }
            Own::Piece => (0..ops).fold(0, |sum, op| sum ^ steps(op)),
        };
        let checksum = match ROWS[ROW].quantum.map(Duration::from_millis) {
            None => work(),
            Some(quantum) => {
                // SAFETY: arithmetic, atomics and a clock: no lock, no thread-local, no allocation, no
                // panic. The slot ends its fibers, in the order of their work, before their scheduler.
                let result = unsafe { flow::preemptible(quantum, work) };
                must(
                    "have a timer interrupt it",
                    result.map_err(io::Error::other),
                )
            }
        };
        self.done.header().fetch_add(1, Ordering::AcqRel);
        checksum
    }
}

fn steps(seed: u64) -> u64 {
    (0..STEPS).fold(seed | 1, |value, step| {
        black_box(value)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::testing::{of_flows, together};

    #[test]
    fn who_computes_long_stops_when_the_short_pieces_are_done() {
        let behind: Behind1 = of_flows(2);
        let short = (0..5).fold(0, |sum, op| sum ^ steps(op));
        for _ in 0..3 {
            assert_eq!(together(&behind, 2, 5), [0, short]);
        }
        assert_eq!(behind.done.header().load(Ordering::Acquire), 6);
    }
}
