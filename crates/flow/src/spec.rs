//! The task of a slot process.

use std::path::PathBuf;

use measure::counters::Event;
use serde::{Deserialize, Serialize};

use crate::Recording;
use crate::Variant;
use crate::samples::SampleSpec;

/// One slot: a variant, its work and how often to repeat it. `W` describes the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotSpec<W> {
    /// What to run.
    pub work: W,
    /// As what.
    pub variant: Variant,
    /// The CPUs that flows are dealt to in turn ([`crate::Placement::resolve`]); empty for free.
    pub cpus: Vec<u32>,
    /// Repetitions that are run, recorded and not counted.
    pub warmups: u32,
    /// Repetitions that count.
    pub reps: u32,
    /// Seconds after which the slot is a failure: whatever still runs is killed.
    pub deadline_s: f64,
    /// What each flow, and the parent, say on standard error meanwhile; no data point.
    pub narrate: Option<String>,
    /// Where the sink stores results, for workloads that store them.
    pub output: Option<PathBuf>,
    /// The slot's folder for files ([`crate::SlotProcess::scratch`]) is made here, and removed.
    pub scratch: Option<PathBuf>,
    /// A sampler that runs beside the slot; usually none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSpec>,
    /// A profiler that runs beside the slot; usually none. Such a slot is no data point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<profile::ProfileSpec>,
    /// Events that are counted of each flow in the last repetition; usually none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub count: Vec<Event>,
    /// One more repetition with timers after those that count, where the work makes its own flows.
    pub timers: bool,
    /// Seconds that the slot process needs after its deadline to end what it has launched.
    pub grace_s: f64,
    /// Its accesses are recorded, with its CPUs as hardware threads of another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Recording>,
    /// What its flows do and wait for is recorded; such a slot is never a data point.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub film: bool,
    /// What the slot draws itself comes from it.
    #[serde(default)]
    pub seed: u64,
}

impl<W> SlotSpec<W> {
    /// One repetition of some work, a minute at most, on any CPU, with nothing beside it.
    #[must_use]
    pub fn new(work: W, variant: Variant) -> Self {
        Self {
            work,
            variant,
            cpus: Vec::new(),
            warmups: 0,
            reps: 1,
            deadline_s: 60.0,
            narrate: None,
            output: None,
            scratch: None,
            sample: None,
            profile: None,
            count: Vec::new(),
            timers: false,
            grace_s: 0.0,
            record: None,
            film: false,
            seed: 0,
        }
    }

    /// The CPUs that flows of this slot are bound to; empty for free, when they may run on any.
    #[must_use]
    pub fn measured_cpus(&self) -> &[u32] {
        let carriers = self.variant.carriers() as usize;
        &self.cpus[..carriers.min(self.cpus.len())]
    }

    /// Empty for the CPUs of another machine.
    pub(crate) fn bound_to(&self) -> &[u32] {
        match self.record {
            Some(_) => &[],
            None => &self.cpus,
        }
    }

    /// As people read it: `10`, `0.02`.
    pub(crate) fn deadline_text(&self) -> String {
        seconds_text(self.deadline_s)
    }
}

/// A deadline as people read it: `10`, `7.5`, `0.02`.
#[must_use]
pub fn seconds_text(seconds: f64) -> String {
    let places = match seconds {
        0.0..1.0 if seconds > 0.0 => 1.0 - seconds.log10().floor(),
        _ => 1.0,
    };
    let text = format!("{seconds:.*}", places as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deadline of 20 ms was shown as one of 0.0 s.
    #[test]
    fn a_short_deadline_is_not_told_as_none() {
        for (deadline_s, text) in [
            (600.0, "600"),
            (13.283_758, "13.3"),
            (1.04, "1"),
            (0.5, "0.5"),
            (0.02, "0.02"),
            (0.0123, "0.012"),
            (1e-6, "0.000001"),
            (0.0, "0"),
        ] {
            assert_eq!(seconds_text(deadline_s), text);
        }
    }
}
