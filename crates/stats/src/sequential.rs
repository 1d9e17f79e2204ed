//! Rounds fed one at a time, judged at the looks of a plan, in simulations and the lab.

use crate::early::overstates;
use crate::error::StatsError;
use crate::estimate::{Estimate, check_round, p_value};
use crate::guard::agrees;
use crate::looks::{LOOK_ALPHA, LookPlan, PLAN_ALPHA};
use crate::noise::noise;
use crate::verdict::{Rule, Verdict};

/// Where one comparison stands after a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Not decided yet: measure another round.
    Continue,
    /// A look decided; the finding is final.
    Decided(Estimate, Verdict),
    /// The last round is over and nothing is decided: *cannot tell*.
    Exhausted(Estimate, Verdict),
}

impl Step {
    /// The finding, once there is one.
    pub fn finding(&self) -> Option<(Estimate, Verdict)> {
        match *self {
            Step::Continue => None,
            Step::Decided(e, v) | Step::Exhausted(e, v) => Some((e, v)),
        }
    }
}

/// One comparison while it is measured; it gets every round until a study's last is settled.
/// ```
/// use stats::{LookPlan, Rule, Sequential, Step, Verdict};
/// let mut s = Sequential::new(LookPlan::default(), Rule::default())?;
/// for round in 1..7 {
///     assert_eq!(s.push(2.0, 1.0 + 0.001 * f64::from(round))?, Step::Continue);
/// }
/// let Step::Decided(estimate, verdict) = s.push(2.0, 1.01)? else { panic!() };
/// assert_eq!(estimate.rounds, 7);
/// assert!(matches!(verdict, Verdict::Faster { at_least } if at_least > 0.95));
/// # Ok::<(), stats::StatsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sequential {
    plan: LookPlan,
    rule: Rule,
    reference: Vec<f64>,
    subject: Vec<f64>,
    step: Step,
}

impl Sequential {
    /// A comparison of which nothing is measured yet. Errors: those of [`Rule::check`].
    pub fn new(plan: LookPlan, rule: Rule) -> Result<Self, StatsError> {
        rule.check()?;
        Ok(Self {
            plan,
            rule,
            reference: Vec::new(),
            subject: Vec::new(),
            step: Step::Continue,
        })
    }

    /// Takes the two times of one round in which both slots succeeded; once settled, the finding
    /// stays. Errors: a value is not finite and above zero; the round is then not taken.
    pub fn push(&mut self, reference: f64, subject: f64) -> Result<Step, StatsError> {
        check_round(self.rounds() + 1, reference, subject)?;
        if self.step == Step::Continue {
            self.reference.push(reference);
            self.subject.push(subject);
            self.step = self.look()?;
        }
        Ok(self.step)
    }

    /// The same rounds and looks, judged by another rule. Errors: of [`Rule::check`].
    pub fn at(&self, rule: Rule) -> Result<Self, StatsError> {
        let mut again = Self::new(self.plan.clone(), rule)?;
        for (reference, subject) in self.reference.iter().zip(&self.subject) {
            again.push(*reference, *subject)?;
        }
        Ok(again)
    }

    /// The smallest level at which a look so far names a difference; `None` without a round.
    pub fn p_value(&self) -> Option<f64> {
        let now = self.p_value_after(self.rounds());
        now.map(|now| self.p_value_at_looks().map_or(now, |p| p.min(now)))
    }

    /// The same of the looks of the plan alone, without the rounds since the last one.
    pub fn p_value_at_looks(&self) -> Option<f64> {
        let looks = self.plan.looks().iter().copied();
        let looks = looks.take_while(|&look| look <= self.rounds());
        looks
            .filter_map(|look| self.p_value_after(look))
            .min_by(f64::total_cmp)
    }

    fn p_value_after(&self, look: usize) -> Option<f64> {
        let (reference, subject) = (&self.reference[..look], &self.subject[..look]);
        let p = p_value(reference, subject).ok()?;
        if self.rule.guarded && !agrees(reference, subject) {
            return Some(1.0);
        }
        Some((p / self.plan.share(look) * PLAN_ALPHA / LOOK_ALPHA).min(1.0))
    }

    /// Standard deviation of the log ratio, from medians; `None` for fewer than 5 rounds.
    pub fn noise(&self) -> Option<f64> {
        let pairs = self.subject.iter().zip(&self.reference);
        let ratios: Vec<f64> = pairs.map(|(s, r)| s / r).collect();
        noise(&ratios).spread
    }

    /// Whether what it found may be overstated: see [`overstates`].
    pub fn overstates(&self, estimate: &Estimate) -> Option<f64> {
        overstates(estimate, self.noise()?)
    }

    /// Where the comparison stands.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Rounds taken so far.
    pub fn rounds(&self) -> usize {
        self.reference.len()
    }

    /// The finding if no further round will come, because the run ended by itself or lost rounds:
    /// this look replaces those that are left. Where somebody who saw the data chose the moment,
    /// [`Sequential::peek`] comes first. Where neither this nor the last look decides, the narrower
    /// interval is shown.
    pub fn conclude(&self) -> Result<(Estimate, Verdict), StatsError> {
        if let Some(finding) = self.step.finding() {
            return Ok(finding);
        }
        let now = self.judge()?;
        match self.plan.last_before(self.rounds()) {
            Some(look) if !now.1.is_decided() => {
                let before = self.judge_after(look)?;
                Ok(if width(&before.0) < width(&now.0) {
                    before
                } else {
                    now
                })
            }
            _ => Ok(now),
        }
    }

    /// Records that somebody looks now and may stop: at the level of a round that is no look.
    pub fn peek(&mut self) {
        if self.step == Step::Continue {
            self.plan.peek_at(self.rounds());
        }
    }

    /// Records that somebody looked and stops if anything is decided. Errors: no round.
    pub fn watch(&mut self) -> Result<Step, StatsError> {
        self.peek();
        self.show()
    }

    /// Records that the data was judged and shown: a final look. Errors: no round.
    pub fn show(&mut self) -> Result<Step, StatsError> {
        if self.step == Step::Continue {
            let (estimate, verdict) = self.conclude()?;
            self.plan.look_at(self.rounds());
            if verdict.is_decided() {
                self.step = Step::Decided(estimate, verdict);
            }
        }
        Ok(self.step)
    }

    /// Lets an undecided comparison go on to `max_rounds`. Errors: of [`LookPlan::new`].
    pub fn extend(&mut self, max_rounds: usize) -> Result<(), StatsError> {
        self.plan.extend(max_rounds, self.rounds())?;
        if matches!(self.step, Step::Exhausted(..)) && self.rounds() < self.plan.max_rounds() {
            self.step = Step::Continue;
        }
        Ok(())
    }

    /// The looks: those that were planned, and those that were added.
    pub fn plan(&self) -> &LookPlan {
        &self.plan
    }

    /// The estimate so far, for display only; `None` before the first round.
    pub fn estimate(&self) -> Option<Estimate> {
        self.conclude().ok().map(|(estimate, _)| estimate)
    }

    fn look(&self) -> Result<Step, StatsError> {
        let n = self.rounds();
        if !self.plan.is_look(n) {
            return Ok(Step::Continue);
        }
        let (estimate, verdict) = self.judge()?;
        Ok(if verdict.is_decided() {
            Step::Decided(estimate, verdict)
        } else if n == self.plan.max_rounds() {
            Step::Exhausted(estimate, verdict)
        } else {
            Step::Continue
        })
    }

    fn judge(&self) -> Result<(Estimate, Verdict), StatsError> {
        self.judge_after(self.rounds())
    }

    fn judge_after(&self, rounds: usize) -> Result<(Estimate, Verdict), StatsError> {
        let alpha = self.rule.alpha() * self.plan.share(rounds);
        let [reference, subject] = [&self.reference, &self.subject].map(|side| &side[..rounds]);
        self.rule.judge_at(reference, subject, alpha)
    }
}

fn width(estimate: &Estimate) -> f64 {
    let ends = estimate.interval();
    ends.map_or(f64::INFINITY, |(low, high)| (high / low).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequential(max_rounds: usize) -> Sequential {
        Sequential::new(LookPlan::new(max_rounds).unwrap(), Rule::default()).unwrap()
    }

    /// Rounds that swing by +-20 % around equality.
    fn undecidable(s: &mut Sequential, rounds: usize) -> Step {
        for i in 0..rounds {
            s.push(1.0, if i % 2 == 0 { 1.2 } else { 1.0 / 1.2 })
                .unwrap();
        }
        s.step()
    }

    #[test]
    fn the_last_round_ends_it() {
        let mut s = sequential(20);
        assert_eq!(undecidable(&mut s, 19), Step::Continue);
        let Ok(Step::Exhausted(e, v)) = s.push(1.0, 1.0) else {
            panic!("{s:?}")
        };
        assert_eq!(e.rounds, 20);
        assert!(!v.is_decided());
    }

    #[test]
    fn a_settled_finding_stays() {
        let mut s = sequential(80);
        for _ in 0..7 {
            s.push(1.0, 3.0).unwrap();
        }
        let settled = s.step();
        assert_eq!(s.push(3.0, 1.0), Ok(settled));
        assert_eq!(s.rounds(), 7);
        assert_eq!(s.conclude().ok(), settled.finding());
    }

    #[test]
    fn a_bad_round_is_not_taken() {
        let mut s = sequential(80);
        s.push(1.0, 1.0).unwrap();
        let message = s.push(0.0, 1.0).unwrap_err().to_string();
        assert!(
            message.starts_with("round 2: the reference value is 0"),
            "{message}"
        );
        assert_eq!(s.rounds(), 1);
    }

    /// Old rounds were judged again at the looks of the longer plan: what was undecided
    /// after 80 rounds was decided from the first 12 of them.
    #[test]
    fn more_rounds_judge_no_old_round_again() {
        let mut s = sequential(80);
        s.push(1.3, 1.0).unwrap();
        for _ in 1..12 {
            s.push(1.0, 1.3).unwrap();
        }
        for _ in 12..14 {
            s.push(1.3, 1.0).unwrap();
        }
        undecidable(&mut s, 66);
        assert!(matches!(s.step(), Step::Exhausted(..)), "{s:?}");
        s.extend(96).unwrap();
        assert_eq!(s.step(), Step::Continue);
        assert_eq!((s.rounds(), s.plan().max_rounds()), (80, 96));
        undecidable(&mut s, 15);
        assert_eq!(s.step(), Step::Continue);
        s.push(1.0, 1.0).unwrap();
        assert!(
            matches!(s.step(), Step::Exhausted(e, _) if e.alpha < 0.0091),
            "{s:?}"
        );
    }

    #[test]
    fn what_was_shown_stays() {
        let plan = LookPlan::default().deciding_at(LOOK_ALPHA / 11.0);
        let mut s = Sequential::new(plan, Rule::default()).unwrap();
        for _ in 0..8 {
            s.push(1.0, 3.0).unwrap();
        }
        let shown = s.show().unwrap();
        assert!(matches!(shown, Step::Decided(e, _) if e.rounds == 8));
        undecidable(&mut s, 20);
        s.extend(200).unwrap();
        assert_eq!(s.conclude().ok(), shown.finding());
    }

    #[test]
    fn a_cut_run_concludes_with_what_it_has() {
        let mut s = sequential(80);
        assert_eq!(s.conclude(), Err(StatsError::Empty));
        assert_eq!(s.estimate(), None);
        undecidable(&mut s, 13);
        assert_eq!(s.conclude().unwrap().0.rounds, 13);
        assert_eq!(s.step(), Step::Continue);
    }

    /// Eight rounds have no interval at the level of somebody who looks, and seven had one.
    #[test]
    fn between_two_looks_the_narrower_interval_is_shown() {
        let mut s = sequential(80);
        undecidable(&mut s, 8);
        let by_itself = s.conclude().unwrap().0;
        s.peek();
        let peeked = s.conclude().unwrap().0;
        assert_eq!((by_itself.rounds, peeked.rounds), (8, 7));
        undecidable(&mut s, 2);
        let at_look = s.conclude().unwrap().0;
        assert_eq!(at_look.rounds, 10);
        undecidable(&mut s, 3);
        s.peek();
        let (estimate, verdict) = s.conclude().unwrap();
        assert!(width(&estimate) <= width(&at_look) && !verdict.is_decided());
    }

    #[test]
    fn what_a_peek_decides_is_decided_at_an_eighth_of_the_level() {
        let mut s = sequential(80);
        undecidable(&mut s, 10);
        for _ in 0..3 {
            s.push(1.0, 3.0).unwrap();
        }
        s.peek();
        assert_eq!(s.plan().share(13), 0.125);
        assert_eq!(s.step(), Step::Continue);
    }
}
