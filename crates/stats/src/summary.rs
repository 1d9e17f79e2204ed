use serde::{Deserialize, Serialize};

use crate::error::{Side, StatsError};
use crate::estimate::{check_each, check_time};
use crate::quantile::{mad, median, quantile, sorted, upper_quantile};

/// The times of one variant, in the unit they came in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub n: usize,
    /// Median: the default value of a variant.
    pub typical: f64,
    /// Minimum: what the work takes when nothing else interferes.
    pub undisturbed: f64,
    /// Arithmetic mean; moved by every slow run, so no finding rests on it.
    pub mean: f64,
    /// Lower quartile.
    pub p25: f64,
    /// Upper quartile.
    pub p75: f64,
    /// Median absolute deviation from the median, not rescaled.
    pub mad: f64,
    /// 95th percentile; `None` for fewer than 20 values.
    pub p95: Option<f64>,
    /// 99th percentile; `None` for fewer than 100 values.
    pub p99: Option<f64>,
}

impl Summary {
    /// Summarises one variant's times. Errors: none, or one not finite and above zero.
    pub fn of(values: &[f64]) -> Result<Self, StatsError> {
        if values.is_empty() {
            return Err(StatsError::Empty);
        }
        check_each(values, Side::Subject, check_time)?;
        let v = sorted(values);
        let typical = median(&v);
        Ok(Self {
            n: v.len(),
            typical,
            undisturbed: v[0],
            mean: v.iter().sum::<f64>() / v.len() as f64,
            p25: quantile(&v, 0.25),
            p75: quantile(&v, 0.75),
            mad: mad(&v, typical),
            p95: upper_quantile(&v, 95),
            p99: upper_quantile(&v, 99),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_by_hand() {
        let s = Summary::of(&[4.0, 1.0, 2.0, 8.0, 3.0]).unwrap();
        let expected = Summary {
            n: 5,
            typical: 3.0,
            undisturbed: 1.0,
            mean: 3.6,
            p25: 2.0,
            p75: 4.0,
            mad: 1.0,
            p95: None,
            p99: None,
        };
        assert_eq!(s, expected);
    }

    #[test]
    fn unusable_values_are_refused() {
        assert_eq!(Summary::of(&[]), Err(StatsError::Empty));
        assert!(Summary::of(&[1.0, f64::NAN]).is_err());
        assert!(Summary::of(&[1.0, -1.0]).is_err());
    }
}
