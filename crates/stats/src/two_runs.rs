//! The ratio of one variant in two runs, two independent samples (docs/method.md, "Two runs"):
//! ```text
//! r_1 .. r_m, s_1 .. s_n  ->  all m n differences ln s_j - ln r_i, sorted
//!
//!   their median: ln ratio        the k-th and the k-th last: ln low, ln high
//! ```
//! with k from the exact distribution in `mann_whitney`. A drift or a load that shifts whole runs
//! cannot be told from a difference of the programs. So [`wander`] measures how far a run's own
//! halves lie apart, and [`Rule::judge_apart`](crate::Rule::judge_apart) calls a difference only
//! what lies beyond a floor as a whole.

use crate::error::{Side, StatsError};
use crate::estimate::{Estimate, check_alpha, check_each, check_length, check_time};
use crate::mann_whitney::mann_whitney_k;
use crate::quantile;

/// Level of a comparison of runs, which has a single look. The comparisons of a case share it.
pub const RUNS_ALPHA: f64 = 0.05;

const HALF: usize = 3;

/// Values of a variant in a run from which on it can be seen how far the run wandered.
pub const FEWEST_FOR_WANDER: usize = 2 * HALF;

/// Hodges-Lehmann estimate of subject / reference of two runs with its exact Mann-Whitney interval.
/// The values are times of slots, in any one unit; [`Estimate::rounds`] is the smaller number.
/// There is no interval for too few. Errors: those of [`estimate()`](crate::estimate()), but for
/// the length. Source: H. B. Mann and D. R. Whitney, "On a test of whether one of two random
/// variables is stochastically larger than the other", 1947; J. L. Hodges and E. L. Lehmann, 1963.
pub fn two_runs(reference: &[f64], subject: &[f64], alpha: f64) -> Result<Estimate, StatsError> {
    check_alpha(alpha)?;
    check(reference, Side::Reference)?;
    check(subject, Side::Subject)?;
    let shifts = shifts(reference, subject);
    let k = mann_whitney_k(reference.len(), subject.len(), alpha);
    let centre = (quantile::median(&shifts), quantile::ends(&shifts, k));
    let rounds = reference.len().min(subject.len());
    Ok(Estimate::of_logs(rounds, centre, alpha))
}

fn check(values: &[f64], side: Side) -> Result<(), StatsError> {
    check_length(values.len())?;
    check_each(values, side, check_time)
}

fn shifts(reference: &[f64], subject: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = reference.iter().map(|r| r.ln()).collect();
    let shifts = subject
        .iter()
        .flat_map(|s| logs.iter().map(move |r| s.ln() - r));
    quantile::sorted(&shifts.collect::<Vec<_>>())
}

/// How far the second half of a run lies from its first, as a fraction of 0 or more: the
/// Hodges-Lehmann shift. `values` are in time order; `None` for fewer than [`FEWEST_FOR_WANDER`].
pub fn wander(values: &[f64]) -> Option<f64> {
    let (first, second) = values.split_at(values.len() / 2);
    if first.len() < HALF || check(values, Side::Subject).is_err() {
        return None;
    }
    Some(quantile::median(&shifts(first, second)).abs().exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wilcoxon::MAX_ROUNDS;

    #[test]
    fn by_hand() {
        // Ratios of all pairs: 2, 1, 4, 2 and so on; the median of 1, 2, 2, 4 is 2.
        let e = two_runs(&[1.0, 2.0], &[2.0, 4.0], 0.5).unwrap();
        assert!((e.ratio - 2.0).abs() < 1e-12);
        assert_eq!(e.rounds, 2);
        let (low, high) = e.interval().unwrap();
        assert!(
            (low - 1.0).abs() < 1e-12 && (high - 4.0).abs() < 1e-12,
            "{e:?}"
        );
    }

    #[test]
    fn too_few_values_have_no_interval_and_none_are_refused() {
        let e = two_runs(&[1.0; 3], &[2.0; 3], 0.05).unwrap();
        assert!((e.ratio - 2.0).abs() < 1e-12 && e.interval().is_none());
        assert_eq!(two_runs(&[], &[1.0], 0.05), Err(StatsError::Empty));
        assert!(two_runs(&[1.0, 0.0], &[1.0], 0.05).is_err());
        assert!(two_runs(&[1.0], &[f64::NAN], 0.05).is_err());
        assert!(two_runs(&[1.0], &[1.0], 0.0).is_err());
        assert!(two_runs(&vec![1.0; MAX_ROUNDS + 1], &[1.0], 0.05).is_err());
    }

    #[test]
    fn a_run_that_slows_down_wanders() {
        let steady = [1.0; 10];
        assert!(wander(&steady).unwrap() < 1e-12);
        let slower = [1.0, 1.0, 1.0, 1.0, 1.05, 1.05, 1.05, 1.05];
        let faster: Vec<f64> = slower.iter().rev().copied().collect();
        assert!((wander(&slower).unwrap() - 0.05).abs() < 1e-9);
        assert!((wander(&faster).unwrap() - 0.05).abs() < 1e-9);
        assert_eq!(wander(&[1.0; 5]), None);
    }
}
