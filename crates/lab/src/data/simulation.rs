//! A machine to simulate, and what its model counted of a slot.

mod count;

use std::path::PathBuf;

use flow::Recording;
use serde::{Deserialize, Serialize};
use simulate::{Machine, Merged};

pub use count::Count;

/// How a launch ended, with what a model counted of it.
pub type Outcome = flow::Outcome<Simulated>;

/// The machine that a slot's accesses are run through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// The machine.
    pub machine: Machine,
    /// Bytes of a page.
    pub page: u64,
    /// Accesses of a hardware thread in its turn.
    pub turn: u64,
    /// Accesses of a flow before the next one on its hardware thread is switched in.
    pub timeslice: u64,
    /// Accesses of a flow that are recorded at the most.
    pub window: u64,
    /// A folder that gets the traces of every slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<PathBuf>,
}

/// What a model counted of a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// All of it.
    pub merged: Merged,
    /// The same with longer turns, where hardware threads of a core took turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_longer_turns: Option<Box<Merged>>,
    /// The same in other orders of the flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_other_orders: Vec<Merged>,
    /// Counts of one n-th of the window, with n, where the work did not end within it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_parts: Vec<(u64, Merged)>,
    /// Programs were started by exec; they were not recorded.
    pub left_out_exec: bool,
}

/// Parts of the window that are counted too: a sixteenth and a fourth.
pub const PARTS: [u64; 2] = [16, 4];
/// Turns are this many times as long the second time.
pub const OTHER_TURN: u64 = 16;

impl Simulation {
    /// What is to be recorded for it.
    #[must_use]
    pub fn recording(&self) -> Recording {
        Recording {
            window: self.window,
            keep: self.keep.clone(),
            cores: self.machine.cores,
            threads_per_core: self.machine.threads_per_core,
        }
    }
}
