//! What every running command does: prepare, run, write the results folder, answer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use lab::{CaseEnd, Header, Journal, Preset, Results, Settings, Study};
use machine::Machine;
use stats::Verdict;

use crate::args::{Format, HowArgs};
use crate::launch::CellLauncher;
use crate::output::{self, Paper};
use crate::preflight;
use crate::progress::Progress;
use crate::results_folder::NewFolder;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every headline has an answer, or there was none to give.
    Answered,
    /// Something failed: the command itself, or a case whose slots failed.
    Error,
    /// A headline cannot be told.
    CannotTell,
    /// A signal cut the run.
    Interrupted(i32),
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Answered => Self::SUCCESS,
            Ending::Error => Self::from(2),
            Ending::CannotTell => Self::from(3),
            Ending::Interrupted(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(130)),
        }
    }
}

/// Tells the time for the journal, from the beginning of the session.
struct Watch(Instant);

impl lab::Clock for Watch {
    fn elapsed_s(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// The settings that the flags ask for, over the usual ones of the preset.
pub(crate) fn settings(how: &HowArgs, preset: Preset) -> Result<Settings> {
    let seed = how.seed.map_or_else(fresh_seed, Ok)?;
    let usual = Settings::usual(preset, seed);
    let max_rounds = how.rounds.map_or(Ok(usual.max_rounds), usize::try_from)?;
    Ok(Settings {
        max_rounds,
        budget_s: how.budget.or(usual.budget_s),
        floor: how.floor,
        value: how.value.into(),
        deadline_s: how.deadline,
        ..usual
    })
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

/// Begins a run of `studies` in a new results folder, if this machine can run them.
pub(crate) fn begin(
    studies: Vec<Study>,
    settings: Settings,
    out: Option<&Path>,
) -> Result<Session> {
    let machine = Machine::read();
    preflight::check(&studies, &machine)?;
    let now = SystemTime::now();
    let began_unix_s = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let folder = out.map_or_else(|| default_folder(now, &studies), Path::to_owned);
    let header = Header {
        schema: lab::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        began_unix_s,
        command: command_line(settings.seed),
        settings,
        machine,
        studies,
    };
    let made = NewFolder::planned(&folder);
    Ok(Session {
        journal: Journal::create(&folder, header)?,
        made: Some(made),
    })
}

/// Takes up the cut run in a results folder.
pub(crate) fn resume(folder: &Path) -> Result<Session> {
    let journal = Journal::resume(&journal_in(folder)?)?;
    preflight::check(&journal.header().studies, &Machine::read())?;
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

/// `flowgauge-results/2026-11-21T08-30-00Z-primes`.
fn default_folder(now: SystemTime, studies: &[Study]) -> PathBuf {
    let name = match studies {
        [one] => one.name.clone(),
        _ => "run".to_owned(),
    };
    let time = humantime::format_rfc3339_seconds(now)
        .to_string()
        .replace(':', "-");
    Path::new("flowgauge-results").join(format!("{time}-{name}"))
}

/// The command as it was given, with the seed that was drawn for it.
fn command_line(seed: u64) -> Vec<String> {
    let mut words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
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

/// Runs what the journal asks for, writes the results folder and the file of `-o`, and
/// prints the answer. What was measured is kept also where nobody can be told of it.
pub(crate) fn carry_out(
    session: Session,
    launcher: &mut CellLauncher,
    format: Format,
) -> Result<Ending> {
    let Session { mut journal, made } = session;
    let clock = Watch(Instant::now());
    let mut progress = Progress::new();
    let run = lab::run(&mut journal, launcher, &clock, &mut progress);
    progress.finish();
    if let Some(mut made) = made
        && (run.is_ok() || holds_slots(&journal))
    {
        made.keep();
    }
    let results = run?;
    let folder = journal.path().parent().unwrap_or(Path::new("."));
    write_folder(&results, folder)?;
    let published = launcher.publish();
    let printed = output::print(&shown(&results, format));
    output::tell(&format!(
        "Results: {0} (open {0}/report.html)",
        folder.display()
    ));
    if let Some(file) = published? {
        output::tell(&format!("Primes: {}", file.display()));
    }
    printed?;
    if let Some(signal) = results.interrupted {
        output::tell(&format!(
            "Interrupted by signal {signal}: go on with `flowgauge run --resume {}`",
            folder.display()
        ));
    }
    tell_failures(&results);
    Ok(ending(&results))
}

fn holds_slots(journal: &Journal) -> bool {
    let results = journal.results();
    let mut cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.any(|case| !case.slots.is_empty())
}

/// Cases that were given up, each with the reason of its last failed slot.
fn given_up(results: &Results) -> impl Iterator<Item = String> {
    results.studies.iter().flat_map(|study| {
        let cases = study.cases.iter();
        let lost = cases.filter(|case| case.ended == Some(CaseEnd::Failures));
        lost.map(|case| {
            let mut failed = case.slots.iter().rev();
            let reason = failed.find_map(|slot| match &slot.outcome.answer {
                flow::Answer::Failed { reason, .. } => Some(reason.to_string()),
                flow::Answer::Done(_) => None,
            });
            format!(
                "{}, {}: given up, too many slots failed: {}",
                study.study.name,
                case.case.name,
                reason.unwrap_or_default()
            )
        })
    })
}

fn tell_failures(results: &Results) {
    for line in given_up(results) {
        output::tell(&format!("error: {line}"));
    }
}

/// Writes everything that is made from the journal.
pub(crate) fn write_folder(results: &Results, folder: &Path) -> Result<()> {
    let files = [
        ("findings.json", report::json::findings(results)),
        ("slots.csv", report::csv::slots(results)),
        ("findings.csv", report::csv::findings(results)),
        ("summary.csv", report::csv::summary(results)),
        (
            "machine.json",
            report::json::machine(&results.header.machine),
        ),
        ("report.html", report::html::page(results)),
    ];
    for (name, text) in files {
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
    }
}

/// How a command with these results ends.
pub(crate) fn ending(results: &Results) -> Ending {
    if let Some(signal) = results.interrupted {
        return Ending::Interrupted(signal);
    }
    if given_up(results).next().is_some() {
        return Ending::Error;
    }
    let headlines = results.studies.iter().filter_map(|study| {
        let case = study
            .cases
            .iter()
            .find(|case| case.case.name == study.study.headline)?;
        case.findings.first()
    });
    let mut verdicts = headlines.map(|finding| finding.verdict);
    if verdicts.any(|verdict| matches!(verdict, Verdict::CannotTell { .. })) {
        Ending::CannotTell
    } else {
        Ending::Answered
    }
}
