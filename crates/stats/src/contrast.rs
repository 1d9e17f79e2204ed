//! What one factor does where several were varied at once, in rounds that hold every combination:
//! ```text
//!               second off   second on
//!   first off       a            b           first:  ((c - a) + (d - b)) / 2
//!   first on        c            d           second: ((b - a) + (d - c)) / 2
//! ```
//! with a to d the logs of the four times. The effect of a factor is the mean of the two ways to
//! switch it on; the two add up to the whole difference d - a. That gives one number a round, as
//! for a pair; the rest is [`estimate()`](crate::estimate()): the random order makes the effect of
//! a factor that does nothing as likely positive as negative. An interaction looks halved.

use crate::error::{Side, StatsError};
use crate::estimate::{Estimate, check_columns, check_time, of_differences};

/// The times of the four combinations of two factors: column `i` of each is round `i`.
#[derive(Debug, Clone, Copy)]
pub struct Factorial<'a> {
    /// Neither factor.
    pub neither: &'a [f64],
    /// The first alone.
    pub first: &'a [f64],
    /// The second alone.
    pub second: &'a [f64],
    /// Both.
    pub both: &'a [f64],
}

impl Factorial<'_> {
    /// Time with the first factor over time without. Errors: of [`estimate()`](crate::estimate()).
    pub fn first_effect(&self, alpha: f64) -> Result<Estimate, StatsError> {
        self.effect(alpha, [-0.5, 0.5, -0.5, 0.5])
    }

    /// Time with the second factor over time without. Errors: of [`estimate()`](crate::estimate()).
    pub fn second_effect(&self, alpha: f64) -> Result<Estimate, StatsError> {
        self.effect(alpha, [-0.5, -0.5, 0.5, 0.5])
    }

    fn effect(&self, alpha: f64, weights: [f64; 4]) -> Result<Estimate, StatsError> {
        let columns = [self.neither, self.first, self.second, self.both];
        let rounds = self.neither.len();
        for column in columns {
            check_columns(rounds, column.len())?;
        }
        let round = |i: usize| {
            columns
                .iter()
                .zip(weights)
                .try_fold(0.0, |sum, (column, weight)| {
                    check_time(i + 1, Side::Subject, column[i])?;
                    Ok(sum + weight * column[i].ln())
                })
        };
        let d: Result<Vec<f64>, StatsError> = (0..rounds).map(round).collect();
        of_differences(&d?, alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.1_f64..100.0, 12)
    }

    proptest! {
        #[test]
        fn effects_that_are_the_same_in_each_round_are_found_exactly(
            base in times(), first in 0.1_f64..10.0, second in 0.1_f64..10.0,
        ) {
            let times = |factor: f64| -> Vec<f64> { base.iter().map(|b| b * factor).collect() };
            let four = [times(first), times(second), times(first * second)];
            let f = Factorial { neither: &base, first: &four[0], second: &four[1], both: &four[2] };
            let near = |e: Estimate, truth: f64| {
                let (low, high) = e.interval().unwrap();
                (low / truth - 1.0).abs() < 1e-9 && (high / truth - 1.0).abs() < 1e-9
            };
            prop_assert!(near(f.first_effect(0.05).unwrap(), first));
            prop_assert!(near(f.second_effect(0.05).unwrap(), second));
        }

        #[test]
        fn changing_the_factors_changes_the_effects(a in times(), b in times(), c in times(), d in times()) {
            let f = Factorial { neither: &a, first: &b, second: &c, both: &d };
            let g = Factorial { neither: &a, first: &c, second: &b, both: &d };
            let (f, g) = (f.first_effect(0.05).unwrap(), g.second_effect(0.05).unwrap());
            prop_assert!((f.ratio / g.ratio - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn columns_of_unequal_length_and_values_that_are_no_times_are_refused() {
        let (a, short, zero) = ([1.0; 6], [1.0; 5], [0.0; 6]);
        let f = |both| Factorial {
            neither: &a,
            first: &a,
            second: &a,
            both,
        };
        assert!(f(&short).first_effect(0.05).is_err());
        assert!(f(&zero).first_effect(0.05).is_err());
        assert_eq!(f(&a).first_effect(0.05).unwrap().ratio, 1.0);
    }
}
