//! What counters of events read of the flows of a repetition.

use measure::counters::{Event, Sample, Scope};
use serde::{Deserialize, Serialize};

/// Events of the flows between the two gates, as they were read: nothing is scaled here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The kernel's flows whose events were counted.
    pub flows: usize,
    /// One for each event that was asked for.
    pub events: Vec<EventCount>,
    /// How long the parent took to open the counters before the release, in ns. It is in no
    /// phase.
    pub open_ns: u64,
    /// How long it took to read and close them when all flows were done, in ns. It is in no
    /// phase.
    pub read_ns: u64,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    /// Which.
    pub event: Event,
    /// What came of it.
    #[serde(flatten)]
    pub came: Came,
}

/// What came of counting an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// Its counters were read.
    Read {
        /// Where it was counted.
        scope: Scope,
        /// Of all flows together.
        sum: Sample,
        /// Of each flow, in flow order; empty where there are more than 64.
        each: Vec<Sample>,
    },
    /// It could not be counted.
    Refused {
        /// The number of the error.
        errno: i32,
    },
}

impl Counted {
    /// What came of an event; `None` if it was not asked for.
    #[must_use]
    pub fn of(&self, event: Event) -> Option<&Came> {
        let found = self.events.iter().find(|counted| counted.event == event);
        found.map(|counted| &counted.came)
    }
}
