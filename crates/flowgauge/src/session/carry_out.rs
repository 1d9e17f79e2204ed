use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use lab::Results;
use measure::load::Load;

use super::{Session, shown, write_folder};
use crate::answer;
use crate::args::{AnswerArgs, Format};
use crate::ending::{self, Ending};
use crate::leftovers;
use crate::output;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::watch::Watch;
use crate::whole_file;

struct SinceBegin {
    begin: Instant,
    load: Option<Load>,
}

impl SinceBegin {
    fn now() -> Self {
        Self {
            begin: Instant::now(),
            load: Load::now(),
        }
    }
}

impl lab::Clock for SinceBegin {
    fn elapsed_s(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    fn load(&self) -> Option<Load> {
        Some(Load::now()?.since(self.load.as_ref()?))
    }
}

fn is_seen_with_text(format: Format) -> bool {
    format == Format::Text && io::stdout().is_terminal() && io::stderr().is_terminal()
}

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

impl Session<'_> {
    /// What was measured is kept also where it cannot be printed.
    pub(crate) fn carry_out(mut self, answer: &AnswerArgs) -> Result<Ending> {
        if let Some(folder) = &answer.plots {
            whole_file::make_folder(folder)?;
        }
        if let Some(simulation) = self.journal.header().settings.simulate.clone() {
            let emulator = crate::simulation::emulator()?;
            self.launcher.emulate(emulator, simulation);
        }
        self.launcher.slots.begin();
        let folder = self.journal.path().parent().unwrap_or(Path::new("."));
        let folder = folder.to_owned();
        self.launcher.files.clone_from(&folder);
        leftovers::sweep(&folder, self.studies());
        let run = self.run()?;
        self.launcher.slots.finish();
        if let Some(mut made) = self.made.take()
            && (run.is_ok() || self.journal.holds_slots())
        {
            made.keep();
        }
        let results = match run {
            Ok(results) => results,
            Err(error) => return Err(self.told_all_the_same(answer, error.into())),
        };
        let checks = answer::checks(&answer.expect, &results)?;
        let results = results.with_expected(checks);
        if let Err(error) = write_folder(&results, &folder, self.how.tables) {
            return Err(self.told_all_the_same(answer, error));
        }
        if let Some(folder) = &answer.plots {
            answer::write_plots(&report::plots::all(&results), folder)?;
        }
        let published = match has_data(&results) {
            true => self.launcher.results.publish(),
            false => Ok(None),
        };
        let printed = output::print(&shown(&results, &folder, answer.format, self.how.verbose));
        tell_results(&folder, &results, answer.format);
        self.tell_published(published?);
        printed?;
        tell_ending(&results, &folder, answer.format);
        let ending = ending::of(&results, answer.require_answer);
        Ok(answer::judged(ending, &results.expected))
    }

    fn run(&mut self) -> Result<Result<Results, lab::RunError>> {
        let clock = SinceBegin::now();
        let screen = Screen::new();
        if let Some(interval_s) = self.how.watch {
            let cpus = lab::cpus(&self.journal.header().machine);
            self.launcher.watch = Some(Watch::new(interval_s, screen.clone(), cpus)?);
        }
        let mut progress = Progress::new(screen.clone());
        let run = lab::run(&mut self.journal, &mut self.launcher, &clock, &mut progress);
        screen.finish();
        let cost = self.launcher.cost_of_watching();
        cost.iter().for_each(|line| output::tell(line));
        Ok(run)
    }

    fn tell_published(&self, published: Option<PathBuf>) {
        let unpublished = self.launcher.results.target();
        let said = match (published, unpublished) {
            (Some(file), _) => file.display().to_string(),
            (None, Some(file)) => format!(
                "{} is not written: no slot has proved its work",
                file.display()
            ),
            (None, None) => return,
        };
        let names = self.studies().iter().map(|study| capitalized(&study.name));
        names.for_each(|name| output::tell(&format!("{name}: {said}")));
    }

    fn told_all_the_same(&self, answer: &AnswerArgs, error: anyhow::Error) -> anyhow::Error {
        if !self.journal.holds_slots() {
            return error;
        }
        let folder = self.journal.path().parent().unwrap_or(Path::new("."));
        let results = self.journal.results();
        let text = shown(&results, folder, answer.format, self.how.verbose);
        match output::print(&text) {
            Ok(()) => error,
            Err(also) => error.context(also.to_string()),
        }
    }
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn tell_ending(results: &Results, folder: &Path, format: Format) {
    if let Some(signal) = results.interrupted {
        output::tell(&format!(
            "Interrupted by signal {signal}: continue with `flowgauge run --resume {}`",
            report::text::shell_word(&folder.to_string_lossy())
        ));
    }
    let given_up = ending::given_up(results);
    for line in given_up.filter(|_| !is_seen_with_text(format)) {
        output::tell(&format!("error: {line}"));
    }
}

/// Outputs of slots count only if their work was proved.
fn has_data(results: &Results) -> bool {
    let mut cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.any(|case| case.slots.iter().any(|slot| slot.value_ns.is_some()))
}
