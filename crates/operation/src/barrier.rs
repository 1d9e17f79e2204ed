//! `barrier-*`: all flows wait for the last one. One count of arrivals only grows: who arrives as
//! number `n` waits until `(n / flows + 1) * flows` have, in one of three ways: with more flows
//! than CPUs, one that spins keeps the CPU from others.

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::check::{must, same};
use crate::sys::child::sched_yield;
use crate::sys::futex::{Scope, wait, wake_all};
use crate::{Facts, Operation, OperationContext};
use sys::{Shareable, Shared};

const NAMES: [&str; 3] = ["barrier-spin", "barrier-yield", "barrier-futex"];
const DOES: [&str; 3] = [
    "wait for all flows at a barrier, looking again and again",
    "wait for all flows at a barrier, letting others run between two looks",
    "wait for all flows at a barrier, asleep",
];
/// Of the first one few: each takes time slices where flows share a CPU.
const OPS: [u64; 3] = [1, 300, 100];

#[derive(Debug)]
struct Arrivals {
    count: AtomicU64,
    /// Turns that are complete; who sleeps sleeps on it.
    complete: AtomicU32,
}

// SAFETY: atomics.
unsafe impl Shareable for Arrivals {}

/// `KIND`: how to wait, a place in [`NAMES`].
#[derive(Debug)]
pub(crate) struct Barrier<const KIND: usize> {
    arrivals: Shared<Arrivals>,
    flows: u64,
}

pub(crate) type Spin = Barrier<0>;
pub(crate) type Yield = Barrier<1>;
pub(crate) type Futex = Barrier<2>;

impl<const KIND: usize> Barrier<KIND> {
    fn pass(&self) -> u64 {
        let Arrivals { count, complete } = self.arrivals.header();
        let arrived = count.fetch_add(1, Ordering::AcqRel) + 1;
        let due = arrived.next_multiple_of(self.flows);
        if KIND == 2 && arrived == due {
            complete.fetch_add(1, Ordering::AcqRel);
            must("wake flows", wake_all(complete, Scope::Shared));
        }
        loop {
            let seen = complete.load(Ordering::Acquire);
            let now = count.load(Ordering::Acquire);
            match KIND {
                _ if now >= due => return now,
                0 => spin_loop(),
                1 => must("let another flow run", sched_yield()),
                _ => drop(wait(complete, seen, Scope::Shared)),
            }
        }
    }
}

impl<const KIND: usize> Operation for Barrier<KIND> {
    const FACTS: Facts = Facts {
        name: NAMES[KIND],
        family: "barriers",
        does: DOES[KIND],
        shares: "the count of arrivals, in shared memory",
        verified: "no flow passes before all have arrived",
        ops: OPS[KIND],
        waits: true,
        ..Facts::USUAL
    };

    type State = u64;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            arrivals: Shared::value()?,
            flows: context.flows,
        })
    }

    fn own(&self, _flow: usize) -> u64 {
        self.arrivals.header().count.load(Ordering::Acquire)
    }

    fn repeat(&self, before: &mut u64, ops: u64) -> u64 {
        let all_were_there = (1..=ops).filter(|turn| self.pass() >= *before + turn * self.flows);
        let passed = all_were_there.count() as u64;
        same("the barriers that held", passed, ops);
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::testing::{of_flows, together};

    #[test]
    fn every_flow_passes_every_barrier_of_every_repetition() {
        fn three<const KIND: usize>() {
            let barrier: Barrier<KIND> = of_flows(3);
            for _repetition in 0..2 {
                assert_eq!(together(&barrier, 3, 5), [5; 3], "{}", NAMES[KIND]);
            }
        }
        three::<0>();
        three::<1>();
        three::<2>();
    }

    #[test]
    #[should_panic(expected = "the barriers that held")]
    fn a_barrier_that_lets_one_through_is_found() {
        of_flows::<Futex>(1).repeat(&mut 7, 1);
    }
}
