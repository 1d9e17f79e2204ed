//! One slot in one number.

use flow::{Outcome, Rep};

use crate::median::median;
use crate::{Metric, Value};

impl Metric {
    /// The time of a repetition that is compared, in ns. Without turns there is no time of
    /// one: 0, which is no data point.
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
        }
    }
}

/// What stands for a slot, in ns; `None` for a failed one. A time of 0 ns is below what
/// the clock can tell and no data point either.
#[must_use]
pub fn slot_value(outcome: &Outcome, metric: Metric, value: Value) -> Option<f64> {
    let record = outcome.answer.done()?;
    let times = record.reps.iter().map(|rep| metric.of(rep));
    let time = match value {
        Value::Typical => median(times),
        Value::Undisturbed => times.min_by(f64::total_cmp),
    };
    time.filter(|&time| time > 0.0)
}
