//! At which level each comparison of a run is judged, as the number that it is divided by
//! (docs/method.md, "The answers of a run together"): **rows** by Holm's procedure
//! ([`stats::shares`]), at looks too ([`shares_of_rows`]): shares only grow, and a decided row
//! stays so; **everything behind them** by [`stats::discoveries`], never less strictly than the m
//! comparisons of its own case need. A case with fewer rounds than any interval takes counts among
//! no others (P. Gilbert, "A modified false discovery rate multiple-comparisons procedure for
//! discrete data", 2005).

use serde::{Deserialize, Serialize};
use stats::{LOOK_ALPHA, PLAN_ALPHA, discoveries, rounds_for_interval, shares};

use super::headline_place;
use crate::data::Study;
use crate::findings::ledger::{At, CaseLog, Ledger};

/// What a finding is in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Role {
    /// It belongs to a row of the first screen: this many answers of the run share 5 %.
    Headline {
        /// Answers of the run.
        answers: usize,
    },
    /// One of many comparisons behind the rows: of those that name a difference, 5 % may be false.
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
    pub(super) comparisons: usize,
}

pub(super) fn levels(ledger: &Ledger) -> Vec<Vec<Level>> {
    let shares = shares_of_rows(ledger);
    let studies = ledger.logs.iter().enumerate();
    let of_study = |(study, logs): (usize, &Vec<CaseLog>)| {
        let own = shares.iter().filter(|(at, _)| at.study == study);
        let own: Vec<(usize, usize)> = own.map(|(at, share)| (at.case, *share)).collect();
        of_study(logs, &own, shares.len())
    };
    studies.map(of_study).collect()
}

/// The rows of a run that compare something, each with the number that its level is divided by.
pub(crate) fn shares_of_rows(ledger: &Ledger) -> Vec<(At, usize)> {
    let rows = ledger.header.rows().into_iter().enumerate();
    let rows = rows.flat_map(|(study, rows)| {
        let head = head(&ledger.header.studies[study], &ledger.logs[study]);
        let rows = rows.into_iter().map(move |row| match head {
            Some((named, head)) if named == row => head,
            _ => row,
        });
        rows.map(move |case| At { study, case })
    });
    let rows: Vec<At> = rows.filter(|at| ledger.at(*at).judge.compares()).collect();
    let p_values: Vec<f64> = rows.iter().map(|at| smallest(ledger.at(*at))).collect();
    let divided = shares(rows.len(), |i, k| p_values[i] <= PLAN_ALPHA / k as f64);
    rows.into_iter().zip(divided).collect()
}

/// The headline, and the case that answers in its stead where it has too few rounds.
fn head(study: &Study, logs: &[CaseLog]) -> Option<(usize, usize)> {
    let rounds = logs.iter().map(|log| log.judge.full_rounds());
    let answers = headline_place(study, &rounds.collect::<Vec<_>>())?;
    let named = study
        .cases
        .iter()
        .position(|case| case.name == study.headline);
    Some((named?, answers))
}

fn smallest(log: &CaseLog) -> f64 {
    let p_values = log.judge.p_values().into_iter().flatten();
    let smallest = p_values.fold(1.0, f64::min);
    (smallest * log.judge.pairs() as f64).min(1.0)
}

fn of_study(logs: &[CaseLog], rows: &[(usize, usize)], answers: usize) -> Vec<Level> {
    let share = |place: usize| rows.iter().find(|(row, _)| *row == place);
    let others = logs
        .iter()
        .enumerate()
        .filter(|(place, _)| share(*place).is_none());
    let fewest = rounds_for_interval(LOOK_ALPHA).unwrap_or(0);
    let can_differ = others.filter(|(_, log)| log.judge.rounds() >= fewest);
    let p_values = can_differ.flat_map(|(_, log)| log.judge.p_values());
    let p_values: Vec<f64> = p_values.map(|p| p.unwrap_or(1.0)).collect();
    let found = discoveries(&p_values, PLAN_ALPHA);
    let shared_by = p_values.len().div_ceil(found.max(1)).max(1);
    let level = |(place, log): (usize, &CaseLog)| {
        let pairs = log.judge.pairs();
        match share(place) {
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
