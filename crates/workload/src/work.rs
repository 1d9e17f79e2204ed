//! A workload with its parameters.

use flow::{Answer, Cell, NoSink, Proof, Schedule, Variant};
use serde::{Deserialize, Serialize};

use crate::{Drill, Handoff, Numeric, Primes, Spin, Turns, Warehouse};

/// A workload with its parameters, as studies and journals write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Work {
    /// Search blocks of numbers for primes.
    Primes(Primes),
    /// A fixed amount of arithmetic: what `calibrate` compares with itself.
    Spin(Spin),
    /// Work with a fault in it, to see what isolation is worth.
    Drill(Drill),
    /// Flows that take turns and hand over to each other.
    Turns(Turns),
    /// Transactions over trees of objects in memory.
    Warehouse(Warehouse),
    /// Kernels that compute and hardly allocate.
    Numeric(Numeric),
    /// Flows in pairs: one allocates blocks, the other frees them.
    Handoff(Handoff),
}

/// Parameters that no run can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorkError(pub String);

impl Work {
    /// Units of work in one repetition.
    #[must_use]
    pub fn units(&self) -> u64 {
        match self {
            Self::Primes(primes) => primes.blocks,
            Self::Spin(spin) => spin.units,
            Self::Drill(drill) => drill.units,
            Self::Turns(turns) => turns.flows,
            Self::Warehouse(warehouse) => warehouse.workers,
            Self::Numeric(numeric) => numeric.units,
            Self::Handoff(handoff) => handoff.flows(),
        }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range: the message names the value and what to use.
    pub fn check(&self) -> Result<(), WorkError> {
        match self {
            Self::Primes(primes) => primes.check(),
            Self::Spin(spin) => spin.check(),
            Self::Drill(drill) => drill.check(),
            Self::Turns(turns) => turns.check(),
            Self::Warehouse(warehouse) => warehouse.check(),
            Self::Numeric(numeric) => numeric.check(),
            Self::Handoff(handoff) => handoff.check(),
        }
    }

    /// What a repetition must prove, where that can be known without running it.
    #[must_use]
    pub fn expected(&self) -> Option<Proof> {
        match self {
            Self::Primes(primes) => primes.expected(),
            Self::Handoff(handoff) => handoff.expected(),
            _ => None,
        }
    }

    /// How many flows the work is for, where that is part of it.
    #[must_use]
    pub fn flows(&self) -> Option<u64> {
        match self {
            Self::Turns(_) | Self::Warehouse(_) | Self::Handoff(_) => Some(self.units()),
            _ => None,
        }
    }

    /// Why flows of that variant cannot do this work, if they cannot.
    #[must_use]
    pub fn unsuited(&self, variant: &Variant) -> Option<String> {
        let Self::Handoff(_) = self else {
            return None;
        };
        if variant.model.is_user_level() {
            return Some(format!(
                "handoff has flows that wait for each other, and {} would wait for ever: its \
                 flows share a carrier; use process, thread or a mix such as 2x2",
                variant.model
            ));
        }
        (variant.schedule == Schedule::Queue).then(|| {
            "handoff needs to know which flow hands over to which: use schedule = \"static\""
                .to_owned()
        })
    }

    /// Bytes of memory that each flow takes, where that is more than a flow usually does.
    #[must_use]
    pub fn bytes_a_flow(&self) -> Option<u64> {
        match self {
            Self::Warehouse(warehouse) => Some(warehouse.bytes_a_worker()),
            Self::Numeric(numeric) => numeric.bytes_a_flow(),
            Self::Handoff(handoff) => handoff.bytes_a_flow(),
            _ => None,
        }
    }

    /// Whether its slots need a folder for files ([`flow::SlotSpec::scratch`]).
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        match self {
            Self::Drill(drill) => drill.files > 0,
            _ => false,
        }
    }

    /// Runs the slot of `cell` with the body of its work: the one place where a name
    /// becomes a type, and each body is compiled into the flow loop.
    #[must_use]
    pub fn run(cell: &Cell<Self>) -> Answer {
        match &cell.spec().work {
            Self::Primes(primes) => {
                cell.run(primes, &mut primes.sink(cell.spec().output.as_deref()))
            }
            Self::Spin(spin) => cell.run(spin, &mut NoSink),
            Self::Drill(drill) => cell.run(&drill.body(cell.scratch()), &mut NoSink),
            Self::Turns(turns) => take_turns(cell, turns),
            Self::Warehouse(warehouse) => cell.run(warehouse, &mut NoSink),
            Self::Numeric(numeric) => cell.run(numeric, &mut NoSink),
            Self::Handoff(handoff) => match handoff.pairs(&cell.spec().variant) {
                Ok(pairs) => cell.run(&pairs, &mut NoSink),
                Err(error) => Answer::from_error(&error),
            },
        }
    }
}

/// One program for each number of bytes that may be touched.
fn take_turns(cell: &Cell<Work>, turns: &Turns) -> Answer {
    match turns.stack_use {
        0 => cell.run(&turns.body::<0>(), &mut NoSink),
        1_024 => cell.run(&turns.body::<16>(), &mut NoSink),
        4_096 => cell.run(&turns.body::<64>(), &mut NoSink),
        16_384 => cell.run(&turns.body::<256>(), &mut NoSink),
        65_536 => cell.run(&turns.body::<1024>(), &mut NoSink),
        _ => cell.run(&turns.body::<4096>(), &mut NoSink),
    }
}
