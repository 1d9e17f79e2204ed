//! `cpu`: workers that add up square roots and tangents, and share nothing (docs/workers.md). Each
//! argument passes [`black_box`], so every sum has one order and one value: its bits are the proof.

use std::hint::black_box;

use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::{Work, WorkError, Workload};

/// Terms of one loop.
pub const STEPS: u64 = 10_000;

/// Parameters of `cpu`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// Workers, one unit each.
    pub workers: u64,
    /// Loops of each worker, of [`STEPS`] terms.
    pub loops: u64,
}

fn sum(from: u64, terms: u64) -> f64 {
    let term = |number: u64| {
        let argument = black_box(number as f64);
        argument.sqrt() + argument.tan()
    };
    (from..from + terms).map(term).sum()
}

impl Body for Cpu {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.workers
    }

    fn describe(&self, unit: u64) -> String {
        format!("{} loops of arithmetic as worker {}", self.loops, unit + 1)
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        let terms = self.loops * STEPS;
        Proof {
            count: terms,
            checksum: sum(unit, terms).to_bits(),
        }
    }
}

impl Workload for Cpu {
    flows_are!(workers);

    fn check(&self) -> Result<(), WorkError> {
        let Self { workers, loops } = *self;
        require(
            workers > 0 && loops > 0,
            || "cpu needs workers and loops of at least 1",
        )?;
        require(loops <= u64::MAX / STEPS / workers, || {
            format!("{loops} loops are more than can be counted: use fewer")
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut NoSink)
    }

    fn worker_kind(&self) -> Option<&'static str> {
        Some("cpu")
    }

    fn only_computes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn prove(loops: u64, unit: u64) -> Proof {
        testing::prove(&Cpu { workers: 9, loops }, &mut (), unit)
    }

    #[test]
    fn the_sum_is_that_of_its_terms() {
        let expected: f64 = (2..10)
            .map(|n| f64::from(n).sqrt() + f64::from(n).tan())
            .sum();
        assert_eq!(sum(2, 8).to_bits(), expected.to_bits());
    }

    #[test]
    fn the_same_loops_prove_the_same_and_others_do_not() {
        assert_eq!(prove(2, 0), prove(2, 0));
        assert_eq!(prove(2, 0).count, 2 * STEPS);
        assert_ne!(prove(2, 0), prove(3, 0));
        assert_ne!(prove(2, 0).checksum, prove(2, 1).checksum);
    }

    #[test]
    fn nothing_to_do_and_too_much_are_refused() {
        let right = Cpu {
            workers: 2,
            loops: 9_000,
        };
        testing::refused(
            &right,
            &[
                (|cpu| cpu.workers = 0, "at least 1"),
                (|cpu| cpu.loops = 0, "at least 1"),
                (
                    |cpu| cpu.loops = u64::MAX / STEPS,
                    "more than can be counted",
                ),
            ],
        );
    }
}
