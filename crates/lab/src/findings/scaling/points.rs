use flow::Model;
use flow::record::footprint::Footprint;
use measure::Measured;
use serde::{Deserialize, Serialize};
use stats::Estimate;
use workload::Allocates;

use crate::data::Topology;
use crate::data::number::factor_ends;

/// One work along one way through the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The work: what the names of its cases begin with.
    pub workload: String,
    /// The way.
    pub along: Topology,
    /// CPUs on which flows do not have to take turns.
    pub room: u32,
    /// What is counted (`transactions`).
    pub counted: String,
    /// What each of them allocates, where that is known exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocates: Option<Allocates>,
    /// Flows that throughput is set against: 2 where flows come in pairs.
    pub one: u32,
    /// One entry a number of flows, ascending.
    pub points: Vec<ScalingPoint>,
}

/// One number of flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// How many.
    pub flows: u32,
    /// The case by its name.
    pub case: String,
    /// One entry a variant that has a good slot, in the case's order.
    pub variants: Vec<Throughput>,
    /// Throughput of one process with this many threads over that of this many processes.
    pub threads_over_processes: Option<Ratio>,
    /// Misses of the data TLB by threads over those by processes, for the same work.
    pub dtlb_misses: Measured<f64>,
}

impl ScalingPoint {
    /// The variant of that model.
    #[must_use]
    pub fn of(&self, model: Model) -> Option<&Throughput> {
        let mut variants = self.variants.iter();
        variants.find(|variant| variant.model == Some(model))
    }
}

/// The throughput of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Its label.
    pub label: String,
    /// Its model: what it is found by; of the case in files.
    #[serde(skip)]
    pub model: Option<Model>,
    /// Its processes.
    pub processes: u32,
    /// Threads in each of them.
    pub threads: u32,
    /// How many a second.
    pub per_s: f64,
    /// Over that of one flow of the reference.
    pub over_one: Option<Ratio>,
    /// Honest memory in bytes; with the reason where there is none.
    pub memory: Measured<u64>,
    /// Pages; `None` where the work cannot tell.
    pub footprint: Option<Measured<Footprint>>,
}

/// A ratio of throughputs with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Above 1 where the first is faster.
    pub ratio: f64,
    /// Ends of the interval; `None` for too few slots.
    pub interval: Option<[f64; 2]>,
}

impl Ratio {
    pub(super) fn of_times(times: &Estimate, work: f64) -> Self {
        Self {
            ratio: work / times.ratio,
            interval: times
                .interval()
                .map(|(low, high)| [work / high, work / low]),
        }
    }

    /// `[0.98x … 1.04x]`, rounded outwards; empty without an interval.
    #[must_use]
    pub fn ends(&self) -> String {
        self.interval.map_or_else(String::new, |[low, high]| {
            format!("[{}]", factor_ends(low, high))
        })
    }
}
