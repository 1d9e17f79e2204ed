//! When the data may be looked at (docs/method.md, "The looks"). A plan fixes the few rounds at
//! which the data is judged, and each look spends its part of the 5 %:
//! ```text
//!   after   7   10   14   20   28   40   56   80   any other round
//!   at    1.6   .9   .9   .9   .9   .9   .9   .9   .2 %
//! ```
//! Together they err in 4.8 % of runs. The first has more of the level: seven rounds that all agree
//! have p = 2/128 = 1.56 %. *Every* other round may be looked at too, at an eighth of the level:
//! all together still err in at most 4.9 % of runs.
//!
//! A run that its budget or its rounds ended was judged there, at the level of a planned look, in
//! place of those that are left. If it is resumed, that look is an *added* one, as are looks beyond
//! the planned last round:
//! ```text
//!   planned     7  10  14  20  28  40  56  80
//!   ends at 25  7  10  14  20 (25)                                 .9 %
//!   resumed     7  10  14  20 (25) 28  40  56  80  (113) (160)     .45 %, .22 %
//! ```
//! Each added look has half of the level of the one before it: all spend at most 1.8 % beyond the
//! planned 5 %. Source: S. J. Pocock, "Group sequential methods in the design and analysis of
//! clinical trials" (1977), with looks that grow.

use crate::error::StatsError;
use crate::estimate::check_length;
use crate::wilcoxon::rounds_for_interval;

/// The default looks: rounds after which the data is judged.
pub const LOOKS: [usize; 8] = [7, 10, 14, 20, 28, 40, 56, 80];

/// Level of the first look.
pub const LOOK_ALPHA: f64 = 0.016;

/// What a plan errs at most: the looks of a plan together.
pub const PLAN_ALPHA: f64 = 0.05;

/// Level of a planned look after the first, as a share of [`LOOK_ALPHA`].
const LATER: f64 = 0.5625;

/// After a round that somebody chose who saw the data, likewise.
const PEEK: f64 = 0.125;

/// Fewer rounds have no interval: such a look decides nothing and costs nothing.
const FEWEST: usize = 7;

/// The rounds at which a run is judged, fixed before it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct LookPlan {
    looks: Vec<usize>,
    added: Vec<(usize, f64)>,
}

impl LookPlan {
    /// The plan for a run of at most `max_rounds` (1 to [`MAX_ROUNDS`](crate::MAX_ROUNDS)) rounds. Up to 80: the
    /// default [`LOOKS`] below `max_rounds`, and `max_rounds`. Beyond: the same parts of it.
    pub fn new(max_rounds: usize) -> Result<Self, StatsError> {
        if max_rounds == 0 {
            return Err(StatsError::NoRounds);
        }
        check_length(max_rounds)?;
        let part = |looks: f64| (max_rounds as f64 * 0.5_f64.powf(looks / 2.0)).round() as usize;
        let looks = match max_rounds {
            ..=80 => up_to(&LOOKS, max_rounds),
            _ => (0_u8..8)
                .rev()
                .map(|looks| part(f64::from(looks)))
                .collect(),
        };
        let added = Vec::new();
        Ok(Self { looks, added })
    }

    /// The same plan with its last look alone: nothing is decided before.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.looks = vec![self.max_rounds()];
        self
    }

    /// The same plan, its first look at the first round that can decide at level `alpha`.
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

    /// Whether a look after round `n` was planned, not added because the run ended there.
    pub fn is_planned(&self, n: usize) -> bool {
        self.is_look(n) && self.added.iter().all(|(own, _)| *own != n)
    }

    pub(crate) fn last_before(&self, n: usize) -> Option<usize> {
        let mut looks = self.looks.iter().rev().copied();
        let last = looks.find(|&look| look <= n && self.is_planned(look));
        last.filter(|&look| look < n)
    }

    /// The level of a look after `n` rounds, as a share of [`LOOK_ALPHA`].
    pub fn share(&self, n: usize) -> f64 {
        if let Some((_, share)) = self.added.iter().find(|(look, _)| *look == n) {
            return *share;
        }
        let costly = self.looks.iter().find(|&&look| look >= FEWEST);
        match costly {
            _ if !self.is_look(n) => self.next_added(),
            Some(&first) if n > first => LATER,
            _ => 1.0,
        }
    }

    /// Whether it has fewer looks than were simulated together.
    fn has_room(&self) -> bool {
        let costly = self.looks.iter().filter(|&&look| look >= FEWEST).count();
        costly - self.added.len() < LOOKS.len()
    }

    fn next_added(&self) -> f64 {
        self.costly().fold(LATER, |share, _| share / 2.0)
    }

    fn costly(&self) -> impl Iterator<Item = usize> {
        let added = self.added.iter().filter(|(_, share)| *share != PEEK);
        added.map(|(look, _)| *look)
    }

    /// The added looks that cost more than the planned 5 %.
    pub fn added(&self) -> Vec<usize> {
        self.costly().collect()
    }

    /// The most wrong decisions of a comparison: [`PLAN_ALPHA`] and the cost of added looks.
    pub fn level(&self) -> f64 {
        PLAN_ALPHA + LOOK_ALPHA * self.costly().map(|look| self.share(look)).sum::<f64>()
    }

    /// Whether a look after `n` rounds can decide anything: fewer have no interval.
    pub fn decides_after(&self, n: usize) -> bool {
        n >= FEWEST
    }

    /// Records that the data was judged and shown after `n` rounds: the run ended there by itself.
    pub fn look_at(&mut self, n: usize) {
        self.add(n, self.next_added());
    }

    /// Records that somebody looked after `n` rounds: the run was under way, or interrupted.
    pub fn peek_at(&mut self, n: usize) {
        self.add(n, PEEK);
    }

    fn add(&mut self, n: usize, share: f64) {
        if let Err(place) = self.looks.binary_search(&n)
            && self.decides_after(n)
        {
            self.looks.insert(place, n);
            self.added.push((n, share));
        }
    }

    /// Adds the looks of `max_rounds` beyond the last one and `done`. Errors: as [`LookPlan::new`].
    pub fn extend(&mut self, max_rounds: usize, done: usize) -> Result<(), StatsError> {
        let last = self.max_rounds().max(done);
        for look in Self::new(max_rounds)?
            .looks
            .into_iter()
            .filter(|&look| look > last)
        {
            match self.has_room() {
                true => self.looks.push(look),
                false => self.add(look, self.next_added()),
            }
        }
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
            added: Vec::new(),
        }
    }
}

fn up_to(looks: &[usize], max_rounds: usize) -> Vec<usize> {
    let below = looks.iter().copied().filter(|&look| look < max_rounds);
    below.chain([max_rounds]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wilcoxon::MAX_ROUNDS;

    #[test]
    fn plans_end_at_the_last_round_and_have_at_most_eight_looks() {
        for max in 1..=MAX_ROUNDS {
            let plan = LookPlan::new(max).unwrap();
            assert_eq!(plan.max_rounds(), max);
            assert!(plan.is_look(max));
            assert!(plan.looks().len() <= 8, "{plan:?}");
            assert!(plan.looks().is_sorted_by(|a, b| a < b), "{plan:?}");
            assert_eq!(plan.added(), [0; 0], "{plan:?}");
        }
    }

    #[test]
    fn a_plan_of_exactly_so_many_rounds_has_one_look_at_the_whole_level() {
        let plan = LookPlan::new(60).unwrap().once();
        assert_eq!((plan.looks(), plan.share(60)), ([60].as_slice(), 1.0));
    }

    #[test]
    fn plans_are_as_documented() {
        let looks = |max| LookPlan::new(max).unwrap().looks().to_vec();
        assert_eq!(looks(80), LOOKS);
        assert_eq!(looks(20), [7, 10, 14, 20]);
        assert_eq!(looks(5), [5]);
        assert_eq!(looks(31), [7, 10, 14, 20, 28, 31]);
        assert_eq!(looks(160), [14, 20, 28, 40, 57, 80, 113, 160]);
        assert_eq!(LookPlan::default(), LookPlan::new(80).unwrap());
    }

    #[test]
    fn the_first_look_has_the_whole_level_and_a_peek_an_eighth() {
        let mut plan = LookPlan::default();
        let shares = |plan: &LookPlan| [7, 10, 80].map(|n| plan.share(n));
        assert_eq!(shares(&plan), [1.0, LATER, LATER]);
        plan.peek_at(8);
        plan.peek_at(10);
        assert_eq!((plan.share(8), shares(&plan)), (PEEK, [1.0, LATER, LATER]));
        assert_eq!((plan.level(), plan.added()), (PLAN_ALPHA, vec![]));
        let later = LookPlan::default().deciding_at(LOOK_ALPHA / 11.0);
        assert_eq!(later.looks(), [11, 14, 20, 28, 40, 56, 80]);
        assert_eq!([11, 14].map(|n| later.share(n)), [1.0, LATER]);
    }

    #[test]
    fn a_plan_that_goes_on_keeps_its_looks_and_adds_cheaper_ones() {
        let mut plan = LookPlan::default();
        assert!((plan.level() - 0.05).abs() < 1e-12);
        assert_eq!(plan.share(27), LATER, "in place of those that are left");
        plan.look_at(27);
        plan.extend(160, 80).unwrap();
        assert_eq!(plan.looks(), [7, 10, 14, 20, 27, 28, 40, 56, 80, 113, 160]);
        let shares = [20, 27, 28, 80, 113, 160].map(|n| plan.share(n));
        assert_eq!(
            shares,
            [LATER, LATER, LATER, LATER, LATER / 2.0, LATER / 4.0]
        );
        assert_eq!(plan.added(), [27, 113, 160]);
        assert!((plan.level() - 0.05 - 0.009 * 1.75).abs() < 1e-12);
    }

    #[test]
    fn a_plan_of_too_few_rounds_for_an_interval_has_spent_nothing() {
        let mut plan = LookPlan::new(3).unwrap();
        plan.extend(80, 3).unwrap();
        assert_eq!(plan.looks()[..2], [3, 7]);
        assert_eq!(plan.share(7), 1.0);
        assert_eq!(plan.level(), PLAN_ALPHA);
    }

    /// A run of 20 rounds that goes on to 80 has the looks of one that was planned so.
    #[test]
    fn a_short_plan_that_goes_on_is_the_longer_one() {
        let mut plan = LookPlan::new(20).unwrap();
        plan.extend(80, 20).unwrap();
        assert_eq!(plan, LookPlan::default());
    }

    #[test]
    fn however_often_a_plan_goes_on_it_costs_no_more_than_two_later_looks() {
        let mut plan = LookPlan::default();
        for n in 81..=MAX_ROUNDS {
            plan.extend(n, n - 1).unwrap();
        }
        let most = PLAN_ALPHA + 2.0 * LATER * LOOK_ALPHA;
        assert!(plan.level() <= most, "{}", plan.level());
    }

    #[test]
    fn impossible_plans_are_refused() {
        assert_eq!(LookPlan::new(0), Err(StatsError::NoRounds));
        assert!(LookPlan::new(MAX_ROUNDS + 1).is_err());
    }
}
