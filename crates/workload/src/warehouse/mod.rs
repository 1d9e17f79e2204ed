//! `warehouse`: transactions over trees of objects in memory (docs/workloads/warehouse.md), as
//! SPECjbb2005 models a business program and Inoue and Nakatani (2010) ran it: workers that share
//! nothing, each with some hundred megabytes of live objects, allocate with every transaction and
//! visit objects in no order. Caches, the reach of the TLB and the allocator bound it.
//!
//! A worker is a unit with a warehouse: ten districts with customers and their orders, and a stock
//! ([`store`]). It is filled before the gate, as part of *create*; transactions come in the
//! benchmark's mix ([`deck`]). Self-check: every transaction writes a screen, whose sum is the
//! proof; after the last one, outside of the timed part, the books are audited ([`audit`]).

mod audit;
mod deck;
mod fill;
mod pieces;
mod screen;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod transactions;

use flow::{Answer, Body, NoSink, Outlet, Pieces, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::draw::{Checksum, Draw};
use crate::work::{at_least_1, require};
use crate::{Allocates, Bytes, Scaled, Work, WorkError, Workload, usual};
pub(crate) use deck::Deck;
pub use deck::{Kind, MIX};
use store::Store;

/// Parameters of `warehouse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warehouse {
    /// Workers, one warehouse each.
    pub workers: u64,
    /// Transactions of each worker in a repetition.
    pub transactions: u64,
    /// Live heap of each worker.
    #[serde(default = "usual::bytes::<{ USUAL_HEAP.0 }>")]
    pub heap: Bytes,
    /// Seed of data and choices.
    #[serde(default)]
    pub seed: u64,
}

/// Default heap of a worker: that of the published study.
pub const USUAL_HEAP: Bytes = Bytes(256 << 20);
/// Minimum of a worker's heap.
pub const LEAST_HEAP: Bytes = Bytes(1 << 20);
/// Maximum: customers are numbered in 32 bits.
pub const MOST_HEAP: Bytes = Bytes(1 << 40);

impl Warehouse {
    /// Allocations of a transaction, for heaps of 8 MiB and more.
    pub const ALLOCATES: Allocates = Allocates {
        count: 2.01,
        bytes: 425.0,
    };

    /// Memory of one worker: its heap and the allocator's overhead.
    #[must_use]
    pub fn bytes_a_worker(&self) -> u64 {
        self.heap.0.saturating_add(self.heap.0 / 4)
    }
}

/// One worker's warehouse, and whether it did transactions.
#[derive(Debug)]
pub struct Place {
    store: Store,
    used: bool,
}

impl Warehouse {
    fn place(&self) -> Place {
        Place {
            store: Store::fill(self.heap.0, &mut Draw::new(self.seed, u64::MAX)),
            used: false,
        }
    }
}

impl Body for Warehouse {
    type State = Place;
    const SENDS: bool = false;
    const TOUCHES: bool = true;

    fn units(&self) -> u64 {
        self.workers
    }

    fn describe(&self, unit: u64) -> String {
        format!("warehouse {}", unit + 1)
    }

    fn state(&self, _flow: usize) -> Place {
        self.place()
    }

    fn unit(&self, place: &mut Place, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        if place.used {
            self.settle(place);
            *place = self.place();
        }
        place.used = true;
        let (mut draw, mut deck) = (Draw::new(self.seed, unit), Deck::new());
        let mut sum = Checksum::default();
        for _ in 0..self.transactions {
            let kind = deck.deal(&mut draw);
            place.store.transact(kind, &mut draw, &mut sum);
        }
        Proof {
            count: self.transactions,
            checksum: sum.0,
        }
    }

    fn settle(&self, place: &mut Place) {
        if let Err(unbalanced) = place.store.audit() {
            panic!("{unbalanced}");
        }
    }

    fn touched(&self, place: &Place, _flow: usize, pieces: &mut Pieces) {
        place.store.pieces(pieces);
    }
}

impl Workload for Warehouse {
    flows_are!(workers);

    fn check(&self) -> Result<(), WorkError> {
        let Self {
            workers,
            transactions,
            heap,
            ..
        } = *self;
        at_least_1(&[("workers", workers), ("transactions", transactions)])?;
        require((LEAST_HEAP..=MOST_HEAP).contains(&heap), || {
            format!(
                "a warehouse cannot have a heap of {heap}: use {LEAST_HEAP} to {MOST_HEAP}, such as \
                 heap = \"256M\""
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut NoSink)
    }

    fn bytes_a_flow(&self) -> Option<u64> {
        Some(self.bytes_a_worker())
    }

    fn allocates(&self) -> Option<Allocates> {
        Some(Self::ALLOCATES)
    }

    fn scaled(&self) -> Option<Scaled> {
        Some(Scaled::by_flow(
            "transactions",
            self.workers * self.transactions,
        ))
    }

    fn with_parts(&self, _now: u32, workers: u64) -> Option<Work> {
        Some(Work::Warehouse(Self {
            workers,
            ..self.clone()
        }))
    }

    fn with_heap(&self, heap: Bytes) -> Option<Work> {
        Some(Work::Warehouse(Self {
            heap,
            ..self.clone()
        }))
    }
}
