//! The cases that flags ask for, made out of those that the study has.
//!
//! # Theory
//!
//! Flags change a study that has been read, never its text: what comes out is checked as any
//! other study, and an error names the flag. They are laid on in a fixed order, each step over
//! what the one before left: which cases; which variants of them, on which CPUs, how many
//! flows; which parameters of the work; which points of sweeps; names.
//!
//! **Several values of a parameter** are a sweep. Where the command runs a case that is swept
//! over it, that one gets the values as its points. Where it runs none, the study's cases that
//! are swept over it take the place of those that are not swept. Other cases keep their value,
//! brought into the range of what was asked for.
//!
//! **A parameter of which each kind of flow has its own values** (workers: this many processes, so
//! many threads) has the points of all of them; at each, those models that were asked for there. The
//! same holds for several numbers of flows (`counts`).

mod cases;
mod counts;
mod parameters;
mod sweeps;
mod variants;

pub(crate) use parameters::set_work;

use std::collections::BTreeMap;

use flow::Model;
use machine::Machine;
use serde_json::Value;

use super::command::{Command, Flag, Given, OfRun, OfSpread, Sets};
use crate::Spread;
use crate::data::{Case, Study, Topology};

/// What was given, by the names of the flags.
pub type GivenFlags = BTreeMap<String, Given>;

/// The flags of a command and what was given for them.
#[derive(Debug, Clone, Copy)]
pub struct Flags<'a> {
    /// The command.
    pub command: &'a Command,
    /// What was given.
    pub given: &'a GivenFlags,
}

impl<'a> Flags<'a> {
    /// Given or with a default.
    fn all(self) -> impl Iterator<Item = (&'a Flag, &'a Given)> {
        let flags = self.command.flags.iter();
        flags.filter_map(move |flag| Some((flag, self.given.get(&flag.name)?)))
    }

    fn setting(self, sets: &Sets) -> impl Iterator<Item = (&'a Flag, &'a Given)> + use<'a> {
        let sets = sets.clone();
        self.all().filter(move |(flag, _)| flag.sets == sets)
    }

    /// What was given for the flag that sets this of the run.
    #[must_use]
    pub fn of_run(self, of: OfRun) -> Option<&'a Given> {
        self.setting(&Sets::Run(of)).next().map(|(_, given)| given)
    }

    /// The models that were named, or else those that the file names.
    #[must_use]
    pub fn models(self) -> Vec<Model> {
        let given = self.setting(&Sets::Models);
        let words = given.flat_map(|(_, given)| given.values.iter().filter_map(Value::as_str));
        words.filter_map(|word| word.parse().ok()).collect()
    }

    /// Whether any numbers stand in a range, and were not named one by one.
    pub(crate) fn are_in_range(self) -> bool {
        self.all().any(|(_, given)| given.in_range)
    }

    /// That a file for the results of the work is asked for where there is one size of it.
    pub(crate) fn check_output(self, study: &Study) -> Result<(), String> {
        let output = self.setting(&Sets::Run(OfRun::Output)).next();
        match output.filter(|_| study.cases.len() > 1) {
            Some((flag, _)) => Err(format!(
                "{0} keeps the results of one size, and a sweep has {1}: name one value, or leave \
                 out {0}",
                flag.written(),
                study.cases.len()
            )),
            None => Ok(()),
        }
    }
}

/// The study that a command line asks for, before it is laid out on the machine. What flags do that
/// one might not expect of them is added to `notes`.
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

/// No value twice.
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

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Without cases that have no place along the requested way.
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

/// How the study is spread over the machine.
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

fn flow_count(flag: &Flag, value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| {
        format!(
            "{} {}: too large: the maximum is {}",
            flag.written(),
            text_of(value),
            u32::MAX
        )
    })
}

fn is_written_as(case: &Case, name: &str) -> bool {
    case.is_called(name)
}

#[cfg(test)]
#[path = "asked/tests.rs"]
mod tests;
