//! The journal: one JSON object a line, appended and flushed as each slot ends.

use flow::Outcome;
use machine::Machine;
use serde::{Deserialize, Serialize};

use crate::{Settings, Study};

/// Version of the journal's schema. Readers open every version up to theirs.
pub const SCHEMA: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of flowgauge.
    pub version: String,
    /// Seconds since the epoch when the run began.
    pub began_unix_s: u64,
    /// The command as it was given, for "run it again".
    pub command: Vec<String>,
    /// How it is run.
    pub settings: Settings,
    /// Where it is run.
    pub machine: Machine,
    /// What is run.
    pub studies: Vec<Study>,
}

/// Every other line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Entry {
    /// What the pilot of a case chose.
    Pilot {
        /// Study and case by name.
        study: String,
        /// Case.
        case: String,
        /// Warm-ups in each slot.
        warmups: u32,
        /// Repetitions in each slot.
        reps: u32,
        /// Deadline of each slot, in seconds.
        deadline_s: f64,
        /// Outcomes, one a variant; never data points.
        outcomes: Vec<Outcome>,
    },
    /// A slot.
    Slot {
        /// Study by name.
        study: String,
        /// Case by name.
        case: String,
        /// Round, from 0.
        round: usize,
        /// Variant by its place in the case.
        variant: usize,
        /// Seconds after the beginning of the run when it was launched.
        at_s: f64,
        /// How it went.
        outcome: Outcome,
    },
    /// A case has ended, and why.
    CaseEnd {
        /// Study by name.
        study: String,
        /// Case by name.
        case: String,
        /// Why no more rounds were run.
        because: CaseEnd,
    },
    /// The run has ended.
    End {
        /// The signal that cut it, if one did.
        interrupted: Option<i32>,
        /// Seconds after the beginning.
        at_s: f64,
    },
}

/// Why a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    /// Every comparison was decided at a look.
    Decided,
    /// All rounds were run.
    Rounds,
    /// The budget was used up.
    Budget,
    /// Too many slots failed.
    Failures,
}
