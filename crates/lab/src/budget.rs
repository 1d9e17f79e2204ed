//! How the seconds of a study are divided over its cases.
//!
//! # Theory
//!
//! All pilots run first, so it is known what a round of each case takes. A case needs the
//! rounds up to its first look; without them it can say nothing. So a case may use all
//! that is left, except what is kept for the first looks of the later ones (with a
//! [`MARGIN`], since a busy machine is slower than its pilots). Where there is not enough
//! for every first look, the first cases come first: an answer to one question is better
//! than none to all, and studies begin with the question that they are about.
//!
//! What was kept and not used is there again for cases that had to stop: they stay open,
//! and go on when the others have had their first looks.
//!
//! Spent time is the sum of the journal's launch times. It is no wall time, so that a run
//! that was taken up again counts what it did and not how long it lay.

use crate::ledger::CaseLog;

/// How many times what it needs is kept for a later case.
const MARGIN: f64 = 1.5;

/// Seconds that case `place` may spend on its slots in all, those already run included.
/// `logs` are those of the whole study, `budget_s` is for all of it.
pub(crate) fn allowance_s(budget_s: f64, logs: &[CaseLog], place: usize) -> f64 {
    let own = &logs[place];
    let spent: f64 = logs.iter().map(|log| log.pilot_s() + log.slots_s()).sum();
    let left = budget_s - spent + own.slots_s();
    let kept: f64 = logs[place + 1..].iter().map(missing_s).sum();
    need_s(own).min(left).max(left - MARGIN * kept)
}

/// Seconds that a case needs to reach its first look.
fn need_s(log: &CaseLog) -> f64 {
    log.judge.first_look() as f64 * log.round_s()
}

/// Seconds that an open case still needs to reach its first look.
fn missing_s(log: &CaseLog) -> f64 {
    match log.ended {
        Some(_) => 0.0,
        None => log.until_s(log.judge.first_look()),
    }
}

/// Seconds until the whole study is over if no look decides anything.
pub(crate) fn remaining_s(budget_s: Option<f64>, logs: &[CaseLog]) -> f64 {
    let open = || logs.iter().filter(|log| log.ended.is_none());
    let all: f64 = open().map(|log| log.until_s(log.judge.max_rounds())).sum();
    let spent: f64 = logs.iter().map(|log| log.pilot_s() + log.slots_s()).sum();
    match budget_s {
        Some(budget_s) => all.min((budget_s - spent).max(0.0)),
        None => all,
    }
}
