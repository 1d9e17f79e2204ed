//! `balance`: uneven work over several processes, evened out by moving flows or by a queue
//! (docs/migratable.md; [`flow::migration`]). `migratable/2` moves flows, `process` and `thread`
//! take pieces from a queue. Work is [`primes`] among the first numbers, of which larger ones take
//! longer, or transactions in [`warehouses`] of growing work, whose objects move with them
//! ([`depot`]). `pieces` cuts the same amount into more or fewer units: the grain. Proof: number
//! and sum of primes; number of transactions and the sum of what they read; each warehouse is
//! audited at its end. Not done: moving other workloads, whose data lies on a process's heap.

mod depot;
mod primes;
mod warehouses;

use flow::migration::{Balance, Balancing};
use flow::{Answer, Model, SelfManaged, SelfManagedRep, SlotProcess, Variant};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::{Bytes, Work, WorkError, Workload, usual};
use primes::Primes;
use warehouses::Warehouses;

/// Kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Primes are looked for among numbers.
    #[default]
    Primes,
    /// Transactions in warehouses.
    Warehouses,
}

/// Parameters of `balance`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balanced {
    /// What evens the work out.
    #[serde(default)]
    pub balance: Balance,
    /// Kind of work.
    #[serde(default)]
    pub of: Of,
    /// Numbers searched, from 0; or transactions of all warehouses.
    pub amount: u64,
    /// Pieces: stretches of numbers, or warehouses.
    pub pieces: u64,
    /// Heap of each warehouse; 64 KiB if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<Bytes>,
    /// Steps of each piece; flows may move between two steps.
    #[serde(default = "usual::number::<4>")]
    pub steps: u64,
    /// Processes or threads.
    #[serde(default = "usual::number_32::<2>")]
    pub processes: u32,
}

const USUAL_HEAP: Bytes = depot::LEAST;
const MOST_PIECES: u64 = 1_000_000;
const MOST_PROCESSES: u32 = 1_024;

impl Balanced {
    fn plan(&self, model: Model, cpus: &[u32]) -> Balancing {
        Balancing {
            balance: self.balance,
            threads: model == Model::Thread,
            processes: self.processes as usize,
            pieces: usize::try_from(self.pieces).unwrap_or(usize::MAX),
            steps: self.steps,
            cpus: cpus.to_vec(),
        }
    }

    fn parts(&self) -> u128 {
        u128::from(self.pieces) * u128::from(self.steps)
    }

    fn part(&self, piece: u64, step: u64) -> u128 {
        u128::from(piece) * u128::from(self.steps) + u128::from(step)
    }

    fn heap(&self) -> Bytes {
        self.heap.unwrap_or(USUAL_HEAP)
    }
}

impl Workload for Balanced {
    fn units(&self) -> u64 {
        self.pieces
    }

    fn check(&self) -> Result<(), WorkError> {
        let is_right = (1..=MOST_PIECES).contains(&self.pieces)
            && (2..=MOST_PROCESSES).contains(&self.processes)
            && self.steps > 0
            && self.amount >= self.pieces.saturating_mul(self.steps);
        require(is_right, || {
            format!(
                "an amount of {} in {} pieces of {} steps over {} processes cannot be balanced: use \
                 1 to {MOST_PIECES} pieces, 2 to {MOST_PROCESSES} processes, at least one step and \
                 an amount of 1 for each step",
                self.amount, self.pieces, self.steps, self.processes
            )
        })?;
        let heap = self.heap();
        match self.of {
            Of::Primes => require(
                self.heap.is_none(),
                || "heap is for warehouses, and primes have none: leave it out, or use of = \"warehouses\"",
            ),
            Of::Warehouses => require((depot::LEAST..=depot::MOST).contains(&heap), || {
                format!(
                    "a warehouse that moves cannot have a heap of {heap}: use {} to {}",
                    depot::LEAST,
                    depot::MOST
                )
            }),
        }
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        let spec = slot.spec();
        let plan = self.plan(spec.variant.model, &spec.cpus);
        slot.run_self_managed(&mut Balancer { work: self, plan })
    }

    fn usual_flows(&self) -> Option<u64> {
        Some(self.processes.into())
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        let own = match variant.model {
            Model::Migratable { processes, .. } => {
                self.balance != Balance::Queue
                    && processes == self.processes
                    && variant.model == Model::migratable(flow::Way::Isomalloc, processes)
            }
            Model::Process | Model::Thread => self.balance == Balance::Queue,
            _ => false,
        };
        (!own || variant.flows != self.processes).then(|| {
            format!(
                "balance = \"queue\" is for process and thread with flows = {0}, every other one \
                 for migratable/{0}",
                self.processes
            )
        })
    }

    fn makes_own_flows(&self) -> bool {
        true
    }

    fn processes_side_by_side(&self) -> Option<u32> {
        Some(self.processes)
    }

    fn bytes_a_flow(&self) -> Option<u64> {
        // A flow here is a process: it has its share of the pieces at one time.
        let pieces = self.pieces.div_ceil(self.processes.max(1).into());
        let heap = matches!(self.of, Of::Warehouses).then(|| self.heap().0)?;
        Some(pieces.saturating_mul(heap))
    }

    fn only_computes(&self) -> bool {
        true
    }
}

struct Balancer<'a> {
    work: &'a Balanced,
    plan: Balancing,
}

impl SelfManaged for Balancer<'_> {
    fn repeat(&mut self, _timers: bool) -> std::io::Result<SelfManagedRep> {
        match self.work.of {
            Of::Primes => self.plan.run(&Primes(self.work)),
            Of::Warehouses => self.plan.run(&Warehouses(self.work)),
        }
    }
}

#[cfg(test)]
mod tests {
    use allocator_api2::alloc::Global;
    use flow::Proof;
    use flow::migration::Uneven;

    use super::*;
    use crate::testing;

    fn cut(pieces: u64, steps: u64) -> Balanced {
        Balanced {
            balance: Balance::None,
            of: Of::Primes,
            amount: 1_000,
            pieces,
            heap: None,
            steps,
            processes: 2,
        }
    }

    /// What all steps of all pieces prove, one after the other.
    fn all<U: Uneven>(work: &Balanced, uneven: &U) -> Proof {
        let piece = |piece: u64| {
            let mut state = uneven.begin(piece, Global);
            let steps = (0..work.steps).map(|step| uneven.step(&mut state, piece, step));
            steps.sum::<Proof>()
        };
        (0..work.pieces).map(piece).sum()
    }

    #[test]
    fn the_same_primes_however_they_are_cut() {
        for (pieces, steps) in [(1, 1), (7, 4), (16, 3), (250, 4)] {
            let work = cut(pieces, steps);
            let proof = all(&work, &Primes(&work));
            // There are 168 primes below 1,000, whose sum is 76,127.
            assert_eq!((proof.count, proof.checksum), (168, 76_127));
        }
    }

    fn warehouses(pieces: u64) -> Balanced {
        Balanced {
            of: Of::Warehouses,
            amount: 10_000,
            ..cut(pieces, 4)
        }
    }

    #[test]
    fn later_warehouses_do_more_and_all_of_them_do_all() {
        let work = warehouses(8);
        let uneven = Warehouses(&work);
        assert_eq!(all(&work, &uneven).count, 10_000);
        let done = |piece| {
            let mut depot = uneven.begin(piece, Global);
            uneven.step(&mut depot, piece, 0).count
        };
        assert!(done(7) > 2 * done(3) && done(3) > 2 * done(0));
    }

    #[test]
    fn threads_with_a_queue_prove_the_same() {
        for processes in [2, 3] {
            let work = Balanced {
                balance: Balance::Queue,
                processes,
                ..cut(16, 4)
            };
            let rep = work.plan(Model::Thread, &[]).run(&Primes(&work)).unwrap();
            assert_eq!((rep.proof.count, rep.proof.checksum), (168, 76_127));
            assert_eq!((rep.units, rep.own.counts["moves"]), (16, 0));
            let counts = &rep.own.counts;
            assert!(counts["longest_ns"] >= counts["mean_ns"] && counts["mean_ns"] > 0);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        testing::refused(
            &cut(250, 4),
            &[
                (|work| work.pieces = 0, "in 0 pieces"),
                (|work| work.pieces = 500, "in 500 pieces"),
                (|work| work.processes = 1, "over 1 processes"),
            ],
        );
        let heap = Balanced {
            heap: Some(Bytes(1 << 20)),
            ..warehouses(4)
        };
        testing::refused(
            &heap,
            &[
                (|work| work.of = Of::Primes, "leave it out"),
                (|work| work.heap = Some(Bytes(1_000)), "64 KiB"),
            ],
        );
    }
}
