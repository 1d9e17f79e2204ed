//! The comparisons of a case while its rounds come in.
//!
//! Every variant but the first is compared with the first, and the m comparisons share the error of the case; it
//! continues until the last is settled. Of S studies each headline is measured until it is settled at 1/S of the level
//! (judged by `results::levels`). A round counts for a pair only if both slots are data points. The floor is fixed
//! before the first look, by the noise of each variant's own slots, which tells nothing about which is faster.
//!
//! A run that was shown and continues keeps its looks and every verdict shown ([`LookPlan`]). Moments at which somebody
//! may have stopped by what the data said are remembered ([`Judge::peek`]), also for slots valued in another way. A
//! variant whose slots fail is given up ([`Judge::give_up`]); where it was the reference, the first that is left takes
//! its place, for the rounds so far too. That depends on failures alone. Where a case asks which variant is best, each
//! look may leave variants out ([`Halving`]); the case is settled when that search is over.

mod looks;

use stats::{Estimate, Halving, LookPlan, Noise, Rule, Sequential, StatsError};
use stats::{Step, Verdict, noise};

use crate::data::{Case, Metric, Settings};
use crate::findings::outlook::Outlook;
use crate::findings::paired::rule;
pub(crate) use looks::{USUAL_ROUNDS, smallest_seen, smallest_seen_in};
use looks::{fewest_rounds, plan, rounds_for_claims};

/// The floor on a machine where 1 % can be seen.
const FLOOR: f64 = 0.01;
const NOISY_FLOOR: f64 = 0.02;

#[derive(Debug, Clone)]
pub(crate) struct Judge {
    plan: LookPlan,
    first_look: usize,
    /// Fewest rounds that say anything: those of an interval at the level of the case, or one.
    fewest: usize,
    given: Option<f64>,
    variants: usize,
    /// Answers of the run that share its error with this case.
    answers: usize,
    /// One value a variant in each complete round; `None` is no data point.
    rounds: Vec<Vec<Option<f64>>>,
    opened: Option<Opened>,
    turns: Vec<Turn>,
    search: Option<Halving>,
    /// Rounds in which every variant that took part has a data point.
    full_rounds: usize,
    out: Vec<usize>,
    for_claims: usize,
}

/// A run was shown after this many rounds, and taken up again.
#[derive(Debug, Clone, Copy)]
struct Turn {
    after: usize,
    max_rounds: Option<usize>,
    /// Whether somebody may have chosen the moment by what the data said.
    peeked: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    pub(crate) estimate: Estimate,
    pub(crate) verdict: Verdict,
    pub(crate) overstates: bool,
}

/// Where one comparison stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing<'a> {
    /// Label of the subject.
    pub subject: &'a str,
    /// Label of the reference.
    pub reference: &'a str,
    /// Subject over reference so far; `None` without a round.
    pub estimate: Option<Estimate>,
    /// What a look says of it; for display only at any other time.
    pub verdict: Option<Verdict>,
}

#[derive(Debug, Clone)]
struct Opened {
    floor: f64,
    pairs: Vec<Sequential>,
}

impl Judge {
    /// Fails if the settings have no rounds, too many, or an impossible floor.
    pub(crate) fn new(
        settings: &Settings,
        case: &Case,
        answers: usize,
        claims: usize,
    ) -> Result<Self, StatsError> {
        let plan = plan(settings, case, answers)?;
        let judge = Self {
            answers,
            first_look: plan.looks()[0],
            fewest: match case.metric {
                // Its counts hardly vary, and it has no interval of confidence.
                Metric::Simulated => 1,
                _ => fewest_rounds(case, answers).min(plan.max_rounds()),
            },
            plan,
            given: settings.floor.or(case.floor),
            variants: case.variants.len(),
            rounds: Vec::new(),
            opened: None,
            turns: Vec::new(),
            search: case.best_of.map(|_| Halving::new(case.variants.len())),
            full_rounds: 0,
            out: Vec::new(),
            for_claims: rounds_for_claims(case, claims),
        };
        judge.rule(judge.given.unwrap_or(FLOOR)).check()?;
        Ok(judge)
    }

    /// Takes down that the run was shown and continues, with `max_rounds` where some are given. What was decided stays.
    /// Fails if there are to be no rounds, or too many.
    pub(crate) fn go_on(
        &mut self,
        max_rounds: Option<usize>,
        peeked: bool,
    ) -> Result<(), StatsError> {
        let after = self.rounds();
        self.turns.push(Turn {
            after,
            max_rounds,
            peeked,
        });
        if peeked {
            self.peek();
        }
        if self.plan.decides_after(after) {
            self.plan.look_at(after);
            let was_open = self.opened.is_some();
            let mut opened = self.opened.take().unwrap_or_else(|| self.open());
            opened.pairs.iter_mut().for_each(|pair| drop(pair.show()));
            // The floor of what was decided stays; without a decision the first look chooses it as ever.
            let decided = |pair: &Sequential| matches!(pair.step(), Step::Decided(..));
            if was_open || opened.pairs.iter().any(decided) {
                self.opened = Some(opened);
            }
        }
        let Some(max_rounds) = max_rounds else {
            return Ok(());
        };
        self.plan.extend(max_rounds, after)?;
        let mut pairs = self.opened.iter_mut().flat_map(|opened| &mut opened.pairs);
        pairs.try_for_each(|pair| pair.extend(max_rounds))
    }

    /// Takes down that somebody sees the data and may stop by it: a round that is no planned look is then judged at a
    /// smaller level, and that of all looks together holds.
    pub(crate) fn peek(&mut self) {
        self.plan.peek_at(self.rounds());
        let pairs = self.opened.iter_mut().flat_map(|opened| &mut opened.pairs);
        pairs.for_each(Sequential::peek);
    }

    pub(crate) fn again(
        &self,
        fresh: Self,
        rounds: Vec<Vec<Option<f64>>>,
    ) -> Result<Self, StatsError> {
        let mut judge = fresh;
        let mut turns = self.turns.iter().peekable();
        for round in rounds {
            while let Some(turn) = turns.next_if(|turn| turn.after == judge.rounds()) {
                judge.go_on(turn.max_rounds, turn.peeked)?;
            }
            judge.push(round);
        }
        turns.try_for_each(|turn| judge.go_on(turn.max_rounds, turn.peeked))?;
        self.out.iter().for_each(|&out| judge.give_up(out));
        Ok(judge)
    }

    pub(crate) fn level(&self) -> f64 {
        self.plan.level()
    }

    pub(crate) fn added(&self) -> Vec<usize> {
        self.plan.added()
    }

    fn rule(&self, floor: f64) -> Rule {
        guarded(floor, self.pairs() * self.answers)
    }

    /// The level of a look after this number of rounds, as a share of [`LOOK_ALPHA`].
    pub(crate) fn share(&self, rounds: usize) -> f64 {
        self.plan.share(rounds)
    }

    pub(crate) fn compares(&self) -> bool {
        self.variants > 1
    }

    pub(crate) fn pairs(&self) -> usize {
        self.variants.saturating_sub(1).max(1)
    }

    pub(crate) fn taking(&self) -> Vec<usize> {
        match &self.search {
            Some(search) => search.taking().to_vec(),
            None => self.kept_variants().collect(),
        }
    }

    fn kept_variants(&self) -> impl Iterator<Item = usize> {
        (0..self.variants).filter(|at| !self.out.contains(at))
    }

    pub(crate) fn reference(&self) -> usize {
        self.kept_variants().next().unwrap_or(0)
    }

    /// The place of a variant, where the reference has changed places with the first.
    pub(crate) fn place(&self, variant: usize) -> usize {
        match variant {
            0 => self.reference(),
            one if one == self.reference() => 0,
            other => other,
        }
    }

    pub(crate) fn is_given_up(&self, variant: usize) -> bool {
        self.out.contains(&variant)
    }

    pub(crate) fn give_up(&mut self, variant: usize) {
        if self.is_given_up(variant) {
            return;
        }
        let before = self.reference();
        self.out.push(variant);
        if let Some(search) = &mut self.search {
            search.leave_out(variant);
        } else if self.taking().len() > 1 {
            let full = self.rounds.iter().filter(|round| self.is_full(round));
            self.full_rounds = full.count();
        }
        if self.reference() != before && self.opened.is_some() {
            self.opened = Some(self.open());
        }
    }

    fn is_full(&self, round: &[Option<f64>]) -> bool {
        self.taking().iter().all(|&at| round[at].is_some())
    }

    fn kept<'p>(&self, pairs: &'p [Sequential]) -> impl Iterator<Item = &'p Sequential> {
        let subjects = pairs.iter().zip(1..);
        let kept = subjects.filter(|(_, subject)| !self.is_given_up(self.place(*subject)));
        kept.map(|(pair, _)| pair)
    }

    pub(crate) fn is_search(&self) -> bool {
        self.search.is_some()
    }

    /// One value a variant, in the case's order; `None` also where one took no part.
    pub(crate) fn push(&mut self, values: Vec<Option<f64>>) {
        self.full_rounds += usize::from(self.is_full(&values));
        let reference = self.reference();
        if let Some(opened) = &mut self.opened {
            opened.push(&values, reference);
        }
        self.rounds.push(values);
        if self.opened.is_none() && self.rounds.len() >= self.first_look {
            self.opened = Some(self.open());
        }
        if self.plan.is_look(self.rounds()) {
            self.drop_those_behind();
        }
    }

    fn drop_those_behind(&mut self) {
        let (Some(search), Some(opened)) = (&mut self.search, &self.opened) else {
            return;
        };
        let columns = (0..self.variants).map(|at| self.rounds.iter().map(|r| r[at]).collect());
        let pairs = stats::pairs(self.variants) * self.answers;
        let comparisons = pairs as f64 / self.plan.share(self.rounds.len());
        let rule = guarded(opened.floor, comparisons.ceil() as usize);
        // The floor was checked when the case was opened.
        let _looked = search.look(&columns.collect::<Vec<_>>(), rule);
    }

    fn open(&self) -> Opened {
        let floor = self.given.unwrap_or_else(|| self.usual_floor());
        let pair = || Sequential::new(self.plan.clone(), self.rule(floor)).ok();
        let mut opened = Opened {
            floor,
            pairs: (1..self.variants).filter_map(|_| pair()).collect(),
        };
        for round in &self.rounds {
            opened.push(round, self.reference());
        }
        opened
    }

    fn usual_floor(&self) -> f64 {
        let noise = self.noise().and_then(|noise| noise.pair);
        match noise {
            Some(pair) if smallest_seen(pair) > FLOOR => NOISY_FLOOR,
            _ => FLOOR,
        }
    }

    /// The slot-to-slot noise of the noisiest variant so far.
    pub(crate) fn noise(&self) -> Option<Noise> {
        let columns = (0..self.variants).map(|variant| {
            let values: Vec<f64> = self.rounds.iter().filter_map(|r| r[variant]).collect();
            noise(&values)
        });
        columns
            .filter(|noise| noise.pair.is_some())
            .max_by(|a, b| a.pair.unwrap_or(0.0).total_cmp(&b.pair.unwrap_or(0.0)))
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds.len()
    }

    pub(crate) fn full_rounds(&self) -> usize {
        self.full_rounds
    }

    pub(crate) fn max_rounds(&self) -> usize {
        self.plan.max_rounds()
    }

    pub(crate) fn fewest_rounds(&self) -> usize {
        self.fewest
    }

    pub(crate) fn next_look(&self) -> usize {
        self.left().next().unwrap_or(self.max_rounds())
    }

    fn left(&self) -> impl Iterator<Item = usize> {
        let looks = self.plan.looks().iter().copied();
        looks.filter(|&look| look > self.rounds())
    }

    pub(crate) fn at_planned_look(&self) -> bool {
        self.plan.is_planned(self.rounds())
    }

    pub(crate) fn at_look(&self) -> bool {
        self.plan.is_look(self.rounds())
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.all_pairs_are(|step| step != Step::Continue)
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.all_pairs_are(|step| matches!(step, Step::Decided(..)))
    }

    fn all_pairs_are(&self, wanted: fn(Step) -> bool) -> bool {
        match (&self.search, &self.opened) {
            (Some(search), _) => search.is_over(),
            (None, Some(opened)) => self.kept(&opened.pairs).all(|pair| wanted(pair.step())),
            (None, None) => false,
        }
    }

    pub(crate) fn has_rounds_for_claims(&self) -> bool {
        self.rounds() >= self.for_claims.min(self.plan.max_rounds())
    }

    pub(crate) fn standings<'a>(&self, case: &'a Case) -> Vec<Standing<'a>> {
        let (_, findings) = self.conclude();
        let label = |variant: usize| case.variants[variant].label.as_str();
        let pairs = (1..).map(|subject| self.place(subject)).zip(findings);
        let kept = pairs.filter(|(subject, _)| !self.is_given_up(*subject));
        let standings = kept.map(|(subject, finding)| {
            let (estimate, verdict) = finding.unzip();
            Standing {
                subject: label(subject),
                reference: label(self.reference()),
                estimate,
                verdict,
            }
        });
        standings.collect()
    }

    /// Floor and findings if no further round came, one a variant but the reference; `None` for a pair without a round.
    pub(crate) fn conclude(&self) -> (f64, Vec<Option<(Estimate, Verdict)>>) {
        let opened = self.as_opened();
        let findings = opened.pairs.iter().map(|pair| pair.conclude().ok());
        (opened.floor, findings.collect())
    }

    pub(crate) fn conclude_among(&self, comparisons: usize) -> Vec<Option<Judged>> {
        let opened = self.as_opened();
        let rule = guarded(opened.floor, comparisons);
        let pairs = opened.pairs.iter().map(|pair| pair.at(rule));
        pairs.map(|pair| judged(&pair.ok()?)).collect()
    }

    /// At the level divided by `answers`: of all comparisons, or of one variant.
    pub(crate) fn outlook(&self, answers: usize, subject: Option<usize>) -> Outlook {
        if self.search.as_ref().is_some_and(Halving::is_over) {
            return Outlook::DECIDED;
        }
        let Opened { floor, pairs } = self.as_opened();
        let rule = guarded(floor, self.pairs() * answers);
        let left = self
            .left()
            .map(|look| (look, rule.alpha() * self.plan.share(look)));
        let left: Vec<(usize, f64)> = left.collect();
        let is_kept = |at: &usize| !self.is_given_up(*at) && *at != self.reference();
        let subject = subject.filter(is_kept);
        let asked = |at: usize| subject.map_or_else(|| is_kept(&at), |subject| subject == at);
        let pairs = pairs.iter().zip(1..);
        let pairs = pairs.filter(|(_, place)| asked(self.place(*place)));
        let outlook = |pair: &Sequential| {
            let found = pair.at(rule).and_then(|pair| pair.conclude());
            match found {
                Ok((_, verdict)) if verdict.is_decided() => Outlook::DECIDED,
                Ok((estimate, _)) => Outlook::of_open(&estimate, pair.noise(), floor, &left),
                Err(_) => Outlook::UNKNOWN,
            }
        };
        let all = pairs.map(|(pair, _)| outlook(pair)).reduce(Outlook::and);
        match (&self.search, all) {
            (None, Some(all)) => all,
            (_, all) => Outlook {
                is_decided: false,
                ..all.unwrap_or(Outlook::UNKNOWN)
            },
        }
    }

    /// The smallest p-value of the planned looks so far, for all comparisons together.
    pub(crate) fn smallest_p_at_looks(&self) -> f64 {
        let opened = self.as_opened();
        let p_values = opened.pairs.iter().filter_map(Sequential::p_value_at_looks);
        (p_values.fold(1.0, f64::min) * self.pairs() as f64).min(1.0)
    }

    pub(crate) fn answers(&self) -> usize {
        self.answers
    }

    pub(crate) fn p_values(&self) -> Vec<Option<f64>> {
        let opened = self.as_opened();
        opened.pairs.iter().map(Sequential::p_value).collect()
    }

    fn as_opened(&self) -> Opened {
        self.opened.clone().unwrap_or_else(|| self.open())
    }
}

pub(super) fn guarded(floor: f64, comparisons: usize) -> Rule {
    Rule {
        guarded: true,
        ..rule(floor, comparisons)
    }
}

fn judged(pair: &Sequential) -> Option<Judged> {
    let (estimate, verdict) = pair.conclude().ok()?;
    Some(Judged {
        estimate,
        verdict,
        overstates: verdict.is_difference() && pair.overstates(&estimate).is_some(),
    })
}

impl Opened {
    /// The reference has changed places with the first variant.
    fn push(&mut self, values: &[Option<f64>], reference: usize) {
        let mut values = values.to_vec();
        values.swap(0, reference);
        let Some(reference) = values[0] else {
            return;
        };
        for (pair, subject) in self.pairs.iter_mut().zip(&values[1..]) {
            if let Some(subject) = *subject {
                let _taken = pair.push(reference, subject);
            }
        }
    }
}
