//! When the data may be looked at.
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
//!
//! A run that was shown to somebody and is taken up again was looked at where it stopped,
//! and is looked at again. Looks that were taken stay as they are, and what is added lies
//! beyond the rounds that exist:
//!
//! ```text
//!   planned    10    20         40         80
//!   cut at 27  10    20   27                        a look where it was shown
//!   goes on    10    20   27    40        [80]      the fifth look costs half a share
//!   to 160     10    20   27    40        [80]   [160]    the sixth a quarter
//! ```
//!
//! The first four looks have the whole level each; every further one half of the one before
//! it. So however often a run is taken up again, all added looks together spend at most the
//! level of one: no more than [`LOOK_ALPHA`] beyond the planned 5 %.

use crate::error::StatsError;
use crate::estimate::MAX_ROUNDS;
use crate::wilcoxon::rounds_for_interval;

/// The default looks: rounds after which the data is judged.
pub const LOOKS: [usize; 4] = [10, 20, 40, 80];

/// Level of each look; four looks of it keep the whole at 5 %.
pub const LOOK_ALPHA: f64 = 0.016;

/// What a plan errs at most: the looks of a plan together.
pub const PLAN_ALPHA: f64 = 0.05;

/// Looks that have the whole level.
const WHOLE: usize = 4;

/// Fewer rounds have no interval at any look: such a look decides nothing and costs nothing.
const FEWEST: usize = 7;

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

    /// The same plan with its last look alone: nothing is decided before.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.looks = vec![self.max_rounds()];
        self
    }

    /// The same plan with a first look that can decide at level `alpha`: looks that have too few
    /// rounds for an interval are put off to the first number that has one.
    #[must_use]
    pub fn deciding_at(mut self, alpha: f64) -> Self {
        let fewest = rounds_for_interval(alpha).unwrap_or(usize::MAX);
        let most = self.max_rounds();
        let put_off = |look: &usize| (*look).max(fewest).min(most);
        self.looks = self.looks.iter().map(put_off).collect();
        self.looks.dedup();
        self
    }

    /// The looks in ascending order; the last is the last round.
    pub fn looks(&self) -> &[usize] {
        &self.looks
    }

    /// Whether the data is judged after round `n`, counted from 1.
    pub fn is_look(&self, n: usize) -> bool {
        self.looks.contains(&n)
    }

    /// The level of a look after `n` rounds, as a share of [`LOOK_ALPHA`]: 1 for the first
    /// four looks, and for each further one half of that of the one before.
    pub fn share(&self, n: usize) -> f64 {
        let before = self.looks.iter().filter(|&&look| look < n);
        let costly = before.filter(|&&look| look >= FEWEST).count();
        let added = costly.saturating_sub(WHOLE - 1);
        0.5_f64.powi(i32::try_from(added).unwrap_or(i32::MAX))
    }

    /// How often a comparison is decided wrongly at most: [`PLAN_ALPHA`] and what looks cost that
    /// were added.
    pub fn level(&self) -> f64 {
        let shares = self.looks.iter().map(|&look| self.share(look));
        let added = shares.filter(|&share| share < 1.0).sum::<f64>();
        PLAN_ALPHA + LOOK_ALPHA * added
    }

    /// Whether a look after `n` rounds can decide anything: fewer have no interval.
    pub fn decides_after(&self, n: usize) -> bool {
        n >= FEWEST
    }

    /// Takes down that the data was judged after `n` rounds, and shown.
    pub fn look_at(&mut self, n: usize) {
        if let Err(place) = self.looks.binary_search(&n)
            && self.decides_after(n)
        {
            self.looks.insert(place, n);
        }
    }

    /// Lets the run go on to `max_rounds`: looks that the plan of this many rounds has beyond
    /// its last one and beyond the `done` rounds that exist are added.
    ///
    /// # Errors
    ///
    /// As [`LookPlan::new`].
    pub fn extend(&mut self, max_rounds: usize, done: usize) -> Result<(), StatsError> {
        let last = self.max_rounds().max(done);
        let further = Self::new(max_rounds)?.looks.into_iter();
        self.looks.extend(further.filter(|&look| look > last));
        Ok(())
    }

    /// The round after which the run ends even if nothing was decided.
    pub fn max_rounds(&self) -> usize {
        self.looks.last().copied().unwrap_or(0)
    }
}

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
    fn a_plan_of_exactly_so_many_rounds_has_one_look() {
        assert_eq!(LookPlan::new(60).unwrap().once().looks(), [60]);
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
    fn a_plan_that_goes_on_keeps_its_looks_and_adds_cheaper_ones() {
        let mut plan = LookPlan::default();
        assert!((plan.level() - 0.05).abs() < 1e-12);
        plan.look_at(27);
        plan.extend(160, 80).unwrap();
        assert_eq!(plan.looks(), [10, 20, 27, 40, 80, 160]);
        let shares = [10, 20, 27, 40, 80, 160].map(|n| plan.share(n));
        assert_eq!(shares, [1.0, 1.0, 1.0, 1.0, 0.5, 0.25]);
        assert!((plan.level() - 0.062).abs() < 1e-12);
    }

    #[test]
    fn a_plan_of_too_few_rounds_for_an_interval_has_spent_nothing() {
        let mut plan = LookPlan::new(3).unwrap();
        plan.extend(80, 3).unwrap();
        assert_eq!(plan.looks(), [3, 10, 20, 40, 80]);
        assert_eq!(plan.share(80), 1.0);
    }

    #[test]
    fn however_often_a_plan_goes_on_it_costs_no_more_than_one_look() {
        let mut plan = LookPlan::default();
        for n in 81..=MAX_ROUNDS {
            plan.extend(n, n - 1).unwrap();
        }
        assert!(plan.level() <= PLAN_ALPHA + LOOK_ALPHA, "{}", plan.level());
    }

    #[test]
    fn impossible_plans_are_refused() {
        assert_eq!(LookPlan::new(0), Err(StatsError::NoRounds));
        assert!(LookPlan::new(MAX_ROUNDS + 1).is_err());
    }
}
