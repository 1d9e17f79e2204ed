//! At which level each comparison of a run is judged.
//!
//! # Theory
//!
//! A run has two kinds of answers, and the 5 % means something else for each:
//!
//! * **Headlines**, one case a study: all of a run together are wrong in at most 5 % of runs.
//!   Each case is measured at 1/S of the level and judged by Holm's procedure
//!   ([`stats::shares`]), which gives what the clear ones do not need to the others.
//! * **Everything behind them** is exploratory: of the differences that a study names there, at
//!   most 5 % are false on average ([`stats::discoveries`]). No comparison is judged less
//!   strictly than the m comparisons of its own case need. A case with fewer rounds than any
//!   interval takes cannot name a difference, whatever they say, so it counts among no others
//!   (P. Gilbert, "A modified false discovery rate multiple-comparisons procedure for discrete
//!   data", 2005): a budget that ends early costs those that were measured nothing.
//!
//! Both are divisions of one level by a number of comparisons, so what comes out is that number
//! for each case. A journal from before this was so is judged as it was: each case has 5 % of
//! its own.

use serde::{Deserialize, Serialize};
use stats::{LOOK_ALPHA, PLAN_ALPHA, discoveries, rounds_for_interval, shares};

use super::headline_place;
use crate::data::Study;
use crate::findings::ledger::{CaseLog, Ledger};

/// What a finding is in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Role {
    /// Its case has 5 % of its own, whatever else the run holds.
    #[default]
    Alone,
    /// It belongs to a headline answer: this many answers of the run share 5 %.
    Headline {
        /// Headline answers of the run.
        answers: usize,
    },
    /// It is one of many comparisons behind the headline: of those that name a difference, at most
    /// 5 % are false on average.
    Exploratory {
        /// Such comparisons of the study.
        comparisons: usize,
        /// How many of them name a difference.
        discoveries: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) role: Role,
    /// Sharing the level.
    pub(super) comparisons: usize,
}

pub(super) fn levels(ledger: &Ledger) -> Vec<Vec<Level>> {
    let studies = || ledger.header.studies.iter().zip(&ledger.logs);
    if !ledger.header.settings.together {
        let alone = |log: &CaseLog| Level {
            role: Role::Alone,
            comparisons: log.judge.pairs(),
        };
        return studies()
            .map(|(_, logs)| logs.iter().map(alone).collect())
            .collect();
    }
    let heads: Vec<Option<usize>> = studies().map(|(study, logs)| head(study, logs)).collect();
    let answers: Vec<&CaseLog> = studies()
        .zip(&heads)
        .filter_map(|((_, logs), head)| logs.get((*head)?))
        .collect();
    let p_values: Vec<f64> = answers.iter().map(|log| smallest(log)).collect();
    let divided = shares(answers.len(), |i, k| p_values[i] <= PLAN_ALPHA / k as f64);
    let mut divided = divided.into_iter();
    studies()
        .zip(heads)
        .map(|((_, logs), head)| {
            let share = head.and_then(|_| divided.next());
            of_study(logs, head.zip(share), answers.len())
        })
        .collect()
}

/// If it has anything to compare.
fn head(study: &Study, logs: &[CaseLog]) -> Option<usize> {
    let rounds = logs.iter().map(|log| log.judge.full_rounds());
    let place = headline_place(study, &rounds.collect::<Vec<_>>())?;
    (study.cases[place].variants.len() > 1).then_some(place)
}

/// For all comparisons of the case together.
fn smallest(log: &CaseLog) -> f64 {
    let p_values = log.judge.p_values().into_iter().flatten();
    let smallest = p_values.fold(1.0, f64::min);
    (smallest * log.judge.pairs() as f64).min(1.0)
}

/// `headline`: its place, and the divisor of its level.
fn of_study(logs: &[CaseLog], headline: Option<(usize, usize)>, answers: usize) -> Vec<Level> {
    let is_head = |place: usize| headline.is_some_and(|(head, _)| head == place);
    let others = logs
        .iter()
        .enumerate()
        .filter(|(place, _)| !is_head(*place));
    let fewest = rounds_for_interval(LOOK_ALPHA).unwrap_or(0);
    let can_differ = others.filter(|(_, log)| log.judge.rounds() >= fewest);
    let p_values = can_differ.flat_map(|(_, log)| log.judge.p_values());
    let p_values: Vec<f64> = p_values.map(|p| p.unwrap_or(1.0)).collect();
    let found = discoveries(&p_values, PLAN_ALPHA);
    let shared_by = p_values.len().div_ceil(found.max(1)).max(1);
    let level = |(place, log): (usize, &CaseLog)| {
        let pairs = log.judge.pairs();
        match headline.filter(|_| is_head(place)) {
            Some((_, share)) => Level {
                role: Role::Headline { answers },
                comparisons: pairs * share,
            },
            None => Level {
                role: Role::Exploratory {
                    comparisons: p_values.len(),
                    discoveries: found,
                },
                comparisons: pairs.max(shared_by),
            },
        }
    };
    logs.iter().enumerate().map(level).collect()
}
