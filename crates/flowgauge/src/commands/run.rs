//! `flowgauge run`: studies by name or from files, or a cut run taken up again.

use std::path::Path;

use anyhow::{Context, Result};
use lab::{Preset, Study};
use machine::Machine;

use crate::args::RunArgs;
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::output;
use crate::result_file::ResultFile;
use crate::session::{self, Session};

/// Runs studies and answers.
pub(crate) fn run(args: RunArgs) -> Result<Ending> {
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let session = match &args.resume {
        Some(folder) => session::resume(folder)?,
        None => begin(&args)?,
    };
    session::carry_out(session, &mut launcher, args.how.format)
}

fn begin(args: &RunArgs) -> Result<Session> {
    let preset = args.preset.into();
    let studies = if args.studies.is_empty() {
        lab::builtin_names()
            .map(|name| lab::builtin(name, preset).map(fitted))
            .collect::<Result<_, _>>()?
    } else {
        args.studies
            .iter()
            .map(|name| study(name, preset))
            .collect::<Result<_>>()?
    };
    session::begin(
        studies,
        session::settings(&args.how, preset)?,
        args.how.out.as_deref(),
    )
}

/// A built-in study without what this machine has no room for, which is said.
fn fitted(study: Study) -> Study {
    let (study, left_out) = lab::room::fitted(study, &Machine::read());
    for line in left_out {
        output::tell(&format!("{}: left out: {line}", study.name));
    }
    study
}

/// A study file, or a built-in study by its name.
fn study(name: &str, preset: Preset) -> Result<Study> {
    if Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        return Ok(lab::study::parse(&text, name, preset)?);
    }
    Ok(lab::builtin(name, preset).map(fitted)?)
}
