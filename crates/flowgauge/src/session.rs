//! What every running command does: prepare, run, write, answer. Here a run begins or resumes.

mod asked;
mod carry_out;
mod command_line;
mod folder;
mod stranger;
mod write;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use lab::{Header, Journal, Plan, Probe, Request, ResumeOverrides, Settings, Study, Wanted};
use machine::Machine;

pub(crate) use asked::{fresh_seed, settings};
pub(crate) use folder::{holds_no_others, journal_in, usual_place};
pub(crate) use write::{shown, write_folder};

use crate::args::HowArgs;
use crate::ending::Ending;
use crate::files;
use crate::launch::SlotLauncher;
use crate::output;
use crate::result_file::ResultFile;
use crate::results_folder::NewFolder;
use command_line::command_line;
use folder::{asked_for, default_folder, fresh_folder, new_folder};

#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) journal: Journal,
    pub(crate) launcher: SlotLauncher,
    made: Option<NewFolder>,
    how: &'a HowArgs,
}

/// Of a study that a command has made: run as it is, or refused.
pub(crate) fn as_written(study: Study) -> Request<'static> {
    Request {
        wanted: vec![Wanted::as_written(study)],
        ..Request::default()
    }
}

/// From its beginning to its answer.
pub(crate) fn run(
    request: &Request<'_>,
    settings: Settings,
    how: &HowArgs,
    here: &Machine,
) -> Result<Ending> {
    Session::begin(request, settings, how, here)?.carry_out(&how.answer)
}

/// Asked before anything that takes long, such as a walk through a tree.
pub(crate) fn check_out(how: &HowArgs) -> Result<()> {
    how.out.as_deref().map_or(Ok(()), asked_for)
}

impl<'a> Session<'a> {
    pub(crate) fn begin(
        request: &Request<'_>,
        settings: Settings,
        how: &'a HowArgs,
        here: &Machine,
    ) -> Result<Self> {
        Self::begin_into(
            ResultFile::prepare(None, false)?,
            request,
            settings,
            how,
            here,
        )
    }

    pub(crate) fn begin_into(
        results: ResultFile,
        request: &Request<'_>,
        settings: Settings,
        how: &'a HowArgs,
        here: &Machine,
    ) -> Result<Self> {
        let launcher = SlotLauncher::new(results, lab::cpus(here))?;
        check_out(how)?;
        if cfg!(debug_assertions) {
            output::tell(
                "This is a debug build: flows and their work are slower than in a release build",
            );
        }
        let machine = lab::simulated::on(here.clone(), settings.simulate.as_deref());
        let plan = lab::lay_out(request, &settings, &machine)?;
        how.answer.check(&plan.studies)?;
        asked::tell_uncountable(&settings, &machine);
        let (journal, made) = journal(&plan, settings, how, machine)?;
        let mut session = Self {
            journal,
            launcher,
            made: Some(made),
            how,
        };
        session.note(&plan)?;
        Ok(session)
    }

    /// For as long as it may last now. Somebody else's is taken up only where it is trusted.
    pub(crate) fn resume(
        folder: &Path,
        overrides: ResumeOverrides,
        (how, trusted): (&'a HowArgs, bool),
        here: &Machine,
    ) -> Result<Self> {
        let path = journal_in(folder)?;
        if !trusted {
            stranger::refuse(&path, here)?;
        }
        let journal = Journal::resume(&path, overrides)?;
        let header = journal.header();
        let simulation = header.settings.simulate.as_deref();
        lab::check(
            &header.studies,
            &lab::simulated::on(here.clone(), simulation),
        )?;
        files::looked_at(&header.studies, folder)?;
        for warning in journal.warnings() {
            output::tell(&format!("warning: {warning}"));
        }
        let results = ResultFile::of_command(&header.command)?;
        Ok(Self {
            launcher: SlotLauncher::new(results, lab::cpus(here))?,
            journal,
            made: None,
            how,
        })
    }

    /// What is left out on this machine and what has no effect: the answer says it.
    fn note(&mut self, plan: &Plan) -> Result<()> {
        for left_out in &plan.left_out {
            let text = format!("{}: left out: {}", left_out.study, left_out.why);
            self.journal.note(&text)?;
        }
        plan.notes
            .iter()
            .try_for_each(|note| self.journal.note(note))?;
        if let Err(why) = flow::library::slot_program() {
            let text = format!("slots run in the one static file, not as usual programs do: {why}");
            self.journal.note(&text)?;
        }
        plan.hints.iter().for_each(|hint| output::tell(hint));
        Ok(())
    }

    /// Has the workers of the headline say what they do, in a launch that is not counted.
    pub(crate) fn narrate(&mut self) {
        let study = self.journal.header().studies.first();
        let cases = study.into_iter().flat_map(|study| {
            let is_headline = |case: &&lab::Case| case.name == study.headline;
            study.cases.iter().max_by_key(is_headline)
        });
        cases.for_each(|case| self.launcher.narrate(&case.variants));
    }

    pub(crate) fn probed(&mut self, probe: Probe) -> Result<()> {
        let study = self.studies().first();
        let name = study.map_or_else(String::new, |study| study.name.clone());
        Ok(self.journal.probed(&name, probe)?)
    }

    pub(crate) fn studies(&self) -> &[Study] {
        &self.journal.header().studies
    }
}

fn journal(
    plan: &Plan,
    settings: Settings,
    how: &HowArgs,
    machine: Machine,
) -> Result<(Journal, NewFolder)> {
    let now = SystemTime::now();
    let began_unix_s = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let planned = match how.out.as_deref() {
        Some(folder) => folder.to_owned(),
        None => default_folder(now, &plan.studies),
    };
    let files_on = files::looked_at(&plan.studies, &planned)?;
    let (folder, mut made) = match how.out {
        Some(_) => (planned.clone(), new_folder(&planned)?),
        None => fresh_folder(now, &plan.studies)?,
    };
    let header = Header {
        schema: lab::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        began_unix_s,
        command: command_line(settings.seed),
        settings,
        machine,
        files_on,
        studies: plan.studies.clone(),
    };
    let journal = Journal::create(&folder, header)?;
    made.owns(journal.path());
    Ok((journal, made))
}
