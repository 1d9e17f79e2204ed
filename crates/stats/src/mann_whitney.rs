//! The exact null distribution of the Mann-Whitney statistic (docs/method.md, "Two runs"): U is the
//! number of pairs (i, j) in which the subject's value j is below the reference's value i. If m and
//! n values are independent draws from one distribution, which sample the largest one belongs to
//! gives the distribution of U:
//! ```text
//! P_{m,n}(u) = m/(m+n) P_{m-1,n}(u - n)  +  n/(m+n) P_{m,n-1}(u)
//! ```
//! (if of the m, it lies above all n others). U is also the number of differences s_j - r_i below
//! zero: with k the largest number such that P(U <= k - 1) <= alpha / 2, the k-th smallest and the
//! k-th largest of the m n differences bound an interval of level at least 1 - alpha.
//!
//! Counting takes work as (m n)^2. Beyond [`EXACT`] pairs the Gaussian with the same mean and
//! variance takes over, with a correction for continuity: within 1 in 1,000 of the exact k.

use statrs::distribution::{ContinuousCDF, Normal};

const EXACT: usize = 10_000;

/// Largest k with P(U <= k - 1) <= alpha / 2; 0 where `m`, `n` are too few for any interval.
/// ```
/// assert_eq!(stats::mann_whitney_k(10, 10, 0.05), 24);
/// assert_eq!(stats::mann_whitney_k(3, 3, 0.05), 0);
/// ```
pub fn mann_whitney_k(m: usize, n: usize, alpha: f64) -> usize {
    if m == 0 || n == 0 {
        return 0;
    }
    if m * n > EXACT {
        return gaussian_k(m as f64, n as f64, alpha);
    }
    let mut at_most = 0.0;
    lower_half(m, n)
        .iter()
        .take_while(|&&p| {
            at_most += p;
            at_most <= alpha / 2.0
        })
        .count()
}

/// P(U = u) up to half of the largest u; the other half mirrors it.
fn lower_half(m: usize, n: usize) -> Vec<f64> {
    let most = m * n / 2;
    // rows[j]: samples of i and j values, for the i of the moment.
    let none = || {
        let mut p = vec![0.0; most + 1];
        p[0] = 1.0;
        p
    };
    let mut rows: Vec<Vec<f64>> = (0..=n).map(|_| none()).collect();
    for i in 1..=m {
        rows[0] = none();
        for j in 1..=n {
            let (before, from) = rows.split_at_mut(j);
            let (left, own) = (&before[j - 1], &mut from[0]);
            step(own, left, i, j);
        }
    }
    rows.swap_remove(n)
}

fn step(own: &mut [f64], left: &[f64], i: usize, j: usize) {
    let all = (i + j) as f64;
    let (above, below) = (i as f64 / all, j as f64 / all);
    // From the top down: what is read has not been written yet.
    for u in (0..own.len()).rev() {
        let shifted = if u >= j { own[u - j] } else { 0.0 };
        own[u] = above * shifted + below * left[u];
    }
}

fn gaussian_k(m: f64, n: f64, alpha: f64) -> usize {
    let (mean, sd) = (m * n / 2.0, (m * n * (m + n + 1.0) / 12.0).sqrt());
    let z = upper_normal(alpha / 2.0);
    // P(U <= k - 1) is about the Gaussian below k - 1/2.
    (mean - z * sd + 0.5).floor().max(0.0) as usize
}

/// What a standard Gaussian exceeds with probability `p`.
fn upper_normal(p: f64) -> f64 {
    -Normal::standard().inverse_cdf(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_distributions_are_counted_right() {
        // 2 of one, 2 of the other: 6 orders, U = 0, 1, 2, 2, 3, 4.
        let sixth = 1.0 / 6.0;
        for (p, q) in lower_half(2, 2).iter().zip([sixth, sixth, 2.0 * sixth]) {
            assert!((p - q).abs() < 1e-15);
        }
    }

    #[test]
    fn k_has_the_published_values() {
        // Critical values of U, two-sided: the largest u with P(U <= u) <= alpha / 2.
        for (m, n, u) in [
            (5, 5, 2),
            (10, 10, 23),
            (8, 12, 22),
            (20, 20, 127),
            (4, 4, 0),
        ] {
            assert_eq!(mann_whitney_k(m, n, 0.05), u + 1, "{m}, {n}");
        }
        for (m, n, u) in [(10, 10, 16), (20, 20, 105)] {
            assert_eq!(mann_whitney_k(m, n, 0.01), u + 1, "{m}, {n}");
        }
        assert_eq!(mann_whitney_k(0, 9, 0.05), 0);
    }

    #[test]
    fn the_sides_may_be_swapped() {
        for (m, n) in [(3, 9), (7, 20), (11, 40)] {
            assert_eq!(mann_whitney_k(m, n, 0.05), mann_whitney_k(n, m, 0.05));
        }
    }

    #[test]
    fn the_gaussian_takes_over_without_a_jump() {
        for (m, n) in [(100, 100), (50, 200), (80, 100)] {
            for alpha in [0.05, 0.01, 0.001] {
                let exact = mann_whitney_k(m, n, alpha);
                let near = gaussian_k(m as f64, n as f64, alpha);
                let off = exact.abs_diff(near) as f64 / exact as f64;
                assert!(off < 1e-2, "{m}, {n}, {alpha}: {exact} against {near}");
            }
        }
        assert!(mann_whitney_k(1000, 1000, 0.05) > 0);
    }

    #[test]
    fn normal_points_are_those_of_the_tables() {
        for (p, z) in [(0.025, 1.959_964), (0.005, 2.575_829), (0.0005, 3.290_527)] {
            assert!(
                (upper_normal(p) - z).abs() < 1e-6,
                "{p}: {}",
                upper_normal(p)
            );
        }
    }
}
