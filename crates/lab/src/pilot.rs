//! The pilot of a case: one slot a variant, run before the rounds and never a data point.
//!
//! # Theory
//!
//! It answers two questions. How long is a repetition, and so how many fit into a slot; and
//! do all variants prove the same work. Its one repetition is a cold one, so it takes
//! rather more time than those that follow: estimates made from it err on the safe side.
//!
//! A slot should take about a second and a half: short work is repeated five times after a warm-up
//! (the median of five loses the odd disturbed one), long work once and cold, because its
//! first repetition takes what the others take, and time is better spent on more slots.
//! The count is the same for all variants of a case, chosen by the slowest.

use flow::Outcome;
use workload::Work;

use crate::{Case, Settings};

/// How long the counted repetitions of a slot should take together, in seconds.
const SLOT_S: f64 = 1.5;
/// Repetitions of short work.
const REPS: u32 = 5;
/// Deadline of a pilot slot, in seconds, where neither it nor a budget is given.
const PILOT_DEADLINE_S: f64 = 300.0;
/// A deadline is never shorter than this, in seconds.
const LEAST_DEADLINE_S: f64 = 10.0;
/// A slot that takes so many times what is expected hangs.
const PATIENCE: f64 = 20.0;

/// What the pilot of a case chose for its slots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// Warm-ups in each slot.
    pub warmups: u32,
    /// Repetitions in each slot.
    pub reps: u32,
    /// Deadline of each slot, in seconds.
    pub deadline_s: f64,
}

/// The pilot itself: a single cold repetition. One that takes longer than the whole study
/// may is of no use.
pub(crate) fn pilot_slot(settings: &Settings) -> Chosen {
    let budget_s = settings.budget_s.map(|budget| budget.max(LEAST_DEADLINE_S));
    let usual = budget_s.unwrap_or(PILOT_DEADLINE_S);
    Chosen {
        warmups: 0,
        reps: 1,
        deadline_s: settings.deadline_s.unwrap_or(usual),
    }
}

/// What the outcomes of a pilot, one a variant, mean for the slots of the case.
pub(crate) fn choose(settings: &Settings, case: &Case, outcomes: &[Outcome]) -> Chosen {
    let slowest = outcomes.iter().filter_map(rep_s).fold(0.0, f64::max);
    let fitting = (SLOT_S / slowest).clamp(1.0, f64::from(REPS)) as u32;
    let reps = case.reps.unwrap_or(fitting).max(1);
    let warmups = u32::from(fitting > 1 || needs_warm_up(case));
    let expected = outcomes.iter().map(|pilot| slot_s(pilot, warmups + reps));
    let usual = (PATIENCE * expected.fold(0.0, f64::max)).max(LEAST_DEADLINE_S);
    Chosen {
        warmups,
        reps,
        deadline_s: settings.deadline_s.unwrap_or(usual),
    }
}

/// Whether a cold repetition would be another one, however long it takes: of work that reads
/// what is in the page cache, as long as it stays there.
fn needs_warm_up(case: &Case) -> bool {
    matches!(&case.work, Work::Search(search) if !search.cold)
}

/// Seconds that a slot of so many repetitions should take, from its variant's pilot.
pub(crate) fn slot_s(pilot: &Outcome, repetitions: u32) -> f64 {
    let further = f64::from(repetitions.saturating_sub(1));
    pilot.launch_ns as f64 / 1e9 + further * rep_s(pilot).unwrap_or(0.0)
}

/// Seconds that the pilot's repetition took; `None` if it failed.
fn rep_s(pilot: &Outcome) -> Option<f64> {
    let record = pilot.answer.done()?;
    record.reps.first().map(|rep| rep.total_ns() as f64 / 1e9)
}
