//! The slow end, from raw repetitions and without an interval: tails describe, the verdict decides.

use serde::{Deserialize, Serialize};

use crate::quantile::{mad, median, sorted, upper_quantile};

/// Median absolute deviations beyond the median: 4 in 10,000 values of Gaussian noise.
const SLOW_MADS: f64 = 5.0;

/// At least this fraction: where most values agree to the clock's last digit, one more is not slow.
const SLOW_FLOOR: f64 = 0.01;

/// The slow ends of two variants, side by side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// Of the variant that the other is compared with.
    pub reference: TailSide,
    /// Of the variant that is judged.
    pub subject: TailSide,
}

/// The slow end of one variant, in the unit of its values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TailSide {
    /// How many values; those that are not finite are passed over.
    pub values: usize,
    /// 95th percentile; `None` for fewer than 20 values.
    pub p95: Option<f64>,
    /// 99th percentile; `None` for fewer than 100 values.
    pub p99: Option<f64>,
    /// Where slow begins: 5 median absolute deviations above the median, at least 1 %.
    pub slow_beyond: Option<f64>,
    /// How many values lie beyond.
    pub slow: usize,
}

/// The slow ends of two columns of repetitions, which need not pair up.
pub fn tail(reference: &[f64], subject: &[f64]) -> Tail {
    Tail {
        reference: side(reference),
        subject: side(subject),
    }
}

fn side(values: &[f64]) -> TailSide {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let v = sorted(&finite);
    let slow_beyond = (!v.is_empty()).then(|| slow_beyond(&v));
    let is_slow = |&&value: &&f64| slow_beyond.is_some_and(|limit| value > limit);
    TailSide {
        values: v.len(),
        p95: upper_quantile(&v, 95),
        p99: upper_quantile(&v, 99),
        slow_beyond,
        slow: v.iter().filter(is_slow).count(),
    }
}

fn slow_beyond(sorted: &[f64]) -> f64 {
    let median = median(sorted);
    median + (SLOW_MADS * mad(sorted, median)).max(SLOW_FLOOR * median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_runs_are_counted_on_each_side() {
        let even: Vec<f64> = (0..100).map(|i| 100.0 + f64::from(i % 10)).collect();
        let mut spiky = even.clone();
        spiky[17] = 300.0;
        spiky[58] = 400.0;
        let t = tail(&even, &spiky);
        assert_eq!((t.reference.slow, t.subject.slow), (0, 2));
        assert_eq!(t.reference.slow_beyond, Some(104.5 + 5.0 * 2.5));
        assert!(t.reference.p99 < t.subject.p99);
    }

    #[test]
    fn one_tick_of_the_clock_is_not_slow() {
        let mut v = vec![1000.0; 50];
        v[3] = 1001.0;
        v[4] = 1011.0;
        assert_eq!(tail(&v, &v).subject.slow, 1);
    }

    #[test]
    fn too_few_values_have_no_percentiles() {
        let t = tail(&[1.0; 20], &[f64::NAN, 1.0]);
        assert_eq!(t.reference.p95, Some(1.0));
        assert_eq!(t.reference.p99, None);
        assert_eq!((t.subject.values, t.subject.p95), (1, None));
        assert_eq!(tail(&[], &[]).subject.slow_beyond, None);
    }
}
