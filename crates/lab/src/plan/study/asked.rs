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

use flags::flow_count;

use flow::Model;
use machine::Machine;
use serde_json::Value;

use super::command::{Flag, OfSpread, Sets, text_of};
use crate::Spread;
use crate::data::{Case, Study, Topology};
use crate::plan::scaling::is_template;

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
    let variants = cases.iter().flat_map(|case| &case.variants);
    let models: Vec<Model> = variants.map(|one| one.variant.model).collect();
    let is_idle = |flag: &Flag| flag.of.is_some() && !models.iter().any(|&one| flag.is_about(one));
    let idle = flags
        .all()
        .filter(|(flag, given)| !given.is_default && is_idle(flag));
    let said = |name: &str| format!("--{name} has no effect: no model that it is about is run");
    idle.map(|(flag, _)| said(&flag.name)).collect()
}

/// Without its headline, the first case is it, or the middle of a sweep.
fn with_headline(study: Study, cases: Vec<Case>) -> Study {
    let is_there = cases.iter().any(|case| case.name == study.headline);
    let sweep = |case: &Case| case.sweep.as_ref().map(|point| point.sweep.clone());
    let of_first = cases.first().and_then(sweep);
    let all = cases.iter();
    let points = all.take_while(|case| sweep(case) == of_first).count();
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
    let mut all = flags.all();
    all.try_for_each(|(flag, given)| flag.names_once(&given.values))
}

fn alone_along(study: Study, flags: Flags<'_>) -> Study {
    let mut along = flags.setting(&Sets::Spread(OfSpread::Along));
    if !along.any(|(_, given)| !given.is_default) {
        return study;
    }
    let cases = study.cases.iter().filter(|case| is_template(case));
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
mod tests;
