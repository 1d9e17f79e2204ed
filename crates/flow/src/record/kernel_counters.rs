//! Kernel counts of the parent and the flows of a repetition.

use crate::record::footprint::Footprint;
use measure::Measured;
use measure::task::Io;
use serde::{Deserialize, Serialize};

/// Counts that were read while the flows waited at the gates, outside of every phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCounters {
    /// Moves from one CPU to another.
    pub migrations: Measured<PerPhase<u64>>,
    /// Bytes moved.
    pub io: Measured<PerPhase<Io>>,
    /// The pages that flows work on, where the work can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footprint: Option<Measured<Footprint>>,
    /// TLB shootdowns of the whole machine in the steady phase, where the work wants to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shootdowns: Option<Measured<u64>>,
}

/// A count of the parent and of every flow, phase by phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerPhase<T> {
    /// Of the parent.
    pub parent: OfParent<T>,
    /// Of the flows, in flow order.
    pub flows: Vec<OfFlow<T>>,
}

/// Of the parent, in each phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfParent<T> {
    /// While it created the flows.
    pub create: T,
    /// While they ran.
    pub steady: T,
    /// While it waited for their end.
    pub teardown: T,
}

/// Of a flow, in the two phases at whose end it is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfFlow<T> {
    /// From its birth to the gate.
    pub create: T,
    /// From the release until it was done.
    pub steady: T,
}

impl<T: Copy + std::iter::Sum> PerPhase<T> {
    /// The parent and all flows, while they were created.
    #[must_use]
    pub fn create(&self) -> T {
        let flows = self.flows.iter().map(|flow| flow.create);
        flows.chain([self.parent.create]).sum()
    }

    /// The parent and all flows, while they ran.
    #[must_use]
    pub fn steady(&self) -> T {
        let flows = self.flows.iter().map(|flow| flow.steady);
        flows.chain([self.parent.steady]).sum()
    }

    /// Everything.
    #[must_use]
    pub fn total(&self) -> T {
        [self.create(), self.steady(), self.parent.teardown]
            .into_iter()
            .sum()
    }
}
