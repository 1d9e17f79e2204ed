use flow::Rep;
use serde::{Deserialize, Serialize};

use super::{Metric, Outcome, SlotEntry, Value, median};

/// What the pilot of a case chose for its slots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// Warm-ups in each slot.
    pub warmups: u32,
    /// Repetitions in each slot.
    pub reps: u32,
    /// Deadline of each slot, in seconds.
    pub deadline_s: f64,
}

impl Chosen {
    /// A single cold repetition.
    pub(crate) fn once(deadline_s: f64) -> Self {
        Self {
            warmups: 0,
            reps: 1,
            deadline_s,
        }
    }
}

/// A slot as the charts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawSlot {
    /// Round, from 0.
    pub round: usize,
    /// Variant by its place in the case.
    pub variant: usize,
    /// Seconds after the beginning of the run.
    pub at_s: f64,
    /// The slot's value in ns; `None` for a failed slot.
    pub value_ns: Option<f64>,
    /// All that was recorded.
    pub outcome: Outcome,
}

impl SlotEntry {
    pub(crate) fn raw(self, value_ns: Option<f64>) -> RawSlot {
        RawSlot {
            round: self.round,
            variant: self.variant,
            at_s: self.at_s,
            value_ns,
            outcome: self.outcome,
        }
    }
}

impl Metric {
    /// The compared time of a repetition in ns; 0, no data point, where there are no turns.
    #[must_use]
    pub fn of(self, rep: &Rep) -> f64 {
        match self {
            Self::Total => rep.total_ns() as f64,
            Self::Steady => rep.steady_ns as f64,
            Self::Create => rep.create_ns as f64,
            Self::Switch => match rep.turns {
                Some(turns) if turns.taken > 0 => rep.steady_ns as f64 / turns.taken as f64,
                _ => 0.0,
            },
            Self::Unit => match rep.flows.iter().map(|flow| flow.units).sum() {
                0_u64 => 0.0,
                units => rep.steady_ns as f64 / units as f64,
            },
            Self::Request => match &rep.latencies {
                Some(latencies) if latencies.count() > 0 => {
                    rep.steady_ns as f64 / latencies.count() as f64
                }
                _ => own_count(rep, "ns_per_request"),
            },
            Self::P99 => match &rep.latencies {
                Some(latencies) => latencies.quantile_ns(0.99).unwrap_or(0) as f64,
                None => own_count(rep, "p99_ns"),
            },
            // No repetition has it: `slot_value` knows the slot's.
            Self::Simulated => 0.0,
        }
    }
}

fn own_count(rep: &Rep, name: &str) -> f64 {
    let own = rep.self_managed.as_ref();
    let told = own.and_then(|own| own.counts.get(name));
    told.copied().unwrap_or(0) as f64
}

/// What stands for a slot, in ns; `None` for a failed one, or below what the clock can tell.
#[must_use]
pub fn slot_value(outcome: &Outcome, metric: Metric, value: Value) -> Option<f64> {
    let record = outcome.answer.done()?;
    if metric == Metric::Simulated {
        let simulated = outcome.simulated.as_ref()?.value()?;
        return Some(simulated.merged.time_ns).filter(|&time| time > 0.0);
    }
    let times = record.reps.iter().map(|rep| metric.of(rep));
    let time = match value {
        Value::Typical => median(times),
        Value::Undisturbed => times.min_by(f64::total_cmp),
    };
    time.filter(|&time| time > 0.0)
}

pub(crate) fn failure(outcome: &Outcome) -> Option<String> {
    match &outcome.answer {
        flow::Answer::Done(_) => None,
        flow::Answer::Failed { reason, .. } => Some(reason.to_string()),
    }
}
