//! What a load of a server counted beside its times, and the highest rate that meets a bound.
//!
//! A generator that takes most of a CPU, or sends late, measures itself: both are said.

use workload::Work;

use super::CaseResult;
use crate::number::plain;

/// Rounds with a p99 that are needed before a rate is said to meet a bound.
const LEAST_ROUNDS: usize = 6;

/// What is said of the servers of a study, case by case and then of all rates.
#[must_use]
pub fn load_in_words(cases: &[CaseResult]) -> Vec<String> {
    let served: Vec<&CaseResult> = cases
        .iter()
        .filter(|case| matches!(case.case.work, Work::Served(_)))
        .collect();
    let each = served.iter().flat_map(|case| {
        let variants = case.case.variants.iter().enumerate();
        variants.filter_map(|(at, variant)| {
            let (name, label) = (&case.case.name, &variant.label);
            Some(format!("load of {name}, {label}: {}", of_load(case, at)?))
        })
    });
    highest_rates(&served).into_iter().chain(each).collect()
}

/// The highest rate of each variant that meets the bound, where there is one.
fn highest_rates(cases: &[&CaseResult]) -> Vec<String> {
    let Some(first) = cases.first() else {
        return Vec::new();
    };
    let bound = |at: usize| match first.case.work_of(at) {
        Work::Served(served) => served.slo_p99_s,
        _ => None,
    };
    let variants = first.case.variants.iter().enumerate();
    variants
        .filter_map(|(at, variant)| {
            let said = highest(cases, at, bound(at)?);
            Some(format!("{}: {said}", variant.label))
        })
        .collect()
}

/// What was counted by name in the good slots of a variant.
fn counted(case: &CaseResult, at: usize, name: &str) -> Vec<u64> {
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    let reps = slots
        .filter_map(|slot| slot.outcome.answer.done())
        .flat_map(|record| &record.reps);
    let own = reps.filter_map(|rep| rep.self_managed.as_deref());
    own.filter_map(|own| own.counts.get(name).copied())
        .collect()
}

/// Errors, timeouts, lateness and the CPU share of the load generator.
fn of_load(case: &CaseResult, at: usize) -> Option<String> {
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    let reps = slots
        .filter_map(|slot| slot.outcome.answer.done())
        .flat_map(|record| &record.reps);
    let steady: u64 = reps.map(|rep| rep.steady_ns).sum();
    if steady == 0 {
        return None;
    }
    let sum = |name: &str| counted(case, at, name).iter().sum::<u64>();
    // Not every tool counts all of them.
    let named = [
        ("errors", "errors"),
        ("timeouts", "timeouts"),
        ("unsent", "not sent"),
        ("refused", "connections refused"),
    ];
    let known = named
        .into_iter()
        .filter(|(name, _)| !counted(case, at, name).is_empty());
    let known: Vec<String> = known
        .map(|(name, word)| format!("{} {word}", plain(sum(name) as f64)))
        .collect();
    let share = 100.0 * sum("load_cpu_ns") as f64 / steady as f64;
    let lateness = counted(case, at, "lateness_p99_ns").into_iter().max();
    let late = lateness.filter(|&ns| ns > 0).map_or(String::new(), |ns| {
        format!(
            ", p99 of its lateness at worst {}",
            crate::number::time(ns as f64)
        )
    });
    Some(format!(
        "{}; the generator used {share:.0} % of one CPU{late}",
        known.join(", ")
    ))
}

/// The highest rate at which every rate up to it meets the bound in every round.
fn highest(cases: &[&CaseResult], at: usize, bound_s: f64) -> String {
    let rates = cases.iter().filter_map(|case| {
        let rate = case.case.sweep.as_ref()?.value;
        Some((rate, meets(case, at, bound_s)))
    });
    let met = rates.take_while(|(_, met)| *met).last();
    let bound = format!("p99 of at most {} ms in every round", plain(bound_s * 1e3));
    match met {
        Some((rate, _)) => format!(
            "{} requests a second is the highest of these rates with a {bound}",
            plain(rate)
        ),
        None => format!("no rate of these had a {bound} (at least {LEAST_ROUNDS} rounds)"),
    }
}

/// Whether every round of a variant met the bound.
fn meets(case: &CaseResult, at: usize, bound_s: f64) -> bool {
    let own = || case.slots.iter().filter(|slot| slot.variant == at);
    let met = own().all(|slot| slot.value_ns.is_some_and(|ns| ns <= bound_s * 1e9));
    met && own().count() >= LEAST_ROUNDS
}
