//! The cases that flags ask for, made from those of a study file. They are
//! checked as any other, and an error names the flag. In a fixed order: which cases; variants,
//! CPUs, numbers of flows; parameters of the work; points of sweeps; names.
//!
//! **Several values of a parameter** are the points of cases swept over it. If the command runs
//! none, the study's swept cases replace those that are not; other cases keep their value, brought
//! into the range. **A parameter with values for each kind of flow**, as several numbers of flows
//! (`counts`), has the points of all; at each, the models asked for there.

mod cases;
mod counts;
mod flags;
mod parameters;
mod sweeps;
mod variants;

pub use flags::{Flags, GivenFlags};
pub(crate) use parameters::set_work;

use flags::{flow_count, text_of};

use flow::Model;
use machine::Machine;
use serde_json::Value;

use super::command::{OfSpread, Sets};
use crate::Spread;
use crate::data::{Case, Study, Topology};

/// Before it is laid out on the machine. `notes`: what flags do unexpectedly.
pub(crate) fn asked(
    study: Study,
    flags: Flags<'_>,
    machine: &Machine,
    notes: &mut Vec<String>,
) -> Result<Study, String> {
    check_lists(flags)?;
    let mut cases = Vec::new();
    for case in cases::chosen(&study, flags)? {
        cases.extend(counts::set(case, flags, notes)?);
    }
    parameters::set(&mut cases, flags, notes)?;
    let cases = sweeps::set(cases, flags, machine)?;
    notes.extend(without_effect(&cases, flags));
    let study = with_headline(study, cases::named(cases, flags.command)?);
    Ok(alone_along(study, flags))
}

fn without_effect(cases: &[Case], flags: Flags<'_>) -> Vec<String> {
    let models: Vec<Model> = cases
        .iter()
        .flat_map(|case| &case.variants)
        .map(|labelled| labelled.variant.model)
        .collect();
    let given = flags.all().filter(|(_, given)| !given.is_default);
    let idle = given.filter(|(flag, _)| {
        flag.of
            .is_some_and(|class| !models.iter().any(|&model| class.has(model)))
    });
    idle.map(|(flag, _)| {
        format!(
            "--{} has no effect: no model that it is about is run",
            flag.name
        )
    })
    .collect()
}

/// Without its headline, the first case is it, or the middle of a sweep.
fn with_headline(study: Study, cases: Vec<Case>) -> Study {
    let is_there = cases.iter().any(|case| case.name == study.headline);
    let sweep = |case: &Case| case.sweep.as_ref().map(|point| point.sweep.clone());
    let of_first = cases.first().and_then(sweep);
    let points = cases
        .iter()
        .take_while(|case| sweep(case) == of_first)
        .count();
    let place = if of_first.is_some() { points / 2 } else { 0 };
    let headline = match cases.get(place) {
        Some(case) if !is_there => case.name.clone(),
        _ => study.headline,
    };
    Study {
        headline,
        cases,
        ..study
    }
}

fn check_lists(flags: Flags<'_>) -> Result<(), String> {
    for (flag, given) in flags.all() {
        let values = &given.values;
        let twice = (1..values.len()).find(|&at| values[..at].contains(&values[at]));
        if let Some(at) = twice {
            return Err(format!(
                "--{} names {} twice: once is enough",
                flag.name,
                text_of(&values[at])
            ));
        }
    }
    Ok(())
}

fn alone_along(study: Study, flags: Flags<'_>) -> Study {
    let mut along = flags.setting(&Sets::Spread(OfSpread::Along));
    if !along.any(|(_, given)| !given.is_default) {
        return study;
    }
    let cases = study
        .cases
        .iter()
        .filter(|case| crate::plan::scaling::is_template(case));
    let cases = cases.cloned().collect();
    study.with_cases(cases)
}

pub(crate) fn spread(flags: Flags<'_>) -> Result<Spread, String> {
    let mut spread = Spread::default();
    for (flag, given) in flags.all() {
        match flag.sets {
            Sets::Spread(OfSpread::Grid) => spread.grid = true,
            Sets::Spread(OfSpread::Along) => {
                let words = given.values.iter().filter_map(Value::as_str);
                let way = |word| Topology::EVERY.into_iter().find(|way| way.word() == word);
                spread.along = words.filter_map(way).collect();
            }
            Sets::Spread(OfSpread::Flows) => {
                let flows = given.values.iter().map(|value| flow_count(flag, value));
                spread.flows = Some(flows.collect::<Result<_, _>>()?);
            }
            _ => {}
        }
    }
    Ok(spread)
}

#[cfg(test)]
#[path = "asked/tests.rs"]
mod tests;
