//! `flowgauge run`: studies by name or from files, or a cut run taken up again.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lab::{Expectation, Preset, ResumeOverrides, Spread, Study};
use machine::Machine;

use crate::args::{self, Command, RunArgs};
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::result_file::ResultFile;
use crate::session::{self, Session};
use crate::trees;

/// Runs studies and answers.
pub(crate) fn run(args: RunArgs) -> Result<Ending> {
    let mut answer = args.how.answer.clone();
    let (session, results) = match &args.resume {
        Some(folder) => {
            let overrides = ResumeOverrides {
                budget_s: args.how.budget,
                max_rounds: args.how.rounds.map(usize::try_from).transpose()?,
            };
            let session = session::resume(folder, overrides, (&args.how, args.trust))?;
            let results = result_file(session.command())?;
            if answer.expect.is_empty() {
                answer.expect = expectations(session.command());
            }
            answer.check(session.studies())?;
            (session, results)
        }
        None => (begin(&args)?, ResultFile::prepare(None, false)?),
    };
    let mut launcher = SlotLauncher::new(results)?;
    session::carry_out(session, &mut launcher, args.how.watch, &answer)
}

/// What was named, one by one: `primes,workers` are two studies, unless a file has that name.
fn names(words: &[String]) -> Result<Vec<&str>> {
    let is_file = |word: &str| Path::new(word).exists();
    let names = words.iter().flat_map(|word| match is_file(word) {
        true => word.split('\0'),
        false => word.split(','),
    });
    let names: Vec<&str> = names.collect();
    match ::names::repeated(&names) {
        Some(name) => bail!("{name} is named twice: once is enough"),
        None => Ok(names),
    }
}

fn begin(args: &RunArgs) -> Result<Session> {
    session::check_out(&args.how)?;
    let preset = args.preset.into();
    let fitted: Vec<Fitted> = if args.studies.is_empty() {
        lab::builtin_names()
            .map(|name| lab::builtin(name, preset).map(fitted))
            .collect::<Result<_, _>>()?
    } else {
        let names = names(&args.studies)?;
        names
            .iter()
            .map(|name| study(name, preset))
            .collect::<Result<_>>()?
    };
    let left_out: Vec<(String, Vec<String>)> = fitted
        .iter()
        .map(|(study, left_out)| (study.name.clone(), left_out.clone()))
        .collect();
    let studies = fitted.into_iter().map(|(study, _)| study).collect();
    let studies = that_can_run(only(studies, &args.cases)?, &left_out)?;
    let studies = match &args.tree {
        Some(tree) => trees::filled(studies, Some(tree))?,
        None => studies,
    };
    let studies = match args.cold {
        true => trees::cold(studies)?,
        false => studies,
    };
    let settings = session::settings_of(&studies, &args.how, preset)?;
    let mut session = session::begin(studies, settings, &args.how)?;
    for (name, left_out) in &left_out {
        session.leaves_out(name, left_out)?;
    }
    Ok(session)
}

/// The studies with the cases that `--case` names.
fn only(studies: Vec<Study>, names: &[String]) -> Result<Vec<Study>> {
    if names.is_empty() {
        return Ok(studies);
    }
    let cases = || studies.iter().flat_map(|study| &study.cases);
    if let Some(unknown) = names
        .iter()
        .find(|name| !cases().any(|case| case.is_called(name)))
    {
        let known: Vec<&str> = cases().map(|case| case.name.as_str()).collect();
        bail!(
            "--case {unknown}: there is no such case in this preset{}: use {}",
            names::meant(unknown, &known),
            known.join(", ")
        );
    }
    let studies = studies.into_iter();
    Ok(studies.filter_map(|study| study.only(names)).collect())
}

/// The studies without those of which nothing can be run here.
fn that_can_run(studies: Vec<Study>, left_out: &[(String, Vec<String>)]) -> Result<Vec<Study>> {
    let studies: Vec<Study> = studies
        .into_iter()
        .filter(|study| !study.cases.is_empty())
        .collect();
    if studies.is_empty() {
        let why = left_out.iter().flat_map(|(_, why)| why.clone());
        bail!(
            "there is nothing to run: {}",
            why.collect::<Vec<_>>().join("; ")
        );
    }
    Ok(studies)
}

/// A study, and what of it is left out here.
type Fitted = (Study, Vec<String>);

/// A built-in study spread over this machine, without what it has no room for.
fn fitted(study: Study) -> Fitted {
    let machine = Machine::read();
    let (study, mut left_out) =
        Spread::default().over(study.for_cpus(session::cpus(&machine)), &machine);
    let (study, missing) = lab::capacity::equipped(study);
    let (study, no_room) = lab::capacity::fitted(study, &machine);
    left_out.extend(missing.into_iter().chain(no_room));
    (study, left_out)
}

/// What the command of a cut run expected.
fn expectations(command: &[String]) -> Vec<Expectation> {
    let command = args::parsed(command);
    let how = command.as_ref().and_then(Command::how);
    how.map_or_else(Vec::new, |how| how.answer.expect.clone())
}

/// The file that the command of a cut run asked for with `-o`.
fn result_file(command: &[String]) -> Result<ResultFile> {
    let file = args::parsed(command).and_then(|command| match command {
        Command::Study(args) => super::study::output_file(&args),
        _ => None,
    });
    match file {
        Some((file, force)) => ResultFile::prepare(Some(Path::new(&file)), force),
        None => ResultFile::prepare(None, false),
    }
}

/// A study file, or a built-in study by its name.
fn study(name: &str, preset: Preset) -> Result<Fitted> {
    if Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text =
            tidy::input::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        return Ok((lab::study::parse(&text, name, preset)?, Vec::new()));
    }
    Ok(lab::builtin(name, preset).map(fitted)?)
}
