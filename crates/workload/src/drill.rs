//! `drill`: work with a fault in it, to see what isolation is worth.

use serde::{Deserialize, Serialize};

use crate::WorkError;

/// Parameters of `drill`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drill {
    /// Units of work.
    pub units: u64,
    /// What goes wrong.
    pub fault: Fault,
    /// In which unit (0-based).
    pub unit: u64,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The flow aborts (SIGABRT).
    Abort,
    /// The flow panics.
    Panic,
    /// The flow never ends.
    Hang,
    /// The flow proves something else.
    Wrong,
}

impl Drill {
    pub(crate) fn check(&self) -> Result<(), WorkError> {
        if self.unit >= self.units {
            let Self { unit, units, .. } = self;
            return Err(WorkError(format!(
                "drill has {units} units: {unit} is none of them"
            )));
        }
        Ok(())
    }
}
