//! A workload with its parameters.

use flow::{Answer, Body, Cell, Model, NoSink, Proof};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::turns::{LEAST_FLOWS, WithBody};
use crate::{Drill, Primes, Spin, Turns};

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
        }
    }

    /// What a repetition must prove, where that can be known without running it.
    #[must_use]
    pub fn expected(&self) -> Option<Proof> {
        match self {
            Self::Primes(primes) => primes.expected(),
            Self::Spin(_) | Self::Drill(_) | Self::Turns(_) => None,
        }
    }

    /// How many flows the work is for, where that is part of it.
    #[must_use]
    pub fn flows(&self) -> Option<u64> {
        match self {
            Self::Turns(turns) => Some(turns.flows),
            Self::Primes(_) | Self::Spin(_) | Self::Drill(_) => None,
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
            Self::Drill(drill) => cell.run(drill, &mut NoSink),
            Self::Turns(turns) => turns.with_body(TakeTurns(cell)),
        }
    }
}

/// The whole life of a probe, whose flows do nothing ([`Turns::idle`]); `predict` is asked
/// for how many of them there is room.
pub fn probe_main<P: Serialize + DeserializeOwned>(
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> ! {
    flow::probe_main(&Turns::idle(LEAST_FLOWS).untouched(), predict)
}

/// A slot of flows that take turns.
struct TakeTurns<'a>(&'a Cell<Work>);

impl WithBody for TakeTurns<'_> {
    type Out = Answer;

    fn with<B: Body>(self, body: &B) -> Answer {
        self.0.run(body, &mut NoSink)
    }
}
