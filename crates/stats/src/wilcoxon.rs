//! The exact null distribution of Wilcoxon's signed-rank statistic: W+ is the sum of the ranks of
//! the sizes |d_i| whose d is positive. If the variants are the same and a fair coin drew the order
//! within each round, W+ is the sum of a random subset of 1..n, counted rank by rank, in
//! probabilities, because 2^80 subsets fit no integer:
//! ```text
//! P_j(w) = P_{j-1}(w) / 2  +  P_{j-1}(w - j) / 2
//! ```
//! W+ is also the number of Walsh averages (d_i + d_j) / 2, i <= j, above zero: with k the largest
//! number such that P(W+ <= k - 1) <= alpha / 2, the k-th smallest and the k-th largest Walsh
//! average bound an interval of level at least 1 - alpha.

use std::borrow::Cow;
use std::sync::OnceLock;

/// The most rounds of [`estimate()`](crate::estimate()): 2^-n is a normal `f64`, and counting takes part of a second.
pub const MAX_ROUNDS: usize = 1000;

/// Largest k with P(W+ <= k - 1) <= alpha / 2; 0 where `n` rounds are too few for any interval. The
/// first count for an `n` takes work as its cube.
/// ```
/// assert_eq!(stats::wilcoxon_k(10, 0.05), 9);
/// assert_eq!(stats::wilcoxon_k(6, 0.016), 0);
/// ```
pub fn wilcoxon_k(n: usize, alpha: f64) -> usize {
    up_to(n).partition_point(|&p| p <= alpha / 2.0)
}

/// P(W+ = w) for `n` rounds: how often a fair coin gives this sum of ranks.
#[must_use]
pub fn signed_rank_share(n: usize, w: usize) -> f64 {
    let most = n * (n + 1) / 2;
    let w = w.min(most.saturating_sub(w));
    let below = w.checked_sub(1).map_or(0.0, |below| at_most(n, below));
    at_most(n, w) - below
}

/// P(W+ <= w) for `n` rounds, up to the middle of the distribution; 1 beyond it.
pub(crate) fn at_most(n: usize, w: usize) -> f64 {
    up_to(n).get(w).copied().unwrap_or(1.0)
}

/// Fewest rounds that allow an interval at level `alpha`: 2^-n must be at most alpha / 2 (7 for
/// 0.016). `None` if `alpha` is not a positive number.
pub fn rounds_for_interval(alpha: f64) -> Option<usize> {
    let enough = |&n: &i32| 0.5_f64.powi(n) <= alpha / 2.0;
    (1..=1074).find(enough).map(|n| n as usize)
}

/// P(W+ <= w) up to half of the largest sum, counted once for each number of rounds.
fn up_to(n: usize) -> Cow<'static, [f64]> {
    static COUNTED: [OnceLock<Vec<f64>>; MAX_ROUNDS + 1] =
        [const { OnceLock::new() }; MAX_ROUNDS + 1];
    let count = || {
        let mut sum = 0.0;
        let add = |p: &f64| {
            sum += p;
            sum
        };
        lower_half(n).iter().map(add).collect()
    };
    match COUNTED.get(n) {
        Some(counted) => Cow::Borrowed(counted.get_or_init(count)),
        None => Cow::Owned(count()),
    }
}

/// P(W+ = w) up to half of the largest sum; the other half mirrors it.
fn lower_half(n: usize) -> Vec<f64> {
    let mut p = vec![0.0; n * (n + 1) / 4 + 1];
    p[0] = 1.0;
    for rank in 1..=n {
        let without: Vec<f64> = p.iter().map(|p| p / 2.0).collect();
        p.copy_from_slice(&without);
        let with = p.iter_mut().skip(rank).zip(&without);
        with.for_each(|(p, half)| *p += half);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_has_the_published_values() {
        for (n, k) in [(10, 9), (20, 53), (40, 265), (80, 1212)] {
            assert_eq!(wilcoxon_k(n, 0.05), k, "alpha .05, n {n}");
        }
        for (n, k) in [(10, 5), (20, 42), (40, 233), (80, 1120)] {
            assert_eq!(wilcoxon_k(n, 0.016), k, "alpha .016, n {n}");
        }
    }

    #[test]
    fn seven_rounds_are_the_fewest_at_a_look() {
        assert_eq!(wilcoxon_k(0, 0.016), 0);
        assert_eq!(wilcoxon_k(7, 0.016), 1);
        assert_eq!(rounds_for_interval(0.016), Some(7));
        assert_eq!(rounds_for_interval(0.05), Some(6));
        assert_eq!(rounds_for_interval(0.0), None);
        assert_eq!(rounds_for_interval(f64::NAN), None);
    }

    #[test]
    fn small_distributions_are_counted_right() {
        // Subsets of {1, 2, 3}: sums 0, 1, 2, 3 = {3} or {1, 2}, ...
        assert_eq!(lower_half(3), [0.125, 0.125, 0.125, 0.25]);
    }

    #[test]
    fn large_distributions_neither_overflow_nor_vanish() {
        for n in [80, 300, 1000] {
            let half: f64 = lower_half(n).iter().sum();
            assert!((0.5..0.502).contains(&half), "n {n}: {half}");
        }
        // Normal approximation at n = 300: 22575 - 1.96 * 1502.9, about 19629.
        assert!(wilcoxon_k(300, 0.05).abs_diff(19629) < 10);
    }
}
