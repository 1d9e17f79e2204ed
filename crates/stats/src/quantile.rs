//! Order statistics. Quantiles follow type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in
//! statistical packages" (1996), the default of R and NumPy: quantile p of n sorted values is at
//! position p (n - 1), from 0, interpolated linearly.

/// From a median absolute deviation to a Gaussian's standard deviation: 1 / (its upper quartile).
pub(crate) const MAD_TO_SIGMA: f64 = 1.4826;

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

pub(crate) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let position = p * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    below + (above - below) * position.fract()
}

/// Only if a value is expected beyond it (p95: 20 values, p99: 100); else it would be the maximum.
pub(crate) fn upper_quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let enough = sorted.len() * (100 - percent) >= 100;
    enough.then(|| quantile(sorted, percent as f64 / 100.0))
}

pub(crate) fn median(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

/// The k-th smallest and the k-th largest; none where k is 0.
pub(crate) fn ends(sorted: &[f64], k: usize) -> Option<(f64, f64)> {
    (k > 0).then(|| (sorted[k - 1], sorted[sorted.len() - k]))
}

/// Median distance from `centre`; the values need not be sorted.
pub(crate) fn mad(values: &[f64], centre: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|v| (v - centre).abs()).collect();
    median(&self::sorted(&distances))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_follow_type_7() {
        let v = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&v, 0.0), 1.0);
        assert_eq!(quantile(&v, 0.25), 1.75);
        assert_eq!(quantile(&v, 0.5), 2.5);
        assert_eq!(quantile(&v, 1.0), 4.0);
        assert_eq!(quantile(&[7.0], 0.95), 7.0);
    }

    #[test]
    fn the_slow_end_needs_enough_values() {
        let v: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(upper_quantile(&v[..19], 95), None);
        assert_eq!(upper_quantile(&v[..20], 95), Some(18.05));
        assert_eq!(upper_quantile(&v[..99], 99), None);
        assert!(upper_quantile(&v, 99).is_some());
    }

    #[test]
    fn the_median_absolute_deviation_ignores_one_wild_value() {
        assert_eq!(mad(&[1.0, 2.0, 3.0, 4.0, 900.0], 3.0), 1.0);
    }
}
