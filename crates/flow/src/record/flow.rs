//! What one flow did in one repetition, and how it ended.

use measure::usage::Usage;
use serde::{Deserialize, Serialize};

use crate::Proof;

/// What one flow did in one repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Process id, and thread id (the same for a process's first thread).
    pub pid: i32,
    /// Thread id.
    pub tid: i32,
    /// How it ended.
    #[serde(flatten)]
    pub state: FlowState,
    /// Start and end of its work, after the release, in ns.
    pub start_ns: u64,
    /// End of its work, after the release, in ns.
    pub end_ns: u64,
    /// Usage from its birth to the gate.
    pub create: Usage,
    /// Usage while it worked.
    pub steady: Usage,
    /// Units it did.
    pub units: u64,
    /// Result values it sent.
    pub sent: u64,
    /// Proof of its work.
    pub proof: Proof,
    /// User-level flows that it carried; 0 for a flow of the kernel's own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub carried: u64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it skips by reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a flow ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FlowState {
    /// It did all its work.
    Done,
    /// Its process ended before its work was done.
    Died {
        /// `SIGSEGV`, `exit code 3`.
        how: String,
    },
    /// It was still at work at the deadline.
    Hung,
    /// It could not do its work.
    Error {
        /// What failed.
        what: String,
    },
}
