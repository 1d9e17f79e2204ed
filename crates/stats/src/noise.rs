//! How noisy a machine is, and what that noise lets one see (docs/method.md, "The noise of a
//! machine"). Identical slots in time order tell how far they *spread* over the whole run, and how
//! far two *neighbours* differ, which limits a comparison.
//!
//! Let d_i be Gaussian with standard deviation s. The Hodges-Lehmann estimate of n rounds has the
//! standard error e = s sqrt(pi / 3 / n). The test sees a difference when W+ falls below k, which
//! lies z = (n(n+1)/4 - k + 1/2) / sqrt(n(n+1)(2n+1)/24) standard deviations below the mean of W+:
//! ```text
//!        0                (z + 1.645) e
//!   -----|--------|-------------|------   ln ratio
//!        |<- z e->|<- 1.645 e ->|
//!               seen beyond here          5 % of estimates fall short of it
//! ```
//! With few rounds the width of the interval varies too: n - 3 in place of n, fitted by simulation.
//! Heavy tails make the result too hopeful, since s is read from the middle of the distribution.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::quantile::{MAD_TO_SIGMA, mad, median, sorted};
use crate::wilcoxon::wilcoxon_k;

const FEWEST: usize = 5;

/// The 95 % point of the standard normal.
const Z_95: f64 = 1.645;

const SPENT_ON_WIDTH: f64 = 3.0;

/// Robust relative spread of identical slots. Fractions: 0.02 = 2 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// How many values.
    pub values: usize,
    /// Standard deviation of one slot over the whole run, drift included; `None` below 5 values.
    pub spread: Option<f64>,
    /// Standard deviation of the log ratio of neighbours: what a round sees; `None` below 5 values.
    pub pair: Option<f64>,
}

/// The noise of identical slots in time order: medians of distances, scaled to a Gaussian's
/// standard deviation. Skips values not finite and above zero.
pub fn noise(values: &[f64]) -> Noise {
    let usable = |v: &&f64| v.is_finite() && **v > 0.0;
    let logs: Vec<f64> = values.iter().filter(usable).map(|v| v.ln()).collect();
    let steps: Vec<f64> = logs.windows(2).map(|w| w[1] - w[0]).collect();
    let enough = logs.len() >= FEWEST;
    Noise {
        values: logs.len(),
        spread: enough.then(|| MAD_TO_SIGMA * mad(&logs, median(&sorted(&logs)))),
        pair: enough.then(|| MAD_TO_SIGMA * mad(&steps, 0.0)),
    }
}

/// Smallest difference that 95 of 100 comparisons find in one look of level `alpha` after `rounds`,
/// as a fraction; `pair` is [`Noise::pair`]. Infinite where the rounds are too few for an interval.
pub fn detectable(pair: f64, rounds: usize, alpha: f64) -> f64 {
    (half_width(pair, rounds, alpha) + Z_95 * error(pair, rounds)).exp_m1()
}

/// The half-width, in logs, that a look's interval probably has; infinite for too few rounds.
pub fn half_width(pair: f64, rounds: usize, alpha: f64) -> f64 {
    let k = wilcoxon_k(rounds, alpha);
    let n = rounds as f64;
    if k == 0 || n <= SPENT_ON_WIDTH {
        return f64::INFINITY;
    }
    let mean = n * (n + 1.0) / 4.0;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    (mean - k as f64 + 0.5) / deviation * error(pair, rounds)
}

fn error(pair: f64, rounds: usize) -> f64 {
    pair * (PI / 3.0 / (rounds as f64 - SPENT_ON_WIDTH).max(0.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_blind_to_drift() {
        let drifting: Vec<f64> = (0..100).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
        let n = noise(&drifting);
        assert_eq!(n.values, 100);
        assert!(n.spread.unwrap() > 0.03, "{n:?}");
        assert!(n.pair.unwrap() < 0.002, "{n:?}");
    }

    #[test]
    fn too_few_values_have_no_noise_rather_than_none() {
        let n = noise(&[1.0, 1.1, f64::NAN, 1.2, 0.0, 1.3]);
        assert_eq!((n.values, n.spread, n.pair), (4, None, None));
    }

    #[test]
    fn too_few_rounds_detect_nothing() {
        assert_eq!(detectable(0.01, 6, 0.016), f64::INFINITY);
        assert!(detectable(0.01, 7, 0.016).is_finite());
        assert_eq!(detectable(0.01, 3, 0.5), f64::INFINITY);
    }

    #[test]
    fn one_percent_of_pair_noise_shows_what_the_docs_say() {
        let percent = |n| (detectable(0.01, n, 0.016) * 10_000.0).round() / 100.0;
        assert_eq!([10, 20, 40, 80].map(percent), [1.55, 1.0, 0.68, 0.47]);
    }

    #[test]
    fn four_times_the_rounds_detect_half() {
        let few = detectable(0.01, 80, 0.016);
        let many = detectable(0.01, 320, 0.016);
        assert!((few / many - 2.0).abs() < 0.05, "{few} {many}");
    }
}
