//! Which of several variants can be the best. The one that looks best was chosen by the rounds that
//! it is then compared by, so all k(k-1)/2 pairs share the level:
//! ```text
//!   pairs that differ:   A < C   A < D   B < D
//!   no variant beats:    A, B                   <- one of these is the best
//!   beaten:              C, D
//! ```
//! A variant is *beaten* if another is faster by its whole interval; one that alone is not is the
//! best. With k alike, a variant is beaten, or a best one named, in at most the share of runs that
//! the level allows. Multiple comparison with the best (J. C. Hsu, 1981) with Bonferroni's level:
//! Dunnett's needs Gaussian noise.

use crate::error::StatsError;
use crate::estimate::{Estimate, p_value};
use crate::looks::{LOOK_ALPHA, PLAN_ALPHA};
use crate::verdict::{Rule, Verdict};

/// What all pairs of some variants say of the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    against: Vec<Vec<Option<(Estimate, Verdict)>>>,
}

impl Best {
    /// All pairs of columns, each a variant's times round by round, `None` where a slot is no data
    /// point. The rule says how many comparisons share the level: [`pairs`], or fewer where
    /// [`discoveries`](crate::discoveries) allows it. Errors: those of [`Rule::check`].
    pub fn of(columns: &[Vec<Option<f64>>], rule: Rule) -> Result<Self, StatsError> {
        Self::at_looks(columns, rule, |_| 1.0)
    }

    /// The same after several looks: `share` is the part of the rule's level by rounds.
    pub fn at_looks(
        columns: &[Vec<Option<f64>>],
        rule: Rule,
        share: impl Fn(usize) -> f64,
    ) -> Result<Self, StatsError> {
        let k = columns.len();
        rule.check()?;
        let judge = |a: usize, b: usize| {
            let (reference, subject) = common(&columns[b], &columns[a]);
            let alpha = rule.alpha() * share(reference.len());
            rule.judge_at(&reference, &subject, alpha).ok()
        };
        let row = |a: usize| {
            let pairs = (0..k).map(|b| (a != b).then(|| judge(a, b)).flatten());
            pairs.collect()
        };
        Ok(Self {
            against: (0..k).map(row).collect(),
        })
    }

    /// The places of those that no other one beats: the best is among them.
    pub fn unbeaten(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.against.len()).filter(|&place| !self.is_beaten(place))
    }

    /// Whether some other variant is faster than this one.
    pub fn is_beaten(&self, place: usize) -> bool {
        let mut verdicts = self.against[place].iter().flatten();
        verdicts.any(|(_, verdict)| matches!(verdict, Verdict::Slower { .. }))
    }

    /// Whether every pair has rounds enough for an interval.
    pub fn is_told(&self) -> bool {
        let k = self.against.len();
        let has = |a: usize, b: usize| {
            let estimate = self.against[a][b].map(|(estimate, _)| estimate);
            estimate.is_some_and(|estimate| estimate.interval().is_some())
        };
        (0..k).all(|a| (0..k).all(|b| a == b || has(a, b)))
    }

    /// How variant `subject` compares with variant `reference`, at the level of all pairs.
    pub fn pair(&self, subject: usize, reference: usize) -> Option<(Estimate, Verdict)> {
        self.against[subject][reference]
    }
}

/// Pairs of `k` variants.
pub fn pairs(k: usize) -> usize {
    (k * k.saturating_sub(1) / 2).max(1)
}

/// The p-value of every pair of these columns, for one look.
pub fn pair_p_values(columns: &[Vec<Option<f64>>]) -> Vec<f64> {
    let places = || 0..columns.len();
    let pairs = places().flat_map(|a| places().skip(a + 1).map(move |b| (a, b)));
    let p = |(a, b): (usize, usize)| {
        let (reference, subject) = common(&columns[a], &columns[b]);
        let p = p_value(&reference, &subject).unwrap_or(1.0);
        (p * PLAN_ALPHA / LOOK_ALPHA).min(1.0)
    };
    pairs.map(p).collect()
}

fn common(reference: &[Option<f64>], subject: &[Option<f64>]) -> (Vec<f64>, Vec<f64>) {
    let rounds = reference.iter().zip(subject);
    rounds.filter_map(|(r, s)| (*r).zip(*s)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Draw, HOSTILE, MODELS, Machine};

    fn best(columns: &[Vec<Option<f64>>], floor: f64) -> Best {
        let rule = Rule::sharing(pairs(columns.len()));
        Best::of(columns, Rule { floor, ..rule }).unwrap()
    }

    /// Twelve rounds whose variants take so much, a little more or less in each.
    fn columns(times: &[f64]) -> Vec<Vec<Option<f64>>> {
        let column = |(i, time): (usize, &f64)| {
            let wobble = |round: usize| 1.0 + 0.001 * ((round * (i + 2)) % 7) as f64;
            (0..12).map(|round| Some(time * wobble(round))).collect()
        };
        times.iter().enumerate().map(column).collect()
    }

    #[test]
    fn those_that_nobody_beats_may_be_the_best() {
        let best = best(&columns(&[1.0, 1.0, 1.5, 2.0]), 0.01);
        assert!(best.is_told());
        assert_eq!(best.unbeaten().collect::<Vec<_>>(), [0, 1]);
        let alone = super::tests::best(&columns(&[2.0, 1.0, 1.5]), 0.01);
        assert_eq!(alone.unbeaten().collect::<Vec<_>>(), [1]);
        assert!(alone.pair(0, 1).unwrap().0.ratio > 1.9);
    }

    #[test]
    fn too_few_rounds_beat_nobody() {
        let few: Vec<_> = columns(&[1.0, 3.0, 9.0])
            .into_iter()
            .map(|column| column[..6].to_vec())
            .collect();
        let best = best(&few, 0.01);
        assert!(!best.is_told());
        assert_eq!(best.unbeaten().count(), 3);
    }

    /// Middle halves that do not overlap named a difference of price in 44 % of sweeps over
    /// three identical fibers.
    #[test]
    fn of_identical_variants_none_is_named_in_more_than_one_run_of_twenty() {
        for (model, k, rounds) in MODELS
            .into_iter()
            .flat_map(|model| [(model, 3, 10), (model, 5, 20), (model, 8, 40)])
            .chain([(HOSTILE, 2, 80)])
        {
            let named = (0..500).filter(|&index| {
                let mut draw = Draw::new(7, index);
                let mut machine = Machine::new(model, k * rounds, &mut draw);
                let mut columns = vec![Vec::new(); k];
                for _ in 0..rounds {
                    let first = draw.below(k);
                    for step in 0..k {
                        let slot = machine.slot(1.0, &mut draw);
                        columns[(first + step) % k].push(Some(slot));
                    }
                }
                best(&columns, 0.0).unbeaten().count() < k
            });
            let named = named.count();
            assert!(named <= 25, "{} {k} {rounds}: {named}", model.name);
        }
    }
}
