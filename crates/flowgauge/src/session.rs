//! What every running command does: prepare, run, write the results folder, answer. Here is how a
//! run begins or is taken up again; its other parts have files of their own.

mod asked;
mod carry_out;
mod command_line;
mod folder;
mod stranger;
mod write;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail, ensure};
use flow::parent_memory::HeldParentMemory;
use flow::{Pages, ParentMemory};
use lab::{Header, Journal, Probe, ResumeOverrides, Settings, Study};
use machine::Machine;

pub(crate) use asked::{settings, settings_of};
pub(crate) use carry_out::carry_out;
pub(crate) use folder::journal_in;
pub(crate) use write::{shown, write_folder};

use crate::args::HowArgs;
use crate::files;
use crate::output;
use crate::preload;
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
    /// Whether everything is printed.
    verbose: bool,
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

    /// The journal's file.
    pub(crate) fn journal_path(&self) -> PathBuf {
        self.journal.path().to_owned()
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

/// Whether the folder that is asked for can be one of results: to be asked before anything that takes
/// long, such as a walk through a tree.
pub(crate) fn check_out(how: &HowArgs) -> Result<()> {
    how.out.as_deref().map_or(Ok(()), asked_for)
}

/// Begins a run of `studies` in a new results folder, if this machine can run them.
pub(crate) fn begin(studies: Vec<Study>, settings: Settings, how: &HowArgs) -> Result<Session> {
    crate::launch::proc_is_there()?;
    check_out(how)?;
    if cfg!(debug_assertions) {
        output::tell(
            "This is a debug build: flows and their work are slower than in a release build",
        );
    }
    let machine = machine(&settings);
    let studies = studies.into_iter();
    let studies = studies.map(|study| along_axes(study, &settings, &machine));
    let (studies, unfit) = simulated(studies.collect(), &settings)?;
    let studies = trees::filled(studies, None)?;
    trees::check_cold(&studies)?;
    let (studies, mut refused) = with_parent_memory(studies, &settings, &machine, had)?;
    let studies = studies.into_iter().map(|study| {
        let (study, reasons) = preload::what_is_here(study, &settings)?;
        refused.push((study.name.clone(), reasons));
        Ok(lab::with_rounds_for_intervals(study))
    });
    let studies: Vec<Study> = studies.collect::<Result<_>>()?;
    how.answer.check(&studies)?;
    asked::tell_uncountable(&settings, &machine);
    let now = SystemTime::now();
    let began_unix_s = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let planned = match how.out.as_deref() {
        Some(folder) => folder.to_owned(),
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
    let mut session = Session {
        journal,
        made: Some(made),
        verbose: how.verbose,
    };
    for (study, reasons) in unfit.iter().chain(&refused) {
        session.leaves_out(study, reasons)?;
    }
    if let Some(note) = asked::policy_without_effect(session.studies()) {
        session.journal.note(&note)?;
    }
    Ok(session)
}

/// The study for the CPUs of the machine, with a variant for each value of the axes that are asked
/// for.
fn along_axes(study: Study, settings: &Settings, machine: &Machine) -> Study {
    let study = study.for_cpus(cpus(machine));
    let study = lab::with_allocators(study, &settings.allocators);
    let study = lab::with_heap_pages(study, &settings.heap_pages);
    lab::with_memory_policies(study, &settings.memory_policies)
}

/// The machine that a run is planned for: this one, or this one with the cores of a simulated one.
pub(crate) fn machine(settings: &Settings) -> Machine {
    lab::simulated::on(Machine::read(), settings.simulate.as_deref())
}

/// The studies with their cases on the simulated machine, if there is one, and what is left out.
fn simulated(studies: Vec<Study>, settings: &Settings) -> Result<(Vec<Study>, Vec<Refused>)> {
    let Some(simulation) = settings.simulate.as_deref() else {
        return Ok((studies, Vec::new()));
    };
    let mut all = (Vec::new(), Vec::new());
    for study in studies {
        let (study, left_out) = lab::simulated::simulated(study, simulation);
        ensure!(
            !study.cases.is_empty(),
            "{}: nothing of it can be simulated: {}",
            study.name,
            left_out.join("; ")
        );
        all.1.push((study.name.clone(), left_out));
        all.0.push(study);
    }
    Ok(all)
}

/// CPUs that the machine lets this process use.
pub(crate) fn cpus(machine: &Machine) -> u32 {
    u32::try_from(machine.usable_cpus()).unwrap_or(u32::MAX)
}

/// What of a study cannot be had here: its name and the reasons.
type Refused = (String, Vec<String>);

/// The studies with the parent memory that was asked for, checked against the machine. Of what is
/// checked, huge pages alone can only be known to be there by having them: where they are
/// not, their variants are left out, and the reasons come back.
fn with_parent_memory(
    studies: Vec<Study>,
    settings: &Settings,
    machine: &Machine,
    mut had: impl FnMut(ParentMemory) -> Result<(), String>,
) -> Result<(Vec<Study>, Vec<Refused>)> {
    let studies: Vec<Study> = match &settings.parent_memory {
        Some(asked) => studies
            .into_iter()
            .map(|study| lab::parent_memory::loaded(study, asked))
            .collect(),
        None => studies,
    };
    lab::check(&studies, machine)?;
    let obtained = studies.into_iter().map(|study| {
        let (study, refused) = lab::parent_memory::obtained(study, &mut had);
        match study.cases.iter().find(|case| case.variants.is_empty()) {
            Some(case) => bail!("{}/{}: {}", study.name, case.name, refused.join("; ")),
            None => {
                let name = study.name.clone();
                Ok((study, (name, refused)))
            }
        }
    });
    let obtained: Vec<(Study, Refused)> = obtained.collect::<Result<_>>()?;
    Ok(obtained.into_iter().unzip())
}

/// Bytes of parent memory that are tried: all of it can take seconds, and a slot that gets less than
/// all of it says so.
const TRIED: u64 = 64 << 20;

/// Whether that parent memory can be had here, tried where only trying tells.
fn had(parent_memory: ParentMemory) -> Result<(), String> {
    let tried = ParentMemory {
        bytes: parent_memory.bytes.min(TRIED),
        ..parent_memory
    };
    match parent_memory.pages {
        Pages::Huge => HeldParentMemory::take(tried)
            .map(drop)
            .map_err(|error| error.to_string()),
        Pages::Small | Pages::Shared | Pages::DontFork => Ok(()),
    }
}

/// Takes up the run in a results folder, for as long as it may last now. One of somebody else is taken
/// up only where it is trusted.
pub(crate) fn resume(
    folder: &Path,
    overrides: ResumeOverrides,
    (how, trusted): (&HowArgs, bool),
) -> Result<Session> {
    let path = journal_in(folder)?;
    if !trusted {
        stranger::refuse(&path)?;
    }
    let journal = Journal::resume(&path, overrides)?;
    let header = journal.header();
    lab::check(&header.studies, &machine(&header.settings))?;
    trees::check_cold(&journal.header().studies)?;
    files::looked_at(&journal.header().studies, folder)?;
    for warning in journal.warnings() {
        output::tell(&format!("warning: {warning}"));
    }
    Ok(Session {
        journal,
        made: None,
        verbose: how.verbose,
    })
}

#[cfg(test)]
mod tests {
    use lab::{AskedParentMemory, Preset, Results};

    use super::*;

    /// A kind of pages that could not be had was named on standard error alone; the results looked as
    /// if nobody had asked for it.
    #[test]
    fn parent_memory_that_cannot_be_had_is_in_the_results() {
        let settings = Settings {
            parent_memory: Some(AskedParentMemory {
                bytes: 1 << 20,
                pages: vec![Pages::Small, Pages::Huge],
            }),
            ..Settings::usual(Preset::Quick, 1)
        };
        let machine = Machine::read();
        let study = lab::builtin("primes", Preset::Quick).unwrap();
        let never = |parent_memory: ParentMemory| match parent_memory.pages {
            Pages::Huge => Err("huge pages are not available: never".to_owned()),
            _ => Ok(()),
        };
        let (studies, refused) =
            with_parent_memory(vec![study], &settings, &machine, never).unwrap();
        let labels = |study: &Study| -> Vec<String> {
            let variants = study.cases.iter().flat_map(|case| &case.variants);
            variants.map(|variant| variant.label.clone()).collect()
        };
        let labels = labels(&studies[0]);
        assert!(
            labels.iter().any(|label| label == "process 4k"),
            "{labels:?}"
        );
        assert!(
            !labels.iter().any(|label| label.contains("huge")),
            "{labels:?}"
        );

        let folder = tempfile::tempdir().unwrap();
        let header = Header {
            schema: lab::SCHEMA,
            version: "0".to_owned(),
            began_unix_s: 0,
            command: vec!["flowgauge".to_owned()],
            settings,
            machine,
            files_on: Vec::new(),
            studies,
        };
        let journal = Journal::create(folder.path(), header).unwrap();
        let path = journal.path().to_owned();
        let mut session = Session {
            journal,
            made: None,
            verbose: false,
        };
        for (study, reasons) in &refused {
            session.leaves_out(study, reasons).unwrap();
        }
        let results = Results::from_journal(&path).unwrap();
        assert_eq!(
            results.notes,
            ["primes: left out: huge pages are not available: never"]
        );
    }
}
