//! Which case goes on, and how the seconds of a study are divided over its cases.
//!
//! # Theory
//!
//! A *question* is a case that stands alone, or all cases of a sweep: no point of a sweep is
//! an answer by itself. Questions come in the order of the study. Each gets the rounds up to
//! its first look before the next one begins; what is left then goes to them in the same
//! order. Where there is not enough for every first look, the first questions come first: an
//! answer to one is better than none to all, and studies begin with the question that they
//! are about.
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
//! ledger, so that such a run goes on as if it had never stopped.

use crate::Case;
use crate::ledger::CaseLog;

/// The questions of a study: for each of its cases, the place of the first case of the same
/// question. They are asked for before each slot, and never change.
pub(crate) struct PendingCases(Vec<usize>);

impl PendingCases {
    pub(crate) fn of<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Self {
        let sweep = |case: &'a Case| case.sweep.as_ref().map(|point| &point.sweep);
        let sweeps: Vec<_> = cases.into_iter().map(sweep).collect();
        let first = |(place, own): (usize, &Option<&String>)| match own {
            Some(_) => sweeps.iter().position(|sweep| sweep == own),
            None => Some(place),
        };
        Self(sweeps.iter().enumerate().filter_map(first).collect())
    }

    /// Whether the case at `place` is the first of its question.
    pub(crate) fn begins(&self, place: usize) -> bool {
        self.0[place] == place
    }

    /// Whether two cases are of one question.
    pub(crate) fn are_one(&self, place: usize, other: usize) -> bool {
        self.0[place] == self.0[other]
    }

    /// By what the next case is chosen: the smallest goes on.
    pub(crate) fn precedence(&self, logs: &[CaseLog], place: usize) -> impl Ord + use<> {
        let log = &logs[place];
        let looked = log.round() >= log.judge.first_look();
        let between_rounds = log.within_round() == 0;
        (between_rounds, looked, self.0[place], log.round(), place)
    }

    /// Seconds that case `place` needs to get one more round.
    pub(crate) fn next_round_s(&self, logs: &[CaseLog], place: usize) -> f64 {
        if logs[place].pilot.is_some() {
            return logs[place].round_s();
        }
        let own = self.0[place];
        let mut before = (own..place).rev();
        let neighbour = before.find(|&other| self.0[other] == own && logs[other].pilot.is_some());
        neighbour.map_or(0.0, |other| logs[other].pilot_s() + logs[other].round_s())
    }
}

/// Seconds spent on pilots and slots.
fn spent_s(logs: &[CaseLog]) -> f64 {
    logs.iter().map(|log| log.pilot_s() + log.slots_s()).sum()
}

/// Seconds that are left of a budget: negative where more was spent; `None` without one.
pub(crate) fn left_s(budget_s: Option<f64>, logs: &[CaseLog]) -> Option<f64> {
    budget_s.map(|budget_s| budget_s - spent_s(logs))
}

/// Seconds until the whole study is over if no look decides anything; `None` where that
/// cannot be told: not all pilots were run, and there is no budget.
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
