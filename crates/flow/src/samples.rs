use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a slot is sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSpec {
    /// Time between two samples, in ns.
    pub interval_ns: u64,
    /// CPUs that the sampler keeps to: those of no flow. Empty where there are none.
    pub cpus: Vec<u32>,
    /// CPUs that the slot can have at once; the launcher says it of each slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_cpus: Option<u32>,
    /// A folder whose use of disk space is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// What was recorded of one slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Time between two ticks, in ns.
    pub interval_ns: u64,
    /// CPUs that the sampler kept to; empty where it shared those of the flows.
    pub cpus: Vec<u32>,
    /// One for each tick that was kept.
    pub samples: Vec<Sample>,
    /// Counters as the slot ended; `None` if nothing of it was there any more.
    pub end: Option<Totals>,
    /// Ticks that passed without a sample, because the one before was not done.
    pub missed: u64,
    /// Samples that were taken and not kept, because there were too many.
    pub not_kept: u64,
    /// CPU time of the sampler itself from the first tick on, in ns.
    pub own_cpu_ns: u64,
    /// Time from the beginning of the slot to its end as the sampler saw it, in ns.
    pub span_ns: u64,
    /// What this machine does not tell, in words; each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_available: Vec<String>,
}

/// A slot's processes at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When, after the slot was given its task, in ns.
    pub at_ns: u64,
    /// CPU time of all of them since the slot was given its task, ended ones included, in ns.
    pub cpu_ns: u64,
    /// Processes that are there.
    pub processes: u32,
    /// Threads in them.
    pub tasks: u32,
    /// Sum of their RSS, in bytes.
    pub rss: u64,
    /// Honest memory (PSS + page tables + kernel stacks), in bytes; not in every sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Bytes written to storage so far, by ended ones too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// Disk space that the files of the folder take, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<u64>,
}

/// Counters of a slot at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// When, after the slot was given its task, in ns.
    pub at_ns: u64,
    /// As [`Sample::cpu_ns`].
    pub cpu_ns: u64,
    /// As [`Sample::written`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// As [`Sample::disk`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<u64>,
}
