//! The difference of two variants and its exact interval, for amounts that may be 0. A round gives
//! d_i = subject_i - reference_i, and the rest is as for a ratio
//! ([`estimate()`](crate::estimate())). Counts are often equal: the interval may shrink to one
//! value, such as `[0, 0]`. With its ends taken in, it holds the truth at its level or more often
//! (ties make the signed-rank test conservative).

use serde::{Deserialize, Serialize};

use crate::error::StatsError;
use crate::estimate::{centre, check_finite, paired};

/// How much more the subject has than the reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Rounds that were used.
    pub rounds: usize,
    /// Subject minus reference, in the unit of the values.
    pub by: f64,
    /// Lower end of its interval; `None` if the rounds are too few for one.
    pub low: Option<f64>,
    /// Upper end of its interval; `None` if the rounds are too few for one.
    pub high: Option<f64>,
    /// The interval misses the true difference with at most this probability.
    pub alpha: f64,
}

/// Hodges-Lehmann estimate of subject - reference with its exact Wilcoxon interval. Errors: as of
/// [`estimate()`](crate::estimate()), but values may be 0 or less.
pub fn shift(reference: &[f64], subject: &[f64], alpha: f64) -> Result<Shift, StatsError> {
    let differences = paired(reference, subject, check_finite, |r, s| s - r)?;
    let (by, ends) = centre(&differences, alpha)?;
    Ok(Shift {
        rounds: differences.len(),
        by,
        low: ends.map(|(low, _)| low),
        high: ends.map(|(_, high)| high),
        alpha,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_difference_is_found_exactly_and_zeros_make_none() {
        let reference: Vec<f64> = (0..10).map(f64::from).collect();
        for (reference, by) in [(&reference[..], 3.0), (&[0.0; 10][..], 0.0)] {
            let subject: Vec<f64> = reference.iter().map(|value| value + by).collect();
            let found = shift(reference, &subject, 0.016).unwrap();
            let ends = (found.low, found.high);
            assert_eq!((found.by, ends), (by, (Some(by), Some(by))));
        }
    }

    #[test]
    fn too_few_rounds_have_no_interval_and_no_number_is_refused() {
        assert_eq!(shift(&[1.0; 3], &[2.0; 3], 0.016).unwrap().low, None);
        assert!(shift(&[f64::NAN], &[1.0], 0.016).is_err());
        assert!(shift(&[], &[], 0.016).is_err());
    }
}
