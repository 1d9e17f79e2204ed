//! The difference of two variants and its exact interval, for amounts that may be 0. A round gives
//! d_i = subject_i - reference_i, and the rest is as for a ratio
//! ([`estimate()`](crate::estimate())). Counts are often equal: the interval may shrink to one
//! value, such as `[0, 0]`. With its ends taken in, it holds the truth at its level or more often
//! (ties make the signed-rank test conservative).

use serde::{Deserialize, Serialize};

use crate::error::{Side, StatsError};
use crate::estimate::{centre, check_columns};

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
    check_columns(reference.len(), subject.len())?;
    let pairs = reference.iter().zip(subject).enumerate();
    let differences: Result<Vec<f64>, StatsError> = pairs
        .map(|(i, (&r, &s))| {
            check_finite(i + 1, Side::Reference, r)?;
            check_finite(i + 1, Side::Subject, s)?;
            Ok(s - r)
        })
        .collect();
    let centre = centre(&differences?, alpha)?;
    Ok(Shift {
        rounds: centre.rounds,
        by: centre.middle,
        low: centre.ends.map(|(low, _)| low),
        high: centre.ends.map(|(_, high)| high),
        alpha,
    })
}

fn check_finite(round: usize, side: Side, value: f64) -> Result<(), StatsError> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(StatsError::NotFinite { round, side }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_difference_is_found_exactly() {
        let reference: Vec<f64> = (0..10).map(f64::from).collect();
        let subject: Vec<f64> = reference.iter().map(|value| value + 3.0).collect();
        let found = shift(&reference, &subject, 0.016).unwrap();
        assert_eq!(
            (found.by, found.low, found.high),
            (3.0, Some(3.0), Some(3.0))
        );
    }

    #[test]
    fn equal_counts_and_zeros_make_no_difference() {
        let found = shift(&[0.0; 10], &[0.0; 10], 0.016).unwrap();
        assert_eq!(
            (found.by, found.low, found.high),
            (0.0, Some(0.0), Some(0.0))
        );
    }

    #[test]
    fn too_few_rounds_have_no_interval_and_no_number_is_refused() {
        assert_eq!(shift(&[1.0; 3], &[2.0; 3], 0.016).unwrap().low, None);
        assert!(shift(&[f64::NAN], &[1.0], 0.016).is_err());
        assert!(shift(&[], &[], 0.016).is_err());
    }
}
