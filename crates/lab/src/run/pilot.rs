//! The pilot of a case: one slot a variant before the rounds, never a data point (docs/method.md, "Repetitions of a
//! slot" and "Deadlines"). How long is a repetition, so how many fit into a slot; and do all variants prove the same
//! work? Its one cold repetition makes estimates that err on the safe side. W is taken as [`WITHIN`] times B: to know W
//! / B exactly would save 6 % of the rounds of `primes` (T. Kalibera and R. Jones, 2013). Long work is run once and
//! cold. The count is the same for all variants.
//!
//! A budget bounds both. A pilot slot that takes more than half of what is left of it, or of its case's share, is cut,
//! and the case's later pilots are not begun; nor are those after which no round would fit. One that was cut may hang:
//! the next is begun all the same, and where that is cut too, the work is too long. Once a variant has met its
//! deadline, others have a quarter of what is left, or [`PATIENCE`] times what it took, and are then given up. A slot
//! of a round is cut when a quarter of what is left is over, and not before a round could be done twice. The budget can
//! be exceeded by [`LEAST_PILOT_S`] and [`LEAST_SLOT_S`].

use flow::{Answer, Failure};

use crate::data::{Case, Chosen, Outcome, Settings};
use crate::findings::ledger::{CaseLog, is_late, rep_s, slot_s};

/// How long the counted repetitions of a slot should take together, in seconds.
const SLOT_S: f64 = 1.5;
const REPS: u32 = 5;
/// With fewer, single repetitions tell more, as a row is judged by its rounds.
const ROUNDS: f64 = 20.0;
/// The variance of repetitions within a launch over that of launches.
const WITHIN: f64 = 4.0;
/// Deadline of a pilot slot, in seconds, where neither one nor a budget is given.
const PILOT_DEADLINE_S: f64 = 300.0;
const LEAST_DEADLINE_S: f64 = 10.0;
/// A slot that takes this many times what is expected hangs.
const PATIENCE: f64 = 20.0;
/// Seconds that a pilot slot gets, however little is left of a budget.
const LEAST_PILOT_S: f64 = 2.0;
/// Seconds that a slot of a round gets: to be cut makes it a failure, and machines stall.
const LEAST_SLOT_S: f64 = 5.0;

pub(crate) fn of_case(log: &CaseLog, settings: &Settings) -> Chosen {
    let chosen = log.pilot.as_ref().map(|pilot| pilot.chosen);
    chosen.unwrap_or_else(|| pilot_slot(settings, settings.budget_s, &[]))
}

/// A single cold repetition; `left_s`: of a budget, for its case.
pub(crate) fn pilot_slot(settings: &Settings, left_s: Option<f64>, others: &[Outcome]) -> Chosen {
    let met = others.iter().filter(|other| other.answer.done().is_some());
    let slowest_s = met.map(|other| slot_s(other, 1)).reduce(f64::max);
    let patience_s = |left_s: f64| match slowest_s {
        Some(slowest_s) => (left_s / 4.0).max(PATIENCE * slowest_s).min(left_s / 2.0),
        None => left_s / 2.0,
    };
    let most_s = left_s.map(|left_s| patience_s(left_s).max(LEAST_PILOT_S));
    let deadline_s = match (settings.deadline_s, most_s) {
        (Some(asked_s), Some(most_s)) => asked_s.min(most_s),
        (asked_s, most_s) => asked_s.or(most_s).unwrap_or(PILOT_DEADLINE_S),
    };
    Chosen::once(deadline_s)
}

/// What is said of a pilot slot that was cut because of the budget; `None` of one that was not.
pub(crate) fn cut_by_budget(
    settings: &Settings,
    slot: Chosen,
    outcome: &Outcome,
) -> Option<String> {
    let budget_s = settings.budget_s?;
    let by_budget = settings
        .deadline_s
        .is_none_or(|asked_s| slot.deadline_s < asked_s);
    let Answer::Failed { reason, .. } = &outcome.answer else {
        return None;
    };
    // What it said may be the cause: a launcher waits for a rank that has died.
    let said = match reason {
        Failure::Overdue { at, .. } | Failure::Hung { at, .. } if !at.is_empty() => {
            format!("; {at}")
        }
        Failure::Overdue { said, .. } if !said.is_empty() => format!("; it said: {said}"),
        _ => String::new(),
    };
    (reason.is_of_time() && by_budget).then(|| {
        format!(
            "its pilot was cut after {:.1} s: a round would not fit into its part of what is \
             left of the budget of {budget_s} s; allow more (--budget) or ask for less work{said}",
            slot.deadline_s
        )
    })
}

/// Its slots so far took longer than the seconds that are left now, so no round fits.
pub(crate) fn stopped_by_budget(
    settings: &Settings,
    outcomes: &[Outcome],
    left_s: Option<f64>,
) -> Option<String> {
    let (budget_s, left_s) = (settings.budget_s?, left_s?);
    let others = outcomes.iter().filter(|pilot| !is_late(pilot));
    let took_s: f64 = others.map(|pilot| slot_s(pilot, 1)).sum();
    (took_s > left_s).then(|| {
        format!(
            "its pilot was stopped after {took_s:.1} s: a round would not fit into what is left of \
             the budget of {budget_s} s; allow more (--budget) or ask for less work"
        )
    })
}

pub(crate) fn within(slot: Chosen, left_s: Option<f64>, round_s: f64) -> Chosen {
    let most_s = left_s.map(|left_s| (left_s / 4.0).max(2.0 * round_s).max(LEAST_SLOT_S));
    Chosen {
        deadline_s: most_s.map_or(slot.deadline_s, |most_s| slot.deadline_s.min(most_s)),
        ..slot
    }
}

pub(crate) fn choose(
    settings: &Settings,
    case: &Case,
    outcomes: &[Outcome],
    left_s: Option<f64>,
) -> Chosen {
    if settings.simulate.is_some() {
        return Chosen::once(settings.deadline_s.unwrap_or(PILOT_DEADLINE_S));
    }
    let slowest = outcomes.iter().filter_map(rep_s).fold(0.0, f64::max);
    let fitting = (SLOT_S / slowest).clamp(1.0, f64::from(REPS)) as u32;
    let warmups = match case.work.program() {
        Some(program) => program.warmups.unwrap_or(0),
        None => u32::from(fitting > 1 || needs_warm_up(case)),
    };
    let cheapest = cheapest(outcomes, warmups);
    let affordable = affordable(outcomes, warmups, left_s);
    let reps = fitting.min(cheapest).min(affordable);
    let reps = case.reps.unwrap_or(reps).max(1);
    let kept = outcomes.iter().filter(|pilot| !is_late(pilot));
    let expected = kept.map(|pilot| slot_s(pilot, warmups + reps));
    let usual = (PATIENCE * expected.fold(0.0, f64::max)).max(LEAST_DEADLINE_S);
    Chosen {
        warmups,
        reps,
        deadline_s: settings.deadline_s.unwrap_or(usual),
    }
}

fn cheapest(outcomes: &[Outcome], warmups: u32) -> u32 {
    let done = outcomes
        .iter()
        .filter_map(|pilot| Some((rep_s(pilot)?, slot_s(pilot, 1))));
    let (rep_s, launch_s) = done.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let fixed_s = launch_s - rep_s + f64::from(warmups) * rep_s;
    let reps = (WITHIN * fixed_s / rep_s).sqrt().round();
    if reps.is_nan() {
        REPS
    } else {
        reps.clamp(1.0, f64::from(REPS)) as u32
    }
}

fn affordable(outcomes: &[Outcome], warmups: u32, left_s: Option<f64>) -> u32 {
    let round_s = |reps| -> f64 {
        let kept = outcomes.iter().filter(|pilot| !is_late(pilot));
        kept.map(|pilot| slot_s(pilot, warmups + reps)).sum()
    };
    let fits = |reps: &u32| left_s.is_none_or(|left_s| ROUNDS * round_s(*reps) <= left_s);
    (2..=REPS).rev().find(fits).unwrap_or(1)
}

/// Of work that reads what is in the page cache, as long as it stays there.
fn needs_warm_up(case: &Case) -> bool {
    case.work.warms_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Preset;
    use crate::testing::{MEMORY, MS, PROOF};
    use flow::SlotRecord;
    use measure::memory::Reading;

    /// Five launches a slot made a difference of four times undecided in 15 s.
    #[test]
    fn a_slot_has_the_repetitions_that_tell_the_most_for_their_cost() {
        let record = |rep_ms: u64| SlotRecord {
            warmups: Vec::new(),
            reps: vec![crate::testing::rep(rep_ms * MS, PROOF)],
            memory: Reading::Honest(MEMORY),
            timed: None,
            proof: PROOF,
        };
        let pilot = |rep_ms: u64, launch_ms: u64| {
            Outcome::new(Answer::Done(record(rep_ms)), launch_ms * MS)
        };
        let reps = |rep_ms, launch_ms, warmups| cheapest(&[pilot(rep_ms, launch_ms)], warmups);
        assert_eq!(reps(90, 96, 0), 1, "a command");
        assert_eq!(reps(360, 366, 0), 1);
        assert_eq!(reps(2, 8, 0), 3, "a short command");
        assert_eq!(reps(80, 84, 1), 2, "warmed up");
        assert_eq!(reps(1, 10, 1), 5, "a launch costs more than the work");
        assert_eq!(cheapest(&[], 1), REPS);
        // Under load, 14 s had room for five rounds of five launches, and decided nothing.
        let slots = [pilot(50, 400), pilot(55, 400)];
        let affordable = |left_s| affordable(&slots, 0, left_s);
        assert_eq!([None, Some(60.0), Some(14.0)].map(affordable), [5, 5, 1]);
    }

    /// Whatever the word for it: work that makes its own flows is cut by another clock.
    #[test]
    fn a_pilot_that_the_budget_cut_is_told_from_one_that_was_asked_to_be_short() {
        let deadline_s = || "9.0".to_owned();
        let (hung, flows) = (1, 1);
        for reason in [
            Failure::Hung {
                hung,
                flows,
                deadline_s: deadline_s(),
                at: String::new(),
            },
            Failure::Overdue {
                deadline_s: deadline_s(),
                said: "killed by signal 9".to_owned(),
                at: String::new(),
            },
        ] {
            let is_overdue = matches!(reason, Failure::Overdue { .. });
            let outcome = Outcome::new(Answer::failed(reason), 0);
            let mut settings = Settings::usual(Preset::Quick, 1);
            let slot = |settings: &Settings| pilot_slot(settings, settings.budget_s, &[]);
            let said = cut_by_budget(&settings, slot(&settings), &outcome).unwrap();
            assert_eq!(said.contains("it said: killed by signal 9"), is_overdue);
            settings.deadline_s = Some(0.02);
            assert_eq!(slot(&settings).deadline_s, 0.02);
            assert_eq!(cut_by_budget(&settings, slot(&settings), &outcome), None);
        }
    }
}
