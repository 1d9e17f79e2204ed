//! When the data may be looked at.
//!
//! # Theory
//!
//! Looking after every round and stopping when the answer pleases makes any
//! test lie. A plan fixes beforehand the few rounds at which the data is judged,
//! and each look spends its part of the 5 %: four looks at 1.6 % each. The looks
//! overlap (the data of the first is in the second), which is why four times
//! 1.6 % make about 5 % together and not 6.4 %. The looks of every plan here either
//! double or lie closer, so they overlap as much or more and err no more.
//!
//! This is the scheme of S. J. Pocock, "Group sequential methods in the design
//! and analysis of clinical trials" (1977), with looks that double.

use crate::error::StatsError;
use crate::estimate::MAX_ROUNDS;

/// The default looks: rounds after which the data is judged.
pub const LOOKS: [usize; 4] = [10, 20, 40, 80];

/// Level of each look; four looks of it keep the whole at 5 %.
pub const LOOK_ALPHA: f64 = 0.016;

/// The rounds at which a run is judged, fixed before it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookPlan {
    looks: Vec<usize>,
}

impl LookPlan {
    /// The plan for a run of at most `max_rounds` rounds.
    ///
    /// Up to 80 rounds: the default [`LOOKS`] below `max_rounds`, and
    /// `max_rounds` itself. Beyond: an eighth, a quarter, a half and the whole
    /// of `max_rounds`, rounded up. Never more than four looks. A run of fewer
    /// than seven rounds is a plan too: it ends without an interval.
    ///
    /// # Errors
    ///
    /// `max_rounds` is 0 or above [`MAX_ROUNDS`].
    pub fn new(max_rounds: usize) -> Result<Self, StatsError> {
        let looks = match max_rounds {
            0 => return Err(StatsError::NoRounds),
            1..=80 => default_looks_up_to(max_rounds),
            81..=MAX_ROUNDS => [8, 4, 2, 1].map(|part| max_rounds.div_ceil(part)).to_vec(),
            _ => {
                return Err(StatsError::TooManyRounds {
                    rounds: max_rounds,
                    most: MAX_ROUNDS,
                });
            }
        };
        Ok(Self { looks })
    }

    /// The looks in ascending order; the last is the last round.
    pub fn looks(&self) -> &[usize] {
        &self.looks
    }

    /// Whether the data is judged after round `n`, counted from 1.
    pub fn is_look(&self, n: usize) -> bool {
        self.looks.contains(&n)
    }

    /// The round after which the run ends even if nothing was decided.
    pub fn max_rounds(&self) -> usize {
        self.looks.last().copied().unwrap_or(0)
    }
}

/// The usual plan: [`LOOKS`].
impl Default for LookPlan {
    fn default() -> Self {
        Self {
            looks: LOOKS.to_vec(),
        }
    }
}

fn default_looks_up_to(max_rounds: usize) -> Vec<usize> {
    let below = LOOKS.into_iter().filter(|&look| look < max_rounds);
    below.chain([max_rounds]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_end_at_the_last_round_and_have_at_most_four_looks() {
        for max in 1..=MAX_ROUNDS {
            let plan = LookPlan::new(max).unwrap();
            assert_eq!(plan.max_rounds(), max);
            assert!(plan.is_look(max));
            assert!(plan.looks().len() <= 4, "{plan:?}");
            assert!(plan.looks().is_sorted_by(|a, b| a < b), "{plan:?}");
        }
    }

    #[test]
    fn plans_are_as_documented() {
        let looks = |max| LookPlan::new(max).unwrap().looks().to_vec();
        assert_eq!(looks(80), LOOKS);
        assert_eq!(looks(20), [10, 20]);
        assert_eq!(looks(5), [5]);
        assert_eq!(looks(31), [10, 20, 31]);
        assert_eq!(looks(60), [10, 20, 40, 60]);
        assert_eq!(looks(100), [13, 25, 50, 100]);
        assert_eq!(LookPlan::default(), LookPlan::new(80).unwrap());
    }

    #[test]
    fn impossible_plans_are_refused() {
        assert_eq!(LookPlan::new(0), Err(StatsError::NoRounds));
        assert!(LookPlan::new(MAX_ROUNDS + 1).is_err());
    }
}
