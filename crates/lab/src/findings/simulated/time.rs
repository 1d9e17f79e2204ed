//! What the simulated time of a variant is made of, added up over all flows: a base for each
//! access, waits for misses of the caches, and of the data TLBs. Where hardware threads share a
//! core, waits hide behind the work of others, so the sum may exceed the time of the slot.

use serde::{Deserialize, Serialize};
use simulate::{Merged, Time};

use super::pair::Pair;
use crate::data::median;
use crate::data::simulation::Count;

/// A part of the simulated time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Accesses with their instructions, without waiting.
    Accesses,
    /// Waiting for what caches missed.
    Caches,
    /// Waiting for what the data TLBs missed.
    DataTlb,
}

const PARTS: [Part; 3] = [Part::DataTlb, Part::Caches, Part::Accesses];

impl Part {
    pub(crate) fn spoken(self) -> &'static str {
        match self {
            Self::Accesses => "accesses",
            Self::Caches => "misses of caches",
            Self::DataTlb => "misses of the data TLB",
        }
    }

    pub(crate) fn counts(self) -> &'static [Count] {
        match self {
            Self::Accesses => &[Count::Accesses],
            Self::Caches => &[Count::L1d, Count::L2, Count::Llc],
            Self::DataTlb => &[Count::Dtlb, Count::Walks],
        }
    }

    fn of(self, merged: &Merged, time: &Time) -> f64 {
        match self {
            Self::Accesses => merged.total(|counts| counts.base),
            Self::Caches => merged.total(|counts| counts.stall - counts.tlb_stall(time)),
            Self::DataTlb => merged.total(|counts| counts.tlb_stall(time)),
        }
    }
}

/// A part of the simulated time of two variants; the whole of the reference is 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimePart {
    /// Which.
    pub part: Part,
    /// Of the reference.
    pub reference: f64,
    /// Of the subject.
    pub subject: f64,
}

impl TimePart {
    /// How much more of it the subject has.
    #[must_use]
    pub fn more(&self) -> f64 {
        self.subject - self.reference
    }
}

pub(super) fn parts(pairs: &[Pair<'_>], time: &Time) -> Vec<TimePart> {
    let ticks = |part: Part, subject: bool| {
        let of = pairs.iter().map(|pair| match subject {
            true => pair.subject.1,
            false => pair.reference.1,
        });
        median(of.map(|one| part.of(&one.merged, time))).unwrap_or(0.0)
    };
    let whole: f64 = PARTS.iter().map(|part| ticks(*part, false)).sum();
    let parts = PARTS.iter().map(|part| TimePart {
        part: *part,
        reference: ticks(*part, false) / whole.max(1.0),
        subject: ticks(*part, true) / whole.max(1.0),
    });
    parts.collect()
}
