//! The ratio of two variants and its exact interval (docs/method.md, "The interval").
//!
//! A round gives one number: d_i = ln(subject_i / reference_i). Logs make it irrelevant which
//! variant is the reference; what a round shares (drift, a slow clock, a noisy neighbour) cancels.
//! ```text
//! d_1 .. d_n  ->  all n(n+1)/2 Walsh averages (d_i + d_j)/2, i <= j, sorted
//!
//!   w_1 .. w_k ........ middle ........ w_(M+1-k) .. w_M
//!          |              |                 |
//!       ln low         ln ratio          ln high
//! ```
//! The middle is the Hodges-Lehmann estimate. k comes from the exact distribution in `wilcoxon`, so
//! the level holds for any noise.

use serde::{Deserialize, Serialize};

use crate::error::{Side, StatsError};
use crate::quantile;
use crate::wilcoxon::{MAX_ROUNDS, at_most, wilcoxon_k};

/// How the subject's time compares with the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Rounds that were used.
    pub rounds: usize,
    /// Time of the subject over time of the reference; below 1 the subject is faster.
    pub ratio: f64,
    /// Lower end of the interval of the ratio; `None` if the rounds are too few.
    pub low: Option<f64>,
    /// Upper end, likewise.
    pub high: Option<f64>,
    /// The interval misses the true ratio with at most this probability.
    pub alpha: f64,
}

impl Estimate {
    /// Both ends of the interval, if there is one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

/// Hodges-Lehmann estimate of subject / reference with its exact Wilcoxon interval.
///
/// `reference[i]` and `subject[i]` are the times of round `i`, in any one unit. The interval has
/// level at least `1 - alpha`; there is none for fewer rounds than
/// [`rounds_for_interval`](crate::rounds_for_interval). Errors: columns empty, unequal, longer than
/// [`MAX_ROUNDS`] or with a value not finite and above zero; `alpha` not between 0 and 1. Source:
/// J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", 1963; F. Wilcoxon,
/// "Individual comparisons by ranking methods", 1945.
pub fn estimate(reference: &[f64], subject: &[f64], alpha: f64) -> Result<Estimate, StatsError> {
    of_differences(&log_ratios(reference, subject)?, alpha)
}

/// The exact two-sided p-value: the least level at which [`estimate()`]'s interval leaves out 1.
pub fn p_value(reference: &[f64], subject: &[f64]) -> Result<f64, StatsError> {
    let d = log_ratios(reference, subject)?;
    let walsh = walsh_averages(&d);
    let above = walsh.iter().filter(|&&average| average >= 0.0).count();
    let below = walsh.iter().filter(|&&average| average <= 0.0).count();
    Ok((2.0 * at_most(d.len(), above.min(below))).min(1.0))
}

pub(crate) fn of_differences(d: &[f64], alpha: f64) -> Result<Estimate, StatsError> {
    let centre = centre(d, alpha)?;
    Ok(Estimate {
        rounds: centre.rounds,
        ratio: centre.middle.exp(),
        low: centre.ends.map(|(low, _)| low.exp()),
        high: centre.ends.map(|(_, high)| high.exp()),
        alpha,
    })
}

pub(crate) struct Centre {
    pub(crate) rounds: usize,
    pub(crate) middle: f64,
    pub(crate) ends: Option<(f64, f64)>,
}

pub(crate) fn centre(d: &[f64], alpha: f64) -> Result<Centre, StatsError> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(StatsError::Alpha(alpha));
    }
    check_columns(d.len(), d.len())?;
    let walsh = walsh_averages(d);
    let k = wilcoxon_k(d.len(), alpha);
    Ok(Centre {
        rounds: d.len(),
        middle: quantile::median(&walsh),
        ends: (k > 0).then(|| (walsh[k - 1], walsh[walsh.len() - k])),
    })
}

/// d_i. Two logs, not that of a quotient: swapped sides negate d exactly, and nothing overflows.
fn log_ratios(reference: &[f64], subject: &[f64]) -> Result<Vec<f64>, StatsError> {
    check_columns(reference.len(), subject.len())?;
    let pairs = reference.iter().zip(subject).enumerate();
    pairs
        .map(|(i, (&r, &s))| {
            check_round(i + 1, r, s)?;
            Ok(s.ln() - r.ln())
        })
        .collect()
}

pub(crate) fn check_columns(reference: usize, subject: usize) -> Result<(), StatsError> {
    if reference != subject {
        return Err(StatsError::Unpaired { reference, subject });
    }
    match reference {
        0 => Err(StatsError::Empty),
        rounds if rounds > MAX_ROUNDS => Err(StatsError::TooManyRounds {
            rounds,
            most: MAX_ROUNDS,
        }),
        _ => Ok(()),
    }
}

/// `round` counts from 1.
pub(crate) fn check_round(round: usize, reference: f64, subject: f64) -> Result<(), StatsError> {
    check_time(round, Side::Reference, reference)?;
    check_time(round, Side::Subject, subject)
}

pub(crate) fn check_time(round: usize, side: Side, value: f64) -> Result<(), StatsError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(StatsError::NotATime { round, side, value })
    }
}

/// All n(n+1)/2, each d paired with itself too, sorted.
fn walsh_averages(d: &[f64]) -> Vec<f64> {
    let mut walsh = Vec::with_capacity(d.len() * (d.len() + 1) / 2);
    for (i, a) in d.iter().enumerate() {
        walsh.extend(d[i..].iter().map(|b| (a + b) / 2.0));
    }
    walsh.sort_unstable_by(f64::total_cmp);
    walsh
}
