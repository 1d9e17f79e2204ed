//! Which of many variants is best, for fewer slots than a comparison of all of them needs. Each
//! look of the plan drops some variants, and the rounds that follow hold only the rest:
//! ```text
//!   look      10            20        40    80
//!   taking    A B C D E F   A B D     A B   A B        the last comparison has all rounds
//!   beaten        C   E F
//!   set aside                 D
//! ```
//! *Beaten* are those that another is faster than, at the level of all pairs ([`Best`]). Where more
//! than half are left, the slowest by their median are *set aside* until half are: successive
//! halving (K. Jamieson, A. Talwalkar, 2016). A variant set aside cannot be distinguished from the
//! best: halving may leave more undecided than full rounds, and names no false winner, as all pairs
//! share the level and dropping pairs only takes claims away.

use crate::best::Best;
use crate::error::StatsError;
use crate::verdict::Rule;

const LAST: usize = 2;

/// A search that is under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Halving {
    taking: Vec<usize>,
    is_over: bool,
}

impl Halving {
    /// A search over this many variants.
    pub fn new(variants: usize) -> Self {
        Self {
            taking: (0..variants).collect(),
            is_over: false,
        }
    }

    /// The places of those that take part in the next round, in ascending order.
    pub fn taking(&self) -> &[usize] {
        &self.taking
    }

    /// Takes a variant out of the search: its slots fail.
    pub fn leave_out(&mut self, variant: usize) {
        self.taking.retain(|&at| at != variant);
        self.is_over |= self.taking.len() < LAST;
    }

    /// Whether no further round is needed: one is left, or those that are left are the same.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Looks at all rounds so far: each variant's times round by round, `None` where it took no
    /// part or its slot is no data point. The rule compares at least [`pairs`](crate::pairs) of all
    /// variants. Errors: those of [`Rule::check`].
    pub fn look(&mut self, columns: &[Vec<Option<f64>>], rule: Rule) -> Result<(), StatsError> {
        let own: Vec<_> = self.taking.iter().map(|&at| columns[at].clone()).collect();
        let best = Best::of(&own, rule)?;
        let half = self.taking.len().div_ceil(2).max(LAST);
        let mut left: Vec<usize> = best.unbeaten().collect();
        left.sort_by(|&a, &b| median(&own[a]).total_cmp(&median(&own[b])));
        if best.is_told() {
            left.truncate(half);
        }
        let same = |&a: &usize, &b: &usize| {
            let verdict = best.pair(a, b).map(|(_, verdict)| verdict);
            a == b || verdict.is_some_and(|verdict| verdict.is_decided())
        };
        self.is_over = left.iter().all(|a| left.iter().all(|b| same(a, b)));
        self.taking = left.into_iter().map(|at| self.taking[at]).collect();
        self.taking.sort_unstable();
        Ok(())
    }
}

fn median(column: &[Option<f64>]) -> f64 {
    let mut values: Vec<f64> = column.iter().copied().flatten().collect();
    values.sort_by(f64::total_cmp);
    values
        .get(values.len() / 2)
        .copied()
        .unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::best::pairs;
    use crate::looks::LookPlan;
    use crate::simulate::{Draw, HOSTILE, MODELS, Machine, NoiseModel, QUIET, SHARED};

    /// What came of a search.
    struct Found {
        /// Those that no other one beats, over all rounds in which both took part.
        unbeaten: Vec<usize>,
        slots: usize,
    }

    /// A search over variants that take so much on a simulated machine.
    fn search(model: NoiseModel, times: &[f64], draw: &mut Draw) -> Found {
        let k = times.len();
        let rule = Rule::sharing(pairs(k));
        let plan = LookPlan::default().deciding_at(rule.alpha());
        let at = |share: f64| Rule::sharing((pairs(k) as f64 / share).ceil() as usize);
        let mut machine = Machine::new(model, k * plan.max_rounds(), draw);
        let mut columns = vec![Vec::new(); k];
        let mut halving = Halving::new(k);
        let mut slots = 0;
        for round in 1..=plan.max_rounds() {
            columns.iter_mut().for_each(|column| column.push(None));
            let mut order = halving.taking().to_vec();
            draw.shuffle(&mut order);
            for at in order {
                columns[at][round - 1] = Some(machine.slot(times[at], draw));
                slots += 1;
            }
            if plan.is_look(round) {
                halving.look(&columns, at(plan.share(round))).unwrap();
                if halving.is_over() {
                    break;
                }
            }
        }
        let best = Best::at_looks(&columns, rule, |rounds| plan.share(rounds)).unwrap();
        Found {
            unbeaten: best.unbeaten().collect(),
            slots,
        }
    }

    #[test]
    fn of_equal_splits_a_winner_is_named_in_at_most_one_search_of_twenty() {
        for (model, k) in MODELS
            .into_iter()
            .flat_map(|model| [(model, 4), (model, 7)])
            .chain([(HOSTILE, 2)])
        {
            let runs = 400;
            let (mut named, mut beaten) = (0, 0);
            for index in 0..runs {
                let found = search(model, &vec![1.0; k], &mut Draw::new(11, index));
                named += usize::from(found.unbeaten.len() == 1);
                beaten += usize::from(found.unbeaten.len() < k);
            }
            assert!(named <= 20, "{} {k}: {named} of {runs}", model.name);
            assert!(beaten <= 20, "{} {k}: {beaten} of {runs}", model.name);
        }
    }

    #[test]
    fn the_best_split_is_found_for_a_part_of_the_slots() {
        let times = [1.0, 1.3, 1.25, 0.9, 1.2, 1.4, 1.1, 1.5];
        for model in [QUIET, SHARED] {
            let mut slots = 0;
            for index in 0..50 {
                let found = search(model, &times, &mut Draw::new(3, index));
                assert_eq!(found.unbeaten, [3], "{} {index}", model.name);
                slots += found.slots;
            }
            let all = 50 * 80 * times.len();
            assert!(4 * slots < all, "{}: {slots} of {all}", model.name);
        }
    }

    #[test]
    fn who_was_set_aside_is_not_called_worse() {
        let alike: Vec<Vec<Option<f64>>> = (0..4)
            .map(|at| {
                let wobble = move |round: usize| 1.0 + 0.05 * ((round * (at + 3)) % 7) as f64;
                (0..12).map(|round| Some(wobble(round))).collect()
            })
            .collect();
        let mut halving = Halving::new(4);
        let rule = Rule::sharing(6);
        halving.look(&alike, rule).unwrap();
        assert_eq!(halving.taking().len(), 2);
        assert!(!halving.is_over());
        assert_eq!(Best::of(&alike, rule).unwrap().unbeaten().count(), 4);
    }
}
