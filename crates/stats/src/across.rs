//! One ratio over many machines: what holds on all of them, and how far they differ (docs/fleet.md,
//! "Method"). Machine i has a log ratio y_i of its rounds with a standard error s_i.
//! ```text
//!   y_i = mu + u_i + e_i        u_i: machine, variance tau^2      e_i: its rounds, variance s_i^2
//!
//!   tau^2   Paule and Mandel: the value at which  sum (y_i - mu)^2 / (s_i^2 + tau^2) = k - 1
//!   mu      the mean, weighted by 1 / (s_i^2 + tau^2)
//!   mean    mu +- t(k-1) se, the variance after Hartung, Knapp, Sidik and Jonkman,
//!           se^2 = max(1, q) / sum of weights, q = sum of weighted squares / (k - 1)
//!   next    mu +- t(k-2) sqrt(tau^2 + s^2 + se^2), s^2 being the mean of the s_i^2, and no
//!           narrower than from the r-th smallest to the r-th largest y_i, r = (k + 1) / 40:
//!           what one more machine would show, measured like these
//! ```
//! s_i is the width of the machine's own interval over twice the quantile of Student's t at its
//! level, and counts as no smaller than the median of all. From 39 machines on the r-th smallest
//! and largest alone hold 95 %.
//!
//! Limits: three machines drawn from two very different kinds are all of one kind in a quarter of
//! cases. *Why* machines differ is asked of `grouping`. For more than a direction, give every
//! machine the same rounds: estimates that were stopped early are less precise than they look.
//!
//! Sources: R. C. Paule and J. Mandel, "Consensus values and weighting factors", 1982. J. Hartung
//! and G. Knapp, "On tests of the overall treatment effect in meta-analysis with normally
//! distributed responses", 2001; K. Sidik and J. N. Jonkman, 2002. C. Roever, G. Knapp and T.
//! Friede, "Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects
//! meta-analysis with few studies", 2015 (the bound of q). J. P. T. Higgins, S. G. Thompson and D.
//! J. Spiegelhalter, "A re-evaluation of random-effects meta-analysis", 2009 (prediction).

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::error::StatsError;
use crate::estimate::Estimate;
use crate::quantile;

/// Level of the intervals over machines.
pub const MACHINES_ALPHA: f64 = 0.05;

/// Stricter than the 5 % claimed: the variances are estimates, and tails may be heavy.
const MEAN_ALPHA: f64 = 0.03;
const NEXT_ALPHA: f64 = 0.02;

/// Machines from which on there are intervals: a spread of two is no spread.
pub const FEWEST_MACHINES: usize = 3;

/// No standard error is taken for smaller: intervals of no width come from clocks with steps.
const LEAST_VARIANCE: f64 = 1e-12;

/// A ratio over machines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Across {
    /// Machines with an estimate that has an interval.
    pub machines: usize,
    /// The mean ratio.
    pub ratio: f64,
    /// Interval of the mean; `None` for fewer than [`FEWEST_MACHINES`].
    pub mean: Option<(f64, f64)>,
    /// Where the ratio of one more machine would be; `None` for fewer than [`FEWEST_MACHINES`].
    pub next: Option<(f64, f64)>,
    /// Standard deviation between machines, in logs: a fraction, where it is small.
    pub between: f64,
    /// Standard error within one machine, in logs: the root of the mean square.
    pub within: f64,
}

impl Across {
    /// The mean with its interval, to be judged and written as any other estimate.
    pub fn mean_estimate(&self) -> Estimate {
        Estimate::new(self.machines, self.ratio, self.mean, MACHINES_ALPHA)
    }

    /// The same with the interval of one more machine.
    pub fn next_estimate(&self) -> Estimate {
        Estimate::new(self.machines, self.ratio, self.next, MACHINES_ALPHA)
    }
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    y: f64,
    variance: f64,
}

/// The ratio over machines. Estimates without an interval do not count; without any it is an error.
pub fn across(estimates: &[Estimate]) -> Result<Across, StatsError> {
    let mut machines: Vec<Machine> = estimates.iter().filter_map(machine).collect();
    if machines.is_empty() {
        return Err(StatsError::Empty);
    }
    none_by_chance(&mut machines);
    let tau2 = between(&machines);
    let (mu, weights) = mean(&machines, tau2);
    let k = machines.len() as f64;
    let within2 = machines.iter().map(|one| one.variance).sum::<f64>() / k;
    let ends = |freedom: f64, alpha: f64, variance: f64| {
        let half = student(freedom, alpha) * variance.sqrt();
        (mu - half, mu + half)
    };
    let of_mean = (squares(&machines, tau2, mu) / (k - 1.0)).max(1.0) / weights;
    let mean = ends(k - 1.0, MEAN_ALPHA, of_mean);
    let next = hull(
        ends(k - 2.0, NEXT_ALPHA, tau2 + within2 + of_mean),
        middle(&machines),
    );
    let enough = |(low, high): (f64, f64)| {
        (machines.len() >= FEWEST_MACHINES).then(|| (low.exp(), high.exp()))
    };
    Ok(Across {
        machines: machines.len(),
        ratio: mu.exp(),
        mean: enough(mean),
        next: enough(next),
        between: tau2.sqrt(),
        within: within2.sqrt(),
    })
}

fn hull(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn middle(machines: &[Machine]) -> (f64, f64) {
    let sorted = quantile::sorted(&machines.iter().map(|one| one.y).collect::<Vec<_>>());
    let r = ((sorted.len() + 1) as f64 * MACHINES_ALPHA / 2.0) as usize;
    let r = r.max(1);
    (sorted[r - 1], sorted[sorted.len() - r])
}

fn none_by_chance(machines: &mut [Machine]) {
    let variances: Vec<f64> = machines.iter().map(|one| one.variance).collect();
    let median = quantile::median(&quantile::sorted(&variances));
    for one in machines {
        one.variance = one.variance.max(median);
    }
}

/// The standard error within the run that gave an estimate, in logs; `None` without an interval.
pub fn standard_error(estimate: &Estimate) -> Option<f64> {
    let (low, high) = estimate.interval()?;
    let freedom = estimate.rounds.saturating_sub(1).max(1) as f64;
    let width = high.ln() - low.ln();
    (width.is_finite() && estimate.ratio > 0.0)
        .then(|| width / (2.0 * student(freedom, estimate.alpha)))
}

fn machine(estimate: &Estimate) -> Option<Machine> {
    let error = standard_error(estimate)?;
    Some(Machine {
        y: estimate.ratio.ln(),
        variance: (error * error).max(LEAST_VARIANCE),
    })
}

fn student(freedom: f64, alpha: f64) -> f64 {
    let t = StudentsT::new(0.0, 1.0, freedom.max(1.0));
    t.map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - alpha / 2.0))
}

fn mean(machines: &[Machine], tau2: f64) -> (f64, f64) {
    let weight = |one: &Machine| 1.0 / (one.variance + tau2);
    let weights: f64 = machines.iter().map(weight).sum();
    let sum: f64 = machines.iter().map(|one| weight(one) * one.y).sum();
    (sum / weights, weights)
}

fn squares(machines: &[Machine], tau2: f64, mu: f64) -> f64 {
    let square = |one: &Machine| (one.y - mu).powi(2) / (one.variance + tau2);
    machines.iter().map(square).sum()
}

fn between(machines: &[Machine]) -> f64 {
    let expected = machines.len() as f64 - 1.0;
    let excess = |tau2: f64| squares(machines, tau2, mean(machines, tau2).0) - expected;
    if machines.len() < 2 || excess(0.0) <= 0.0 {
        return 0.0;
    }
    let mut high = LEAST_VARIANCE;
    while excess(high) > 0.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    while high - low > 1e-9 * high {
        let middle = f64::midpoint(low, high);
        match excess(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An estimate whose standard error is `error`.
    fn estimate(y: f64, error: f64) -> Estimate {
        let half = error * student(9.0, 0.05);
        Estimate::of_logs(10, (y, Some((y - half, y + half))), 0.05)
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, alpha, expected) in [
            (1.0, 0.05, 12.706),
            (2.0, 0.05, 4.303),
            (9.0, 0.05, 2.262),
            (9.0, 0.01, 3.250),
            (49.0, 0.05, 2.010),
            (999.0, 0.05, 1.962),
            (9.0, 0.002, 4.297),
        ] {
            let found = student(freedom, alpha);
            assert!(
                (found - expected).abs() < 1e-3,
                "{freedom} {alpha}: {found}"
            );
        }
    }

    #[test]
    fn the_standard_error_comes_back() {
        let error = standard_error(&estimate(0.3, 0.02)).unwrap();
        assert!((error - 0.02).abs() < 1e-9, "{error}");
        let bare = Estimate {
            low: None,
            ..estimate(0.0, 0.1)
        };
        assert_eq!(standard_error(&bare), None);
        assert_eq!(across(&[bare]), Err(StatsError::Empty));
    }

    /// With equal variances s^2 the estimate of Paule and Mandel is the variance of the y less s^2.
    #[test]
    fn equal_variances_by_hand() {
        let all = [-0.1, 0.0, 0.1].map(|y| estimate(y, 0.05));
        let found = across(&all).unwrap();
        assert!(
            (found.between.powi(2) - (0.01 - 0.0025)).abs() < 1e-6,
            "{found:?}"
        );
        assert!((found.ratio - 1.0).abs() < 1e-9 && (found.within - 0.05).abs() < 1e-9);
        let (_, high) = found.mean.unwrap();
        let by_hand = student(2.0, MEAN_ALPHA) * (0.01f64 / 3.0).sqrt();
        assert!((high.ln() - by_hand).abs() < 1e-6, "{found:?}");
        let (_, high) = found.next.unwrap();
        let by_hand = student(1.0, NEXT_ALPHA) * (0.01f64 + 0.01 / 3.0).sqrt();
        assert!((high.ln() - by_hand).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn machines_that_agree_by_chance_are_no_more_precise_than_their_rounds() {
        let found = across(&[0.0; 4].map(|y| estimate(y, 0.05))).unwrap();
        assert!(found.between.abs() < 1e-12);
        let (low, high) = found.mean.unwrap();
        let half = student(3.0, MEAN_ALPHA) * 0.025;
        assert!((high.ln() - half).abs() < 1e-9 && (low.ln() + half).abs() < 1e-9);
    }

    #[test]
    fn two_machines_have_a_mean_and_no_interval() {
        let found = across(&[estimate(-0.1, 0.01), estimate(0.1, 0.01)]).unwrap();
        assert_eq!((found.machines, found.mean, found.next), (2, None, None));
        assert!((found.ratio - 1.0).abs() < 1e-9 && found.between > 0.1);
        let one = across(&[estimate(-0.1, 0.01)]).unwrap();
        assert!((one.ratio - (-0.1f64).exp()).abs() < 1e-12 && one.between.abs() < 1e-12);
    }

    /// A clock with coarse steps makes every round alike: no width, and no division by zero.
    #[test]
    fn an_interval_of_no_width_is_taken() {
        let found = across(&[estimate(0.1, 0.0), estimate(0.1, 0.0), estimate(0.2, 0.0)]).unwrap();
        assert!(found.ratio.is_finite() && found.between > 0.05, "{found:?}");
    }
}
