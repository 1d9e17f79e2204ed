//! Event counts of the flows of a repetition.

use measure::counters::{Event, Sample, Scope};
use serde::{Deserialize, Serialize};

use super::is_default;

/// Events of the flows between the two gates, as they were read, and scaled flow by flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The kernel's flows whose events were counted.
    pub flows: usize,
    /// One for each event that was asked for.
    pub events: Vec<EventCount>,
    /// Time to open the counters before the release, in ns, in no phase.
    pub open_ns: u64,
    /// Time to read and close them when all flows were done, in ns, in no phase.
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
        /// Of all flows together, as it was read.
        sum: Sample,
        /// Events of all flows in all of the time, rounded; `None` where a counter never ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scaled: Option<u64>,
        /// Flows whose counter never ran.
        #[serde(default, skip_serializing_if = "is_default")]
        never_ran: usize,
        /// Of each flow, in flow order; empty where there are more than 64.
        each: Vec<Sample>,
    },
    /// It could not be counted.
    Refused {
        /// The number of the error.
        errno: i32,
    },
}

impl Came {
    /// Events of all flows in all of the time that their counters were wanted, each flow scaled by
    /// its own part of a shared processor; `None` if not read, or a flow's counter never ran.
    #[must_use]
    pub fn scaled(&self) -> Option<f64> {
        match self {
            Self::Read { scaled, .. } if scaled.is_some() => scaled.map(|events| events as f64),
            Self::Read { sum, each, .. } if each.is_empty() => {
                sum.scaled().filter(|_| self.never_ran() == 0)
            }
            Self::Read { each, .. } => each.iter().map(|one| one.scaled()).sum(),
            Self::Refused { .. } => None,
        }
    }

    /// Flows whose counter never ran.
    #[must_use]
    pub fn never_ran(&self) -> usize {
        match self {
            Self::Read {
                never_ran, each, ..
            } => {
                let never = each.iter().filter(|one| one.ran().is_none());
                never.count().max(*never_ran)
            }
            Self::Refused { .. } => 0,
        }
    }
}

impl Counted {
    /// What came of an event; `None` if it was not asked for.
    #[must_use]
    pub fn of(&self, event: Event) -> Option<&Came> {
        let found = self.events.iter().find(|counted| counted.event == event);
        found.map(|counted| &counted.came)
    }
}
