//! Carrying a run out: run, keep what was measured, write it down, answer.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use lab::{Journal, Results};

use super::{Session, shown, write_folder};
use crate::answer;
use crate::args::{AnswerArgs, Format};
use crate::ending::{self, Ending};
use crate::launch::SlotLauncher;
use crate::leftovers;
use crate::output;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::watch::Watch;

/// Tells the time for the journal, from the beginning of the session.
struct SinceBegin(Instant);

impl lab::Clock for SinceBegin {
    fn elapsed_s(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Says where the results of `-o` are, or that there are none.
fn tell_published(published: Option<PathBuf>, launcher: &SlotLauncher) {
    match published {
        Some(file) => output::tell(&format!("Primes: {}", file.display())),
        None => launcher.unpublished().iter().for_each(|file| {
            output::tell(&format!(
                "Primes: {} is not written: no slot has proved its work",
                file.display()
            ));
        }),
    }
}

/// Whether standard error and the answer are on one screen.
fn is_seen_with_text(format: Format) -> bool {
    format == Format::Text && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Says where the results are. Where it is seen together with the text, the last line of that
/// says it.
fn tell_results(folder: &Path, results: &Results, format: Format) {
    if is_seen_with_text(format) {
        return;
    }
    output::tell(&format!(
        "Results: {0} (open {0}/report.html; seed {1})",
        folder.display(),
        results.header.settings.seed
    ));
}

/// Runs what the journal asks for, writes the results folder and the file of `-o`, and
/// prints the answer. What was measured is kept also where it cannot be printed.
pub(crate) fn carry_out(
    session: Session,
    launcher: &mut SlotLauncher,
    watch: Option<Option<f64>>,
    answer: &AnswerArgs,
) -> Result<Ending> {
    if session.journal.header().settings.simulate.is_some() {
        launcher.emulate(crate::simulation::emulator()?);
    }
    launcher.begin();
    let Session {
        mut journal,
        made,
        verbose,
    } = session;
    if let Some(folder) = journal.path().parent() {
        launcher.keep_files_in(folder);
        leftovers::sweep(folder, &journal.header().studies);
    }
    let run = run(&mut journal, launcher, watch)?;
    launcher.finish();
    if let Some(mut made) = made
        && (run.is_ok() || holds_slots(&journal))
    {
        made.keep();
    }
    let results = match run {
        Ok(results) => results,
        Err(error) => return Err(told_all_the_same(&journal, (answer, verbose), error.into())),
    };
    let folder = journal.path().parent().unwrap_or(Path::new("."));
    if let Err(error) = write_folder(&results, folder) {
        return Err(told_all_the_same(&journal, (answer, verbose), error));
    }
    if let Some(folder) = &answer.plots {
        answer::write_plots(&report::plots::all(&results), folder)?;
    }
    let published = if has_data(&results) {
        launcher.publish()
    } else {
        Ok(None)
    };
    let printed = output::print(&shown(&results, folder, answer.format, verbose));
    tell_results(folder, &results, answer.format);
    tell_published(published?, launcher);
    printed?;
    if let Some(signal) = results.interrupted {
        output::tell(&format!(
            "Interrupted by signal {signal}: continue with `flowgauge run --resume {}`",
            report::text::shell_word(&folder.to_string_lossy())
        ));
    }
    // The answer has it too.
    let given_up = ending::given_up(&results);
    for line in given_up.filter(|_| !is_seen_with_text(answer.format)) {
        output::tell(&format!("error: {line}"));
    }
    let checks = answer::checks(&answer.expect, &results)?;
    Ok(answer::judged(
        ending::of(&results, answer.require_answer),
        &checks,
    ))
}

/// Runs what the journal asks for, with progress, and looks if they are asked for.
fn run(
    journal: &mut Journal,
    launcher: &mut SlotLauncher,
    watch: Option<Option<f64>>,
) -> Result<Result<Results, lab::RunError>> {
    let clock = SinceBegin(Instant::now());
    let screen = Screen::new();
    if let Some(interval_s) = watch {
        let cpus = lab::cpus(&journal.header().machine);
        launcher.watch(Watch::new(interval_s, screen.clone(), cpus)?);
    }
    let mut progress = Progress::new(screen.clone());
    let run = lab::run(journal, launcher, &clock, &mut progress);
    screen.finish();
    launcher
        .cost_of_watching()
        .iter()
        .for_each(|line| output::tell(line));
    Ok(run)
}

/// Prints what was measured where it cannot be kept: it is in no file, or not in all.
fn told_all_the_same(
    journal: &Journal,
    (answer, verbose): (&AnswerArgs, bool),
    error: anyhow::Error,
) -> anyhow::Error {
    if holds_slots(journal) {
        let folder = journal.path().parent().unwrap_or(Path::new("."));
        let text = shown(&journal.results(), folder, answer.format, verbose);
        let printed = output::print(&text);
        if let Err(also) = printed {
            return error.context(also.to_string());
        }
    }
    error
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
