//! Which case continues, and how the seconds of a study are divided over its cases.
//!
//! # Theory
//!
//! A *question* is a case that stands alone, or all cases of a sweep: no point of a sweep is
//! an answer by itself. The budget is spent breadth first. At every step the case that gives the
//! study its headline goes first, then the questions of its deciding cases in their order, then the
//! others:
//!
//! ```text
//!   1  every question: its pilot, and the fewest rounds that have an interval
//!   2  every question: on to its first look. A headline that shares the 5 % of a run with
//!      others goes a quarter further than its interval needs: as many rounds as that
//!      decide only where all of them agree. Counts of a model hardly vary from launch to launch:
//!      one round of them is all that step 1 needs.
//!   3  questions for whose intervals there was not enough time: what rounds there are
//!   4  all that is left, the headline first
//! ```
//!
//! Whether there is enough time is asked once, after the pilot: a question that was begun is
//! carried on. The answer is said before the time is spent, with the budget that would do.
//!
//! Within a sweep the cases take turns, a round each: so a budget that ends early leaves few
//! rounds of every point, and not all rounds of the first ones. A round that was begun is
//! finished before any other slot, so the pairing within it is as close as ever. Since only
//! whole rounds of different cases are put in another order, and a look reads nothing but the
//! rounds of its own case, the looks mean what they mean without a budget.
//!
//! The pilot of a case is run just before its first round. A case whose pilot was not run yet
//! is taken to need what the last one before it in its sweep did, or nothing that is known.
//!
//! Spent time is the sum of the journal's launch times. It is no wall time, so that a run
//! that was taken up again counts what it did and not how long it lay. All is read from the
//! ledger, so that such a run continues as if it had never stopped.

use crate::data::{Case, Questions, Study};
use crate::findings::ledger::{CaseLog, left_s};

/// The questions of a study. They are asked for before each slot, and never change.
pub(crate) struct PendingCases {
    questions: Questions,
    /// The case that gives the study its headline.
    headline: Option<usize>,
    /// For each case, its place among the deciding ones; behind them for any other.
    rank: Vec<usize>,
}

/// How far a case is on its way: the earliest continues.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Interval,
    FirstLook,
    NoTimeForInterval,
    Rest,
}

/// What a question needs to have an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Needs {
    /// Rounds of each of its cases.
    pub(crate) rounds: usize,
    /// Seconds until they are done.
    pub(crate) seconds: f64,
}

impl PendingCases {
    /// The questions of a study, its headline first.
    pub(crate) fn of_study(study: &Study) -> Self {
        let is_headline = |case: &Case| case.name == study.headline;
        let rank = |case: &Case| {
            let found = study.deciding.iter().position(|one| one.has(&case.name));
            found.unwrap_or(study.deciding.len())
        };
        Self {
            headline: study.cases.iter().position(is_headline),
            rank: study.cases.iter().map(rank).collect(),
            questions: Questions::of(&study.cases),
        }
    }

    /// By what the next case is chosen where this many seconds are left: the smallest continues.
    pub(crate) fn precedence(
        &self,
        logs: &[CaseLog],
        place: usize,
        left_s: Option<f64>,
    ) -> impl Ord + use<> {
        let log = &logs[place];
        let between_rounds = log.within_round() == 0;
        let stage = self.stage(logs, place, left_s);
        let follows = self.headline != Some(place);
        (
            between_rounds,
            stage,
            follows,
            self.rank[self.questions.first(place)],
            self.questions.first(place),
            log.round(),
            place,
        )
    }

    fn stage(&self, logs: &[CaseLog], place: usize, left_s: Option<f64>) -> Stage {
        let judge = &logs[place].judge;
        match logs[place].round() {
            _ if self.lacks_time(logs, place, left_s).is_some() => Stage::NoTimeForInterval,
            round if round < judge.fewest_rounds() => Stage::Interval,
            round if round < judge.enough_rounds() => Stage::FirstLook,
            _ => Stage::Rest,
        }
    }

    /// What the question of a case needs before its first round, where that is more time than
    /// is left; `None` also where no pilot has measured how long a round is.
    pub(crate) fn lacks_time(
        &self,
        logs: &[CaseLog],
        place: usize,
        left_s: Option<f64>,
    ) -> Option<Needs> {
        let begun = self.together_with(place, logs.len());
        let is_begun = begun.clone().any(|of| logs[of].round() > 0);
        if is_begun || self.neighbour(logs, place).is_none() {
            return None;
        }
        let cases = begun.map(|of| (&logs[of], self.neighbour(logs, of)));
        let seconds = cases.map(|(log, known)| {
            log.judge.fewest_rounds() as f64 * known.map_or(0.0, CaseLog::round_s)
        });
        let needs = Needs {
            rounds: logs[place].judge.fewest_rounds(),
            seconds: seconds.sum(),
        };
        left_s.filter(|&left_s| needs.seconds > left_s)?;
        Some(needs)
    }

    /// The cases that take turns with the one at `place`: those of its question, and the headline
    /// by itself.
    fn together_with(&self, place: usize, cases: usize) -> impl Iterator<Item = usize> + Clone {
        let alone = self.headline == Some(place);
        (0..cases).filter(move |&other| match alone {
            true => other == place,
            false => self.headline != Some(other) && self.questions.are_one(place, other),
        })
    }

    /// The case itself once its pilot was run, or else the last one before it in its question.
    fn neighbour<'a>(&self, logs: &'a [CaseLog], place: usize) -> Option<&'a CaseLog> {
        let before = (self.questions.first(place)..=place).rev();
        let mut of = before.filter(|&other| self.questions.are_one(place, other));
        of.find_map(|other| Some(&logs[other]).filter(|log| log.pilot.is_some()))
    }

    /// Seconds that case `place` needs to get one more round.
    pub(crate) fn next_round_s(&self, logs: &[CaseLog], place: usize) -> f64 {
        if logs[place].pilot.is_some() {
            return logs[place].round_s();
        }
        let neighbour = self.neighbour(logs, place);
        neighbour.map_or(0.0, |other| other.pilot_s() + other.round_s())
    }
}

/// Seconds until the whole study is over if no look decides anything; `None` where that
/// is not known: not all pilots were run, and there is no budget.
pub(crate) fn remaining_s(budget_s: Option<f64>, logs: &[CaseLog]) -> Option<f64> {
    let open = || logs.iter().filter(|log| log.ended.is_none());
    let known = open().all(|log| log.pilot.is_some());
    let all: Option<f64> =
        known.then(|| open().map(|log| log.until_s(log.judge.max_rounds())).sum());
    let left = left_s(budget_s, logs).map(|left_s| left_s.max(0.0));
    match (all, left) {
        (Some(all), Some(left)) => Some(all.min(left)),
        (all, left) => all.or(left),
    }
}
