//! `spin`: a fixed amount of integer arithmetic that touches no memory.

use serde::{Deserialize, Serialize};

use crate::WorkError;

/// Parameters of `spin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// Units of work.
    pub units: u64,
    /// Steps of the generator in each unit (about 1 ns each).
    pub steps: u64,
    /// Further steps that are done and not proved: a planted difference.
    #[serde(default)]
    pub planted: u64,
}

impl Spin {
    pub(crate) fn check(&self) -> Result<(), WorkError> {
        if self.units == 0 || self.steps == 0 {
            return Err(WorkError(
                "spin needs units and steps of at least 1".to_owned(),
            ));
        }
        Ok(())
    }
}
