//! The command of a study, as its file describes it: `flowgauge primes`, `flowgauge sharing` and
//! the others.
//!
//! It knows no study: [`lab::study::asked`] makes the cases that were asked for, and here they are
//! run.

use std::path::Path;

use anyhow::{Result, anyhow};
use lab::study::asked::{Asked, asked};
use lab::{Preset, Study, plural};
use machine::Machine;

use crate::args::StudyArgs;
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Runs the study as asked.
pub(crate) fn run(args: &StudyArgs) -> Result<Ending> {
    if args.study.command.probes {
        return super::limits::run(args);
    }
    let how = &args.how;
    let study = args.study.study(args.preset)?;
    let mut settings = session::settings_of(&[study], how, args.preset)?;
    if settings.simulate.is_none() {
        settings.budget_s = how.budget.or(args.study.command.budget_s);
    }
    let asked = of(args, &session::machine(&settings))?;
    let (seed, budget_s) = (settings.seed, settings.budget_s);
    let results = ResultFile::prepare(asked.output.as_deref().map(Path::new), asked.force)?;
    let mut launcher = SlotLauncher::new(results)?;
    let mut session = session::begin(vec![asked.study.clone()], settings, how)?;
    let lines = options(args, &asked.study, seed).into_iter();
    let lines = lines.chain(takes(args, budget_s));
    for line in asked.notes.iter().cloned().chain(lines) {
        tell(&line);
    }
    session.leaves_out(&asked.study.name, &asked.left_out)?;
    if asked.verbose {
        let first = asked.study.cases.iter();
        let first = first.max_by_key(|case| case.name == asked.study.headline);
        first
            .iter()
            .for_each(|case| launcher.narrate(&case.variants));
    }
    session::carry_out(session, &mut launcher, how.watch, &how.answer)
}

/// The study with the cases that the options ask for, under what the run as a whole asks for.
pub(crate) fn of(args: &StudyArgs, machine: &Machine) -> Result<Asked> {
    let study = args
        .study
        .study(args.preset)?
        .for_cpus(session::cpus(machine));
    let mut asked = asked(study, &args.study.command, &args.given, machine)
        .map_err(|message| anyhow!(message))?;
    for case in &mut asked.study.cases {
        if args.how.rounds.is_some() {
            case.max_rounds = None;
        }
        if args.how.sample.is_some() {
            case.variants
                .iter_mut()
                .for_each(|variant| variant.sample = None);
        }
    }
    Ok(asked)
}

/// The file that a command asks for, and whether it may be overwritten.
pub(crate) fn output_file(args: &StudyArgs) -> Option<(String, bool)> {
    let asked = of(args, &Machine::read()).ok()?;
    Some((asked.output?, asked.force))
}

/// The options, for people.
fn options(args: &StudyArgs, study: &Study, seed: u64) -> Vec<String> {
    let name = &args.study.name;
    let mut lines = vec![format!(
        "Using these options (flowgauge {name} --help explains them):"
    )];
    if let [case] = study.cases.as_slice() {
        let variants = case.variants.iter();
        let variants = variants.map(|v| match v.variant.flows {
            1 => format!("1 {}", v.label),
            flows => format!("{flows} {}", plural(&v.label)),
        });
        lines.push(line("variants", &variants.collect::<Vec<_>>().join(", ")));
    }
    for flag in &args.study.command.flags {
        if let Some(given) = args.given.get(&flag.name) {
            lines.push(line(&flag.name, &given.shown));
        }
    }
    if args.preset != Preset::Full {
        lines.push(line("preset", "quick"));
    }
    lines.push(line("seed", &seed.to_string()));
    lines
}

/// How long it may take at full size, where nothing bounds it but the study itself, and what
/// answers in seconds.
fn takes(args: &StudyArgs, budget_s: Option<f64>) -> Option<String> {
    let is_usual = args.preset == Preset::Full && args.how.budget.is_none();
    let takes = match budget_s {
        Some(seconds) => format!("Takes up to {} min", (seconds / 60.0).ceil()),
        None => "Takes as long as its rounds need (--budget 1m bounds it)".to_owned(),
    };
    let is_simulated = args.how.simulate.is_some();
    (is_usual && !is_simulated).then(|| {
        let name = &args.study.name;
        format!("{takes}; an answer in seconds: flowgauge {name} --preset quick")
    })
}

fn line(name: &str, value: &str) -> String {
    format!("  {name:<20} {value}")
}
