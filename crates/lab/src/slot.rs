//! One slot in one number.

use flow::{Outcome, Rep};

use crate::median::median;
use crate::{Metric, Value};

impl Metric {
    /// The time of a repetition that is compared, in ns.
    #[must_use]
    pub fn of(self, rep: &Rep) -> u64 {
        match self {
            Self::Total => rep.total_ns(),
            Self::Steady => rep.steady_ns,
            Self::Create => rep.create_ns,
        }
    }
}

/// What stands for a slot, in ns; `None` for a failed one. A time of 0 ns is below what
/// the clock can tell and no data point either.
#[must_use]
pub fn slot_value(outcome: &Outcome, metric: Metric, value: Value) -> Option<f64> {
    let record = outcome.answer.done()?;
    let times = record.reps.iter().map(|rep| metric.of(rep) as f64);
    let time = match value {
        Value::Typical => median(times),
        Value::Undisturbed => times.min_by(f64::total_cmp),
    };
    time.filter(|&time| time > 0.0)
}
