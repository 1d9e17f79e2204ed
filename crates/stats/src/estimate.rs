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
    /// An estimate with this interval, or with none.
    pub fn new(rounds: usize, ratio: f64, interval: Option<(f64, f64)>, alpha: f64) -> Self {
        Self {
            rounds,
            ratio,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            alpha,
        }
    }

    pub(crate) fn of_logs(rounds: usize, (middle, ends): Centre, alpha: f64) -> Self {
        let ends = ends.map(|(low, high)| (low.exp(), high.exp()));
        Self::new(rounds, middle.exp(), ends, alpha)
    }

    /// The same comparison with its sides swapped.
    #[must_use]
    pub fn turned(&self) -> Self {
        let ends = self.interval();
        let ends = ends.map(|(low, high)| (1.0 / high, 1.0 / low));
        Self::new(self.rounds, 1.0 / self.ratio, ends, self.alpha)
    }

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
    Ok(Estimate::of_logs(d.len(), centre(d, alpha)?, alpha))
}

pub(crate) type Centre = (f64, Option<(f64, f64)>);

pub(crate) fn centre(d: &[f64], alpha: f64) -> Result<Centre, StatsError> {
    check_alpha(alpha)?;
    check_columns(d.len(), d.len())?;
    let walsh = walsh_averages(d);
    let k = wilcoxon_k(d.len(), alpha);
    Ok((quantile::median(&walsh), quantile::ends(&walsh, k)))
}

/// d_i. Two logs, not that of a quotient: swapped sides negate d exactly, and nothing overflows.
fn log_ratios(reference: &[f64], subject: &[f64]) -> Result<Vec<f64>, StatsError> {
    paired(reference, subject, check_time, |r, s| s.ln() - r.ln())
}

/// What two columns give round by round, each value checked.
pub(crate) fn paired<T>(
    reference: &[f64],
    subject: &[f64],
    check: Check,
    of: impl Fn(f64, f64) -> T,
) -> Result<Vec<T>, StatsError> {
    check_columns(reference.len(), subject.len())?;
    let pairs = reference.iter().zip(subject).enumerate();
    let each = pairs.map(|(i, (&r, &s))| {
        check(i + 1, Side::Reference, r)?;
        check(i + 1, Side::Subject, s)?;
        Ok(of(r, s))
    });
    each.collect()
}

pub(crate) fn check_alpha(alpha: f64) -> Result<(), StatsError> {
    match alpha > 0.0 && alpha < 1.0 {
        true => Ok(()),
        false => Err(StatsError::Alpha(alpha)),
    }
}

pub(crate) fn check_columns(reference: usize, subject: usize) -> Result<(), StatsError> {
    if reference != subject {
        return Err(StatsError::Unpaired { reference, subject });
    }
    check_length(reference)
}

pub(crate) fn check_length(rounds: usize) -> Result<(), StatsError> {
    let most = MAX_ROUNDS;
    match rounds {
        0 => Err(StatsError::Empty),
        1..=MAX_ROUNDS => Ok(()),
        _ => Err(StatsError::TooManyRounds { rounds, most }),
    }
}

/// Of a value of a round, which counts from 1.
pub(crate) type Check = fn(usize, Side, f64) -> Result<(), StatsError>;

pub(crate) fn check_each(values: &[f64], side: Side, check: Check) -> Result<(), StatsError> {
    let mut values = values.iter().enumerate();
    values.try_for_each(|(i, &value)| check(i + 1, side, value))
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

pub(crate) fn check_finite(round: usize, side: Side, value: f64) -> Result<(), StatsError> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(StatsError::NotFinite { round, side }),
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
