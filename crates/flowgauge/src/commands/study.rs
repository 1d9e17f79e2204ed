//! The command of a study, as its file describes it: `flowgauge primes`, `flowgauge sharing` and
//! the others.
//!
//! It knows no study: [`lab::study::asked`] makes the cases that were asked for, and here they are
//! run.

use std::path::Path;

use anyhow::{Result, anyhow};
use flow::{Answer, Outcome, SlotSpec};
use lab::study::asked::{Asked, asked};
use lab::{Launch, Preset, Study};
use machine::Machine;

use crate::args::StudyArgs;
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Seconds of a launch in which workers say what they do, where no deadline is given.
const NARRATED_S: f64 = 600.0;

/// Runs the study as asked.
pub(crate) fn run(args: &StudyArgs) -> Result<Ending> {
    let machine = Machine::read();
    let asked = of(args, &machine)?;
    let how = &args.how;
    let mut settings = session::settings(how, args.preset)?;
    settings.budget_s = how.budget.or(args.study.command.budget_s);
    let seed = settings.seed;
    let results = ResultFile::prepare(asked.output.as_deref().map(Path::new), asked.force)?;
    let mut launcher = SlotLauncher::new(results)?;
    let mut session = session::begin(vec![asked.study.clone()], settings, how)?;
    for line in asked.notes.iter().chain(&options(args, &asked.study, seed)) {
        tell(line);
    }
    session.leaves_out(&asked.study.name, &asked.left_out)?;
    if asked.verbose {
        narrate(
            &mut launcher,
            &asked.study,
            how.deadline.unwrap_or(NARRATED_S),
        )?;
    }
    session::carry_out(session, &mut launcher, how.watch, &how.answer)
}

/// The study with the cases that the options ask for, under what the run as a whole asks for.
pub(crate) fn of(args: &StudyArgs, machine: &Machine) -> Result<Asked> {
    let study = lab::builtin(&args.study.name, args.preset)?.for_cpus(session::cpus(machine));
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
        let variants = variants.map(|v| format!("{} {}", v.variant.flows, v.label));
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

fn line(name: &str, value: &str) -> String {
    format!("  {name:<20} {value}")
}

/// Lets the workers of each variant say what they do, once, in a launch that is no data point.
fn narrate(launcher: &mut SlotLauncher, study: &Study, deadline_s: f64) -> Result<()> {
    let case = &study.cases[0];
    let cpus = lab::cpus(&Machine::read());
    for (place, labelled) in case.variants.iter().enumerate() {
        let spec = SlotSpec {
            work: case.work_of(place).clone(),
            variant: labelled.variant.clone(),
            cpus: labelled.variant.placement.resolve(&cpus)?,
            warmups: 0,
            reps: 1,
            deadline_s,
            narrate: true,
            output: None,
            scratch: None,
            sample: None,
            count: Vec::new(),
            timers: false,
            grace_s: 0.0,
        };
        let label = &labelled.label;
        tell(&format!("{label}: one launch that is not counted"));
        match launcher.launch(&spec) {
            Ok(Outcome {
                answer: Answer::Failed { reason, .. },
                ..
            }) => tell(&format!("{label}: that launch failed: {reason}")),
            Ok(_) | Err(lab::LaunchError::Interrupted { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
