//! What every running command does: prepare, run, write the results folder, answer.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail, ensure};
use flow::ballast::Held;
use flow::{Ballast, Pages};
use lab::{
    AskedBallast, Header, Journal, Longer, Preset, Probe, Results, Sampling, Settings, Study,
};
use machine::Machine;

use crate::answer;
use crate::args::{AnswerArgs, Format, HowArgs};
use crate::ending::{self, Ending};
use crate::files;
use crate::launch::CellLauncher;
use crate::output::{self, Paper};
use crate::progress::Progress;
use crate::results_folder::NewFolder;
use crate::screen::Screen;
use crate::watch::Watch;

/// Tells the time for the journal, from the beginning of the session.
struct SinceBegin(Instant);

impl lab::Clock for SinceBegin {
    fn elapsed_s(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// The settings that the flags ask for, over the usual ones of the preset.
pub(crate) fn settings(how: &HowArgs, preset: Preset) -> Result<Settings> {
    let seed = how.seed.map_or_else(fresh_seed, Ok)?;
    let usual = Settings::usual(preset, seed);
    let sample = how.sample.map(|interval_s| Sampling {
        interval_s,
        folder: how.sample_folder.clone(),
    });
    if let Some(sampling) = &sample {
        sampling
            .check()
            .map_err(|message| anyhow!("--sample: {message}"))?;
        if let Some(folder) = &sampling.folder
            && !folder.is_dir()
        {
            bail!(
                "--sample-folder {}: there is no such folder",
                folder.display()
            );
        }
    }
    let max_rounds = how.rounds.map_or(Ok(usual.max_rounds), usize::try_from)?;
    Ok(Settings {
        max_rounds,
        budget_s: how.budget.or(usual.budget_s),
        floor: how.floor,
        value: how.value.into(),
        deadline_s: how.deadline,
        sample,
        ballast: ballast(how)?,
        ..usual
    })
}

/// The ballast that the flags ask for, each kind of pages once.
fn ballast(how: &HowArgs) -> Result<Option<AskedBallast>> {
    let mut pages = how.ballast_pages.clone();
    for (place, one) in pages.iter().enumerate() {
        ensure!(
            !pages[..place].contains(one),
            "--ballast-pages names {one} twice: once is enough"
        );
    }
    if pages.is_empty() {
        pages.push(Pages::Small);
    }
    Ok(how.ballast.map(|bytes| AskedBallast { bytes, pages }))
}

/// A seed that is short enough to be typed again.
fn fresh_seed() -> Result<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock stands before 1970")?;
    let mixed = (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 32);
    Ok(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44)
}

/// A run that can be carried out.
#[derive(Debug)]
pub(crate) struct Session {
    journal: Journal,
    /// The folder, if this run has made it.
    made: Option<NewFolder>,
}

impl Session {
    /// Writes down, and says, what of a study is left out on this machine.
    pub(crate) fn leaves_out(&mut self, study: &str, what: &[String]) -> Result<()> {
        for line in what {
            let text = format!("{study}: left out: {line}");
            output::tell(&text);
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
    let studies = with_ballast(studies, &settings, &machine)?;
    how.answer.check(&studies)?;
    let now = SystemTime::now();
    let began_unix_s = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let folder = match how.out.as_deref() {
        Some(folder) => asked_for(folder)?,
        None => default_folder(now, &studies),
    };
    let files_on = files::looked_at(&studies, &folder)?;
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
    let made = NewFolder::planned(&folder);
    Ok(Session {
        journal: Journal::create(&folder, header)?,
        made: Some(made),
    })
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
    files::looked_at(&journal.header().studies, folder)?;
    for warning in journal.results().warnings {
        output::tell(&format!("warning: {warning}"));
    }
    Ok(Session {
        journal,
        made: None,
    })
}

/// The journal in a results folder.
pub(crate) fn journal_in(folder: &Path) -> Result<PathBuf> {
    let journal = folder.join(lab::journal::FILE_NAME);
    if !journal.is_file() {
        bail!(
            "{} is no results folder: it has no {}; name the folder that a run printed at its end",
            folder.display(),
            lab::journal::FILE_NAME
        );
    }
    Ok(journal)
}

/// A folder that the user names must be new or empty: files of the same names in it are
/// not for a run to overwrite. (One that holds a journal is refused by the journal.)
fn asked_for(folder: &Path) -> Result<PathBuf> {
    let journal = folder.join(lab::journal::FILE_NAME);
    let mut entries = std::fs::read_dir(folder).into_iter().flatten();
    if entries.next().is_some() && !journal.exists() {
        bail!(
            "--out {} holds other files: name a new folder, or an empty one",
            folder.display()
        );
    }
    Ok(folder.to_owned())
}

/// `flowgauge-results/2026-11-21T08-30-00Z-primes`, with a number behind it when there is
/// one of that name.
fn default_folder(now: SystemTime, studies: &[Study]) -> PathBuf {
    let name = match studies {
        [one] => one.name.clone(),
        _ => "run".to_owned(),
    };
    let time = humantime::format_rfc3339_seconds(now)
        .to_string()
        .replace(':', "-");
    let numbered = |number: u32| match number {
        1 => format!("{time}-{name}"),
        _ => format!("{time}-{name}-{number}"),
    };
    let folders = (1..).map(|number| Path::new("flowgauge-results").join(numbered(number)));
    folders
        .into_iter()
        .find(|folder| !folder.exists())
        .unwrap_or_default()
}

/// The command that does the same again: as it was given, with the seed that was drawn
/// for it, and without the folders of results and plots, which are there now.
fn command_line(seed: u64) -> Vec<String> {
    let given = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let mut words = without_folders(given);
    if let Some(first) = words.first_mut() {
        "flowgauge".clone_into(first);
    }
    if !words
        .iter()
        .any(|word| word == "--seed" || word.starts_with("--seed="))
    {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words
}

/// Words without the flags that name a folder to be written.
fn without_folders(given: impl Iterator<Item = String>) -> Vec<String> {
    let mut of_a_folder = false;
    given
        .filter(|word| {
            let own = ["--out", "--plots"].into_iter().any(|flag| {
                let rest = word.strip_prefix(flag);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            });
            let drop = of_a_folder || own;
            of_a_folder = own && !word.contains('=');
            !drop
        })
        .collect()
}

/// Runs what the journal asks for, writes the results folder and the file of `-o`, and
/// prints the answer. What was measured is kept also where nobody can be told of it.
pub(crate) fn carry_out(
    session: Session,
    launcher: &mut CellLauncher,
    watch: Option<Option<f64>>,
    answer: &AnswerArgs,
) -> Result<Ending> {
    let Session { mut journal, made } = session;
    if let Some(folder) = journal.path().parent() {
        launcher.keep_files_in(folder);
    }
    let clock = SinceBegin(Instant::now());
    let screen = Screen::new();
    if let Some(interval_s) = watch {
        let cpus = lab::cpus(&journal.header().machine);
        launcher.watch(Watch::new(interval_s, screen.clone(), cpus)?);
    }
    let mut progress = Progress::new(screen.clone());
    let run = lab::run(&mut journal, launcher, &clock, &mut progress);
    screen.finish();
    launcher
        .cost_of_watching()
        .iter()
        .for_each(|line| output::tell(line));
    if let Some(mut made) = made
        && (run.is_ok() || holds_slots(&journal))
    {
        made.keep();
    }
    let results = run?;
    let folder = journal.path().parent().unwrap_or(Path::new("."));
    write_folder(&results, folder)?;
    if let Some(folder) = &answer.plots {
        answer::write_plots(&report::plots::all(&results), folder)?;
    }
    let published = if has_data(&results) {
        launcher.publish()
    } else {
        Ok(None)
    };
    let printed = output::print(&shown(&results, answer.format));
    output::tell(&format!(
        "Results: {0} (open {0}/report.html; seed {1})",
        folder.display(),
        results.header.settings.seed
    ));
    match published? {
        Some(file) => output::tell(&format!("Primes: {}", file.display())),
        None => launcher.unpublished().iter().for_each(|file| {
            output::tell(&format!(
                "Primes: {} is not written: no slot has proved its work",
                file.display()
            ));
        }),
    }
    printed?;
    if let Some(signal) = results.interrupted {
        output::tell(&format!(
            "Interrupted by signal {signal}: go on with `flowgauge run --resume {}`",
            folder.display()
        ));
    }
    for line in ending::given_up(&results) {
        output::tell(&format!("error: {line}"));
    }
    let checks = answer::checks(&answer.expect, &results)?;
    Ok(answer::judged(ending::of(&results), &checks))
}

fn holds_slots(journal: &Journal) -> bool {
    let results = journal.results();
    let mut cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.any(|case| !case.slots.is_empty())
}

/// Whether any slot is a data point: what slots wrote is worth having only then, because
/// their work was proved.
fn has_data(results: &Results) -> bool {
    let mut cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.any(|case| case.slots.iter().any(|slot| slot.value_ns.is_some()))
}

/// Writes everything that is made from the journal.
pub(crate) fn write_folder(results: &Results, folder: &Path) -> Result<()> {
    let files = [
        ("findings.json", report::json::findings(results)),
        ("slots.csv", report::csv::slots(results)),
        ("slots.jsonl", report::csv::slots_lines(results)),
        ("findings.csv", report::csv::findings(results)),
        ("summary.csv", report::csv::summary(results)),
        ("shared.csv", report::csv::shared(results)),
        ("workers.csv", report::csv::workers(results)),
        ("laws.csv", report::csv::laws(results)),
        ("scaling.csv", report::csv::scaling(results)),
        (
            "machine.json",
            report::json::machine(&results.header.machine),
        ),
        ("report.html", report::html::page(results)),
    ];
    let further = [
        ("limits.csv", report::csv::limits(results)),
        ("probes.csv", report::csv::probes(results)),
        ("samples.csv", report::csv::samples(results)),
    ];
    let further = further
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)));
    // Tables that only some studies have are left out where they would be empty.
    let all = files.into_iter().chain(further);
    for (name, text) in all.filter(|(_, text)| !text.is_empty()) {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// What standard output gets.
pub(crate) fn shown(results: &Results, format: Format) -> String {
    match format {
        Format::Text => {
            let Paper { width, colour } = Paper::of_stdout();
            report::terminal::run(results, &report::terminal::Style { width, colour })
        }
        Format::Json => report::json::findings(results),
        Format::Csv => report::csv::slots(results),
        Format::Jsonl => report::csv::slots_lines(results),
    }
}
