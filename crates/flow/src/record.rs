//! What a slot leaves behind: raw values, in ns and bytes, and failures (docs/results.md).

mod answer;
mod columns;
pub mod counted;
mod failure;
mod flow;
pub mod footprint;
pub mod kernel_counters;
mod self_managed;

use measure::Measured;
use measure::memory::Reading;
use measure::usage::Usage;
use serde::{Deserialize, Serialize};

use crate::Proof;
use crate::film::Film;
use crate::latency::Latencies;
use crate::pace::Paused;
use crate::quota::Throttled;
use crate::samples::Samples;

pub use counted::Counted;
pub use failure::{Failure, KILLED};
pub use flow::{FlowRecord, FlowState};
pub use kernel_counters::KernelCounters;
pub use self_managed::{Forgotten, SelfManagedUsage};

/// How a launch ended, as the launcher saw it; `T` is what is counted of recorded accesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome<T = ()> {
    /// What the slot process answered, or why there is no answer.
    pub answer: Answer,
    /// Wall time from before the launch to after the record was read, in ns.
    pub launch_ns: u64,
    /// What a sampler recorded beside the slot, where there was to be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Measured<Samples>>,
    /// Where its time went, where a profiler was beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Measured<profile::Profile>>,
    /// What a model of another machine counted, where there was to be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Measured<T>>,
    /// What its flows did and waited for, where that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub film: Option<Box<Measured<Film>>>,
}

impl<T> Outcome<T> {
    /// Of a slot beside which nothing looked on.
    #[must_use]
    pub fn new(answer: Answer, launch_ns: u64) -> Self {
        Self {
            answer,
            launch_ns,
            samples: None,
            profile: None,
            simulated: None,
            film: None,
        }
    }
}

/// What a slot process answers.
#[expect(
    clippy::large_enum_variant,
    reason = "one is held at a time, and a failed one keeps a whole repetition"
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answer {
    /// Every repetition ran to its end.
    Done(SlotRecord),
    /// The slot is no data point.
    Failed {
        /// Why.
        reason: Failure,
        /// The failed repetition, with what its other flows finished; `None` of a lost slot.
        kept: Option<Rep>,
        /// Repetitions that were begun, warm-ups and the failed one included, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        begun: Option<u32>,
    },
}

impl Answer {
    /// A slot that failed, of which nothing is kept.
    #[must_use]
    pub fn failed(reason: Failure) -> Self {
        Self::Failed {
            reason,
            kept: None,
            begun: None,
        }
    }

    /// A slot that failed for want of something, or for the reason that the error carries.
    #[must_use]
    pub fn from_error(error: &std::io::Error) -> Self {
        Self::after(error, None)
    }

    pub(crate) fn after(error: &std::io::Error, begun: Option<u32>) -> Self {
        let carried = error.get_ref().and_then(|inner| inner.downcast_ref());
        let reason = carried.cloned().unwrap_or_else(|| Failure::Error {
            what: error.to_string(),
        });
        Self::Failed {
            reason,
            kept: None,
            begun,
        }
    }

    /// The record of a slot that is a data point.
    #[must_use]
    pub fn done(&self) -> Option<&SlotRecord> {
        match self {
            Self::Done(record) => Some(record),
            Self::Failed { .. } => None,
        }
    }
}

/// All that one slot measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotRecord {
    /// Repetitions that do not count.
    pub warmups: Vec<Rep>,
    /// Repetitions that count.
    pub reps: Vec<Rep>,
    /// Memory of the parent and all flows, all alive, at the end gate of the last repetition.
    pub memory: Reading,
    /// A repetition with timers in it, after those that count; it is no data point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<Box<Rep>>,
    /// Proof of one repetition, the same for all of them.
    pub proof: Proof,
}

/// One repetition: create, steady, tear-down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rep {
    /// From before the first flow is created until all of them wait at the gate.
    pub create_ns: u64,
    /// From the release until the last flow is done and the parent has all results.
    pub steady_ns: u64,
    /// From the second release until the last flow is joined or reaped.
    pub teardown_ns: u64,
    /// Latest minus earliest start after the release: run-queue time where flows outnumber CPUs.
    pub skew_ns: u64,
    /// The parent's own part.
    pub parent: ParentRecord,
    /// One entry for each of the kernel's flows, in order; a carrier's holds its user-level flows.
    #[serde(with = "columns")]
    pub flows: Vec<FlowRecord>,
    /// Of flows that take turns: how many, and whether the switches happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// How long requests took, where flows answer some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Box<Latencies>>,
    /// Migrations and bytes; of the last repetition of a slot alone.
    #[serde(default, rename = "told", skip_serializing_if = "Option::is_none")]
    pub kernel_counters: Option<Box<KernelCounters>>,
    /// Events that were counted, if asked for; of the last repetition of a slot alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Box<Measured<Counted>>>,
    /// What work that makes its own flows tells of them; one flow record then stands for all.
    #[serde(default, rename = "own", skip_serializing_if = "Option::is_none")]
    pub self_managed: Option<Box<SelfManagedUsage>>,
    /// What the flows were held back, where they have a quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<Throttled>,
    /// When create, steady and tear-down began, by the machine's clock in ns; of a filmed slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Box<[u64; 3]>>,
    /// What its flows were held back, where a part of the work is faster in effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
}

/// Turns that were taken, and what shows that each of them was followed by a switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Timed turns of all flows.
    pub taken: u64,
    /// Hand-overs in the span of the kernel's counts; 0 for user-level flows.
    pub handed_over: u64,
    /// Voluntary and involuntary switches that the kernel counted in that span.
    pub switches: u64,
    /// Turns for which it was checked who had run since the same flow's turn before.
    pub checked: u64,
    /// Those of them between which every other flow had run.
    pub orderly: u64,
}

impl Turns {
    pub(crate) const WORDS: usize = 5;

    pub(crate) fn words(self) -> [u64; Self::WORDS] {
        [
            self.taken,
            self.handed_over,
            self.switches,
            self.checked,
            self.orderly,
        ]
    }

    pub(crate) fn of_words(words: [u64; Self::WORDS]) -> Self {
        let [taken, handed_over, switches, checked, orderly] = words;
        Self {
            taken,
            handed_over,
            switches,
            checked,
            orderly,
        }
    }
}

impl std::ops::AddAssign for Turns {
    fn add_assign(&mut self, other: Self) {
        let (own, other) = (self.words(), other.words());
        *self = Self::of_words(std::array::from_fn(|place| own[place] + other[place]));
    }
}

impl Rep {
    /// Create, steady and tear-down together, in ns.
    #[must_use]
    pub fn total_ns(&self) -> u64 {
        self.create_ns + self.steady_ns + self.teardown_ns
    }

    /// Proof of the whole repetition.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.flows.iter().map(|flow| flow.proof).sum()
    }
}

/// What the parent did in one repetition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentRecord {
    /// Its process id.
    pub pid: i32,
    /// Usage while it created the flows.
    pub create: Usage,
    /// Usage while the flows ran.
    pub steady: Usage,
    /// Usage while it waited for their end.
    pub teardown: Usage,
    /// When the phases began by the clock, in ns; of profiled slots alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub began_ns: [u64; 3],
    /// When it had taken the last result, after the release, in ns.
    pub end_ns: u64,
    /// How many result values it received.
    pub received: u64,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
