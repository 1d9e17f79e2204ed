//! What every running command does: prepare, run, write the results folder, answer. Here is how a
//! run begins or is taken up again; its other parts have files of their own.

mod asked;
mod carry_out;
mod command_line;
mod folder;
mod write;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use flow::ballast::Held;
use flow::{Ballast, Pages};
use lab::{Header, Journal, Longer, Probe, Settings, Study};
use machine::Machine;

pub(crate) use asked::settings;
pub(crate) use carry_out::carry_out;
pub(crate) use folder::journal_in;
pub(crate) use write::{shown, write_folder};

use crate::args::HowArgs;
use crate::files;
use crate::output;
use crate::results_folder::NewFolder;
use crate::trees;
use command_line::command_line;
use folder::{asked_for, default_folder, fresh_folder, new_folder};

/// A run that can be carried out.
#[derive(Debug)]
pub(crate) struct Session {
    journal: Journal,
    /// The folder, if this run has made it.
    made: Option<NewFolder>,
}

impl Session {
    /// Writes down what of a study is left out on this machine; the answer says it.
    pub(crate) fn leaves_out(&mut self, study: &str, what: &[String]) -> Result<()> {
        for line in what {
            let text = format!("{study}: left out: {line}");
            self.journal.note(&text)?;
        }
        Ok(())
    }

    /// Writes a fenced probe of a study down.
    pub(crate) fn probed(&mut self, study: &str, probe: Probe) -> Result<()> {
        Ok(self.journal.probed(study, probe)?)
    }

    /// What is run.
    pub(crate) fn studies(&self) -> &[Study] {
        &self.journal.header().studies
    }

    /// The command that began the run.
    pub(crate) fn command(&self) -> &[String] {
        &self.journal.header().command
    }
}

/// Begins a run of `studies` in a new results folder, if this machine can run them.
pub(crate) fn begin(studies: Vec<Study>, settings: Settings, how: &HowArgs) -> Result<Session> {
    let machine = Machine::read();
    let studies = studies
        .into_iter()
        .map(|study| study.for_cpus(cpus(&machine)));
    let studies = trees::filled(studies.collect(), None)?;
    trees::check_cold(&studies)?;
    let studies = with_ballast(studies, &settings, &machine)?;
    how.answer.check(&studies)?;
    asked::tell_uncountable(&settings, &machine);
    let now = SystemTime::now();
    let began_unix_s = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let planned = match how.out.as_deref() {
        Some(folder) => asked_for(folder)?,
        None => default_folder(now, &studies),
    };
    let files_on = files::looked_at(&studies, &planned)?;
    let (folder, mut made) = match how.out {
        Some(_) => (planned.clone(), new_folder(&planned)?),
        None => fresh_folder(now, &studies)?,
    };
    let header = Header {
        schema: lab::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        began_unix_s,
        command: command_line(settings.seed),
        settings,
        machine,
        files_on,
        studies,
    };
    let journal = Journal::create(&folder, header)?;
    made.owns(journal.path());
    Ok(Session {
        journal,
        made: Some(made),
    })
}

/// CPUs that the machine lets this process use.
pub(crate) fn cpus(machine: &Machine) -> u32 {
    u32::try_from(machine.usable_cpus()).unwrap_or(u32::MAX)
}

/// The studies with the ballast that was asked for, checked against the machine. Of what is
/// checked, huge pages alone can only be known to be there by having them: where they are
/// not, their variants are left out, and that is said.
fn with_ballast(studies: Vec<Study>, settings: &Settings, machine: &Machine) -> Result<Vec<Study>> {
    let studies: Vec<Study> = match &settings.ballast {
        Some(asked) => studies
            .into_iter()
            .map(|study| lab::ballast::loaded(study, asked))
            .collect(),
        None => studies,
    };
    lab::check(&studies, machine)?;
    let obtained = studies.into_iter().map(|study| {
        let (study, refused) = lab::ballast::obtained(study, had);
        for reason in &refused {
            output::tell(&format!("{}: left out: {reason}", study.name));
        }
        match study.cases.iter().find(|case| case.variants.is_empty()) {
            Some(case) => bail!("{}/{}: {}", study.name, case.name, refused.join("; ")),
            None => Ok(study),
        }
    });
    obtained.collect()
}

/// Whether that ballast can be had here, tried where only trying tells.
fn had(ballast: Ballast) -> Result<(), String> {
    match ballast.pages {
        Pages::Huge => Held::take(ballast)
            .map(drop)
            .map_err(|error| error.to_string()),
        Pages::Small | Pages::Shared | Pages::DontFork => Ok(()),
    }
}

/// Takes up the run in a results folder, for as long as it may last now.
pub(crate) fn resume(folder: &Path, longer: Longer) -> Result<Session> {
    let journal = Journal::resume(&journal_in(folder)?, longer)?;
    lab::check(&journal.header().studies, &Machine::read())?;
    trees::check_cold(&journal.header().studies)?;
    files::looked_at(&journal.header().studies, folder)?;
    for warning in journal.results().warnings {
        output::tell(&format!("warning: {warning}"));
    }
    Ok(Session {
        journal,
        made: None,
    })
}
