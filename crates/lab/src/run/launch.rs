//! The edges of a run, what launches a slot and tells the time: traits, for tests without a clock.

use flow::SlotSpec;
use flow::placement::Cpus;
use measure::load::Load;
use workload::Work;

use crate::data::Outcome;

/// Launches slots.
pub trait Launch {
    /// Runs one slot in a fresh process; one that fails is an outcome, and no error.
    fn launch(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, LaunchError>;

    /// The CPUs of the machine that slots run on, whatever machine the run is planned for.
    fn cpus(&self) -> Cpus;
}

/// Why a slot has no outcome, and the run ends.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A signal asked the run to end.
    #[error("interrupted by signal {signal}")]
    Interrupted {
        /// Its number.
        signal: i32,
    },
    /// Slots cannot be launched here; the text says why and what to do.
    #[error("{0}")]
    Fatal(String),
}

/// Tells how long the run has been going on.
pub trait Clock {
    /// Seconds since this command began.
    fn elapsed_s(&self) -> f64;

    /// How busy the machine was since then; `None` where nobody looks.
    fn load(&self) -> Option<Load> {
        None
    }
}
