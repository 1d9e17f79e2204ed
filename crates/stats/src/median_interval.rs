//! An interval for the typical value of one variant. The number of values below the true median is
//! a fair coin's, for any noise. With k the largest number such that P(B <= k - 1) <= alpha / 2 for
//! B binomial (n, 1/2), the k-th smallest and k-th largest value bound an interval of level at
//! least 1 - alpha. Values must be independent; drift between runs is not in it.

use crate::error::{Side, StatsError};
use crate::estimate::{check_alpha, check_each, check_finite, check_time};
use crate::quantile::{ends, median, sorted};

/// The typical value of a variant, in the unit of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Typical {
    /// Median.
    pub median: f64,
    /// Ends of its interval; `None` if the values are too few for one.
    pub interval: Option<(f64, f64)>,
}

/// Median of `values` with its exact interval of level at least `1 - alpha`. Errors: no values, one
/// not finite and above zero, or `alpha` not between 0 and 1.
pub fn typical(values: &[f64], alpha: f64) -> Result<Typical, StatsError> {
    check_each(values, Side::Subject, check_time)?;
    typical_amount(values, alpha)
}

/// The same of amounts, which may be 0.
pub fn typical_amount(values: &[f64], alpha: f64) -> Result<Typical, StatsError> {
    check_alpha(alpha)?;
    if values.is_empty() {
        return Err(StatsError::Empty);
    }
    check_each(values, Side::Subject, check_finite)?;
    let values = sorted(values);
    let k = sign_k(values.len(), alpha);
    Ok(Typical {
        median: median(&values),
        interval: ends(&values, k),
    })
}

/// Largest k with P(B <= k - 1) <= alpha / 2, or 0 if there is none.
fn sign_k(n: usize, alpha: f64) -> usize {
    // Logs, because 2^-n vanishes for large n.
    let mut log_p = -(n as f64) * std::f64::consts::LN_2;
    let mut at_most = 0.0;
    let mut k = 0;
    while k < n {
        at_most += log_p.exp();
        if at_most > alpha / 2.0 {
            break;
        }
        log_p += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        k += 1;
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_has_the_published_values() {
        // Critical values of the sign test, two-sided 5 %, plus one.
        for (n, k) in [(5, 0), (6, 1), (10, 2), (20, 6), (40, 14), (80, 31)] {
            assert_eq!(sign_k(n, 0.05), k, "{n}");
        }
        assert!(
            sign_k(1000, 0.05).abs_diff(469) <= 1,
            "{}",
            sign_k(1000, 0.05)
        );
    }

    #[test]
    fn the_interval_holds_the_median() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        let t = typical(&values, 0.05).unwrap();
        assert_eq!((t.median, t.interval), (10.5, Some((6.0, 15.0))));
        assert_eq!(typical(&values[..3], 0.05).unwrap().interval, None);
        assert!(typical(&[], 0.05).is_err() && typical(&[0.0], 0.05).is_err());
    }
}
