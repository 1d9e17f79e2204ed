//! What every running command does: prepare, run, write the results folder, answer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use lab::{Header, Journal, Preset, Results, Settings, Study};
use machine::Machine;
use stats::Verdict;

use crate::args::{Format, HowArgs};
use crate::launch::CellLauncher;
use crate::output::{self, Paper};
use crate::progress::Progress;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every headline has an answer, or there was none to give.
    Answered,
    /// Something failed.
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

/// Begins a run of `studies` in a new results folder.
pub(crate) fn begin(
    studies: Vec<Study>,
    settings: Settings,
    out: Option<&Path>,
) -> Result<Journal> {
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
        machine: Machine::read(),
        studies,
    };
    Ok(Journal::create(&folder, header)?)
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

/// Runs what the journal asks for, writes the results folder and prints the answer.
pub(crate) fn carry_out(
    mut journal: Journal,
    launcher: &mut CellLauncher,
    format: Format,
) -> Result<Ending> {
    let clock = Watch(Instant::now());
    let mut progress = Progress::new();
    let run = lab::run(&mut journal, launcher, &clock, &mut progress);
    progress.finish();
    let folder = journal.path().parent().unwrap_or(Path::new(".")).to_owned();
    let results = match run {
        Ok(results) => results,
        Err(error) => {
            discard_if_empty(&journal, &folder);
            return Err(error.into());
        }
    };
    write_folder(&results, &folder)?;
    output::print(&shown(&results, format))?;
    output::tell(&format!(
        "Results: {0} (open {0}/report.html)",
        folder.display()
    ));
    Ok(ending(&results))
}

/// A run that failed before its first slot leaves no folder.
fn discard_if_empty(journal: &Journal, folder: &Path) {
    if journal
        .results()
        .studies
        .iter()
        .all(|s| s.cases.iter().all(|c| c.slots.is_empty()))
    {
        let _kept_is_fine = std::fs::remove_file(journal.path());
        let _not_empty_is_fine = std::fs::remove_dir(folder);
    }
}

/// Writes everything that is made from the journal.
pub(crate) fn write_folder(results: &Results, folder: &Path) -> Result<()> {
    let files = [
        ("findings.json", report::json::findings(results)),
        ("slots.csv", report::csv::slots(results)),
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
