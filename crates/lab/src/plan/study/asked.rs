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
//! many threads) has the points of all of them; at each, those models that were asked for there.

mod cases;
mod parameters;
mod sweeps;
mod variants;

use std::collections::BTreeMap;

use flow::Model;
use machine::Machine;
use serde_json::Value;

use super::command::{Command, Flag, Given, OfRun, OfSpread, Sets};
use crate::Spread;
use crate::data::{Case, Study, Topology};
use crate::plan::capacity;

/// What was given, by the names of the flags.
pub type GivenFlags = BTreeMap<String, Given>;

/// A study as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What is run.
    pub study: Study,
    /// What of it is left out here, and why.
    pub left_out: Vec<String>,
    /// What flags do that one might not expect of them.
    pub notes: Vec<String>,
    /// The file for the results of the work.
    pub output: Option<String>,
    /// Whether that file may be overwritten.
    pub force: bool,
    /// Whether workers say what they do, before the run.
    pub verbose: bool,
}

/// The flags of a command and what was given for them.
#[derive(Debug, Clone, Copy)]
struct Flags<'a> {
    command: &'a Command,
    given: &'a GivenFlags,
}

impl<'a> Flags<'a> {
    /// Those that were given or have a default, with what.
    fn all(self) -> impl Iterator<Item = (&'a Flag, &'a Given)> {
        let flags = self.command.flags.iter();
        flags.filter_map(move |flag| Some((flag, self.given.get(&flag.name)?)))
    }

    /// Those that set something of a kind.
    fn setting(self, sets: &Sets) -> impl Iterator<Item = (&'a Flag, &'a Given)> + use<'a> {
        let sets = sets.clone();
        self.all().filter(move |(flag, _)| flag.sets == sets)
    }

    fn has(self, of: OfRun) -> bool {
        self.setting(&Sets::Run(of)).next().is_some()
    }
}

/// The study that a command line asks for on a machine.
///
/// # Errors
/// What is asked for cannot be: the message names the flag.
pub fn asked(
    study: Study,
    command: &Command,
    given: &GivenFlags,
    machine: &Machine,
) -> Result<Asked, String> {
    let flags = Flags { command, given };
    check_lists(flags)?;
    let mut notes = Vec::new();
    let mut cases = cases::chosen(&study, flags)?;
    for case in &mut cases {
        variants::set(case, flags, &mut notes)?;
    }
    parameters::set(&mut cases, flags, &mut notes)?;
    let cases = sweeps::set(cases, flags, machine)?;
    notes.extend(without_effect(&cases, flags));
    let study = with_headline(study, cases::named(cases, command)?);
    let study = alone_along(study, flags);
    let (study, mut left_out) = spread(flags)?.over(study, machine);
    let (study, missing) = capacity::equipped(study);
    left_out.extend(missing);
    let wanted = study.cases.len();
    let (study, no_room) = capacity::fitted(study, machine);
    if study.cases.is_empty() || (!no_room.is_empty() && !flags.all().any(|(_, g)| g.in_range)) {
        let why = if no_room.is_empty() {
            &left_out
        } else {
            &no_room
        };
        return Err(match wanted {
            0 => format!("there is nothing to run: {}", why.join("; ")),
            _ => why.join("\n"),
        });
    }
    left_out.extend(no_room);
    let output = flags.setting(&Sets::Run(OfRun::Output)).next();
    if let Some((flag, _)) = output.filter(|_| study.cases.len() > 1) {
        return Err(format!(
            "{0} keeps the results of one size, and a sweep has {1}: name one value, or leave out \
             {0}",
            flag.written(),
            study.cases.len()
        ));
    }
    Ok(Asked {
        output: output.map(|(_, given)| given.shown.clone()),
        force: flags.has(OfRun::Force),
        verbose: flags.has(OfRun::Verbose),
        study,
        left_out,
        notes,
    })
}

/// A line for each flag that is about models of which none is run.
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

/// The study with these cases. Where its headline is none of them, the first one is, or the middle
/// of its points where that is a point of a sweep.
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

/// Each value of a list once.
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

/// A value without quotes.
fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The study without the cases that have their flows nowhere along the machine, where a way is
/// asked for.
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
fn spread(flags: Flags<'_>) -> Result<Spread, String> {
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

/// A number of flows that there can be.
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

/// Whether a case is one of those that are written under a name.
fn is_written_as(case: &Case, name: &str) -> bool {
    case.is_called(name)
}

#[cfg(test)]
#[path = "asked/tests.rs"]
mod tests;
