//! `flowgauge exec`: commands of the user's own, as a study that is run like any other.

mod advice;
mod export;
mod parameters;
mod serve;
mod what_if;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use flow::{Channel, Model, Schedule, Variant};
use lab::{Case, LabelledVariant, Metric, Preset, Settings, Study, SweepPoint, labelled};
use program::{CheckOutput, Output, Program, Shell};
use workload::Work;

use crate::args::{ExecArgs, HowArgs};
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::result_file::ResultFile;
use crate::session;

/// The name of the study.
const NAME: &str = "exec";
/// The case of a study without a sweep.
const CASE: &str = "commands";
/// Characters of a label at the most.
const LABEL: usize = 40;

/// Runs the commands and answers.
pub(crate) fn run(args: &ExecArgs) -> Result<Ending> {
    refuse(args)?;
    let study = study(args)?;
    let settings = settings(args)?;
    let exports = export::Exports::prepare(&args.hyperfine)?;
    let mut launcher = SlotLauncher::new(ResultFile::prepare(None, false)?)?;
    let session = session::begin(vec![study], settings, &args.how)?;
    let journal = session.journal_path();
    let ending = session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)?;
    let results = lab::Results::from_journal(&journal)?;
    let lines = match args.what_if {
        true => advice::helps(&results),
        false => advice::sentences(&results),
    };
    for line in lines {
        crate::output::tell(&line);
    }
    serve::tell(&args.serve, &journal)?;
    exports.write(&journal)?;
    Ok(ending)
}

/// What cannot be kept, each with the reason.
fn refuse(args: &ExecArgs) -> Result<()> {
    let HowArgs {
        sample,
        ballast,
        events,
        ..
    } = &args.how;
    ensure!(
        sample.is_none(),
        "--sample looks at a slot's process group, and a command of your own leaves it: its whole \
         tree is looked at without the flag"
    );
    ensure!(
        ballast.is_none(),
        "--ballast is held by flows of this program: exec has none"
    );
    ensure!(
        events.is_none(),
        "--events counts flows of this program, and exec has none: perf stat counts a command"
    );
    ensure!(
        !args.hyperfine.show_output,
        "--show-output cannot be kept: nothing is shown while a command runs; --output pipe reads \
         its output, and what a failed one wrote last is shown"
    );
    ensure!(
        args.hyperfine.min_runs.is_none(),
        "--min-runs cannot be kept: rounds go on until the answer is sure; --rounds and --max-runs bound them"
    );
    Ok(())
}

fn settings(args: &ExecArgs) -> Result<Settings> {
    let usual = session::settings(&args.how, Preset::Full)?;
    let runs = args.hyperfine.runs.or(args.hyperfine.max_runs);
    let most = runs.map_or(Ok(usize::MAX), usize::try_from)?;
    let max_rounds = match (runs, args.how.rounds) {
        (Some(_), None) => most,
        _ => most.min(usual.max_rounds),
    };
    Ok(Settings {
        max_rounds,
        ..usual
    })
}

/// A command with its name.
#[derive(Debug, Clone, PartialEq)]
struct Named {
    label: String,
    program: Program,
}

/// The study that the flags ask for.
fn study(args: &ExecArgs) -> Result<Study> {
    let cases = cases(args)?;
    for case in &cases {
        case.work.check()?;
    }
    let title = match cases.as_slice() {
        [case] => case.title.clone(),
        [first, ..] => {
            let sweep = first
                .sweep
                .as_ref()
                .map_or("flows", |point| point.sweep.as_str());
            format!("commands by {sweep}")
        }
        [] => String::new(),
    };
    let headline = cases.last().map(|case| case.name.clone());
    Ok(Study {
        name: NAME.to_owned(),
        title,
        stands_for: "the work of the commands themselves".to_owned(),
        origin: None,
        headline: headline.unwrap_or_default(),
        cases,
        deciding: Vec::new(),
        limits_of: Vec::new(),
    })
}

fn cases(args: &ExecArgs) -> Result<Vec<Case>> {
    let cases = commands_as_cases(args)?;
    match args.serve.load.is_empty() {
        true => Ok(cases),
        false => serve::served(&args.serve, cases),
    }
}

fn commands_as_cases(args: &ExecArgs) -> Result<Vec<Case>> {
    if let Some(command) = &args.grid {
        return Ok(vec![grid(args, command)?]);
    }
    if let (Some(copies), Some(against)) = (args.copies, &args.against) {
        return Ok(vec![copies_against(args, copies, against)?]);
    }
    let commands = commands(args)?;
    match (&args.sweep, commands.as_slice()) {
        (Some(sweep), [only]) => Ok(vec![by_flows(args, only, &sweep.0)?]),
        (Some(sweep), commands) => sweep
            .0
            .iter()
            .map(|&flows| at_flows(args, commands, flows))
            .collect(),
        (None, commands) => Ok(vec![plain(args, commands)?]),
    }
}

/// The commands, with names that are different.
fn commands(args: &ExecArgs) -> Result<Vec<Named>> {
    let served = args
        .serve
        .serve
        .iter()
        .filter(|command| !command.is_empty());
    let first = args.reference.iter().chain(&args.commands).chain(served);
    let unnamed = first.map(|command| (None, command.clone()));
    let named = args
        .variant
        .iter()
        .map(|(name, command)| (Some(name.clone()), command.clone()));
    let written: Vec<(Option<String>, String)> = unnamed.chain(named).collect();
    ensure!(
        !written.is_empty(),
        "name at least one command, such as: flowgauge exec 'sort big.txt'"
    );
    let spread = parameters::spread(&args.hyperfine, written)?;
    ensure!(
        args.names.len() <= spread.len(),
        "there are {} names for {} commands",
        args.names.len(),
        spread.len()
    );
    let mut all = Vec::new();
    for (number, (name, command)) in spread.into_iter().enumerate() {
        let label = args
            .names
            .get(number)
            .cloned()
            .or(name)
            .unwrap_or_else(|| short(&command));
        let program = program(args, command)?;
        all.push(Named { label, program });
    }
    unique(&mut all);
    Ok(all)
}

/// A command as a label: on one line, and not too long for a table.
fn short(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() {
        0..=LABEL => line,
        _ => {
            let begin: String = line.chars().take(LABEL - 1).collect();
            format!("{begin}…")
        }
    }
}

/// Numbers the second and later ones of the same name.
fn unique(all: &mut [Named]) {
    for at in 0..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let taken = |label: &str| before.iter().any(|one| one.label == label);
        let own = rest[0].label.clone();
        if let Some(free) = (2..)
            .map(|n| format!("{own} #{n}"))
            .find(|label| !taken(label))
            && taken(&own)
        {
            rest[0].label = free;
        }
    }
}

/// A command with all that the flags say of each launch.
fn program(args: &ExecArgs, command: String) -> Result<Program> {
    let (each, proof) = (&args.each, &args.proof);
    let absolute = |file: &PathBuf| {
        fs::canonicalize(file).map_err(|error| anyhow!("{}: {error}", file.display()))
    };
    let (check_output, same) = check_output(proof.check_output.as_deref())?;
    Ok(Program {
        flows: None,
        shell: shell(args),
        env: each.env.iter().cloned().collect(),
        folder: Some(program::here()?),
        stdin: each.stdin.as_ref().map(absolute).transpose()?,
        output: if proof.output == "pipe" {
            Output::Pipe
        } else {
            Output::Null
        },
        setup: each.setup.clone(),
        prepare: each.prepare.clone(),
        conclude: each.conclude.clone(),
        cleanup: each.cleanup.clone(),
        check: proof.check.clone(),
        check_output,
        same_output: proof.same_output || same,
        ignore_failure: proof.ignore_failure,
        leaves_processes: each.leaves_processes,
        timeout_s: each.timeout,
        grace_s: each.grace,
        units: each.work,
        warmups: args.hyperfine.warmup,
        ..Program::new(command)
    })
}

/// What the output must be, and whether all must write the same.
fn check_output(asked: Option<&str>) -> Result<(Option<CheckOutput>, bool)> {
    Ok(match asked {
        None => (None, false),
        Some("SAME") => (None, true),
        Some(text) if Path::new(text).is_file() => {
            (Some(CheckOutput::File(fs::canonicalize(text)?)), false)
        }
        Some(text) if text.contains('/') && !text.contains(['*', '\\', '[', '(', '^', '$']) => {
            bail!(
                "--check-output {text}: there is no such file; a regular expression has no plain path"
            )
        }
        Some(text) => (Some(CheckOutput::Regex(text.to_owned())), false),
    })
}

fn shell(args: &ExecArgs) -> Shell {
    match (args.each.no_shell, args.each.shell.as_deref()) {
        (true, _) | (_, Some("none")) => Shell::Never,
        (_, None) => Shell::Auto,
        (_, Some("sh" | "default" | "/bin/sh")) => Shell::Always,
        (_, Some(other)) => Shell::Other(other.to_owned()),
    }
}

fn variant(args: &ExecArgs, model: Model, flows: u32) -> Variant {
    Variant {
        model,
        flows,
        placement: args.each.placement.clone(),
        schedule: Schedule::default(),
        channel: Channel::default(),
        parent_memory: None,
    }
}

fn of_program(program: Program) -> Work {
    Work::Program(Box::new(program))
}

fn case(args: &ExecArgs, title: &str, work: Work, variants: Vec<LabelledVariant>) -> Case {
    let one_each = args.hyperfine.runs.or(args.hyperfine.max_runs).is_some();
    Case {
        name: CASE.to_owned(),
        title: title.to_owned(),
        sweep: None,
        work,
        metric: Metric::Total,
        variants,
        reps: one_each.then_some(1),
        max_rounds: None,
        floor: None,
    }
}

/// Commands as variants: the first has the work of the case, the others have their own.
fn variants(args: &ExecArgs, commands: &[Named], flows: u32) -> Vec<LabelledVariant> {
    let each = commands
        .iter()
        .enumerate()
        .map(|(at, command)| LabelledVariant {
            label: command.label.clone(),
            variant: variant(args, Model::Process, flows),
            work: (at > 0).then(|| of_program(command.program.clone())),
            sample: None,
            of_cpus: None,
        });
    each.collect()
}

/// Commands side by side.
fn plain(args: &ExecArgs, commands: &[Named]) -> Result<Case> {
    let flows = args.flows.unwrap_or(1);
    let mut variants = variants(args, commands, flows);
    if args.what_if {
        ensure!(
            commands.len() == 1,
            "--what-if is for one command: what helps one may not help another"
        );
        variants = what_if::variants(variants.remove(0), &commands[0].program);
    }
    let base = commands[0].program.clone();
    let title = match commands {
        [only] => only.label.clone(),
        _ => format!("{} commands", commands.len()),
    };
    Ok(case(args, &title, of_program(base), variants))
}

/// One command at several numbers of flows.
fn by_flows(args: &ExecArgs, command: &Named, numbers: &[u32]) -> Result<Case> {
    needs(
        &command.program,
        &["flows", "processes", "threads"],
        "--sweep",
    )?;
    let plain = numbers
        .iter()
        .map(|&flows| variant(args, Model::Thread, flows));
    let mut variants = labelled(plain.collect());
    for variant in &mut variants {
        variant.label = format!("flows {}", variant.variant.flows);
    }
    let title = format!("{} by the number of flows", command.label);
    Ok(case(
        args,
        &title,
        of_program(command.program.clone()),
        variants,
    ))
}

/// Several commands at one number of flows, as a point of a sweep.
fn at_flows(args: &ExecArgs, commands: &[Named], flows: u32) -> Result<Case> {
    let mut base = commands[0].program.clone();
    for command in commands {
        needs(
            &command.program,
            &["flows", "processes", "threads"],
            "--sweep",
        )?;
    }
    base.flows = Some(flows.into());
    let mut own = variants(args, commands, flows);
    for variant in &mut own {
        variant.work = variant.work.take().map(|work| work.for_flows(flows.into()));
    }
    let one = case(args, &format!("{flows} flows"), of_program(base), own);
    Ok(Case {
        name: format!("flows/{flows}"),
        sweep: Some(SweepPoint {
            sweep: "flows".to_owned(),
            parameter: "flows".to_owned(),
            value: flows.into(),
            unit: String::new(),
        }),
        ..one
    })
}

/// One command as each split into processes and threads.
fn grid(args: &ExecArgs, command: &str) -> Result<Case> {
    let flows = args.flows.unwrap_or(1);
    let program = program(args, command.to_owned())?;
    for name in ["processes", "threads"] {
        needs(&program, &[name], "--grid")?;
    }
    let splits = (1..=flows)
        .filter(|processes| flows.is_multiple_of(*processes))
        .map(|processes| Model::Mix {
            processes,
            threads: flows / processes,
        });
    let variants: Vec<Variant> = splits.map(|model| variant(args, model, flows)).collect();
    let title = format!("{} as splits of {flows} flows", short(command));
    Ok(case(args, &title, of_program(program), labelled(variants)))
}

/// Copies of one command against another one.
fn copies_against(args: &ExecArgs, copies: u32, against: &str) -> Result<Case> {
    ensure!(
        args.commands.len() == 1,
        "--copies is for one command, and --against names the other one"
    );
    let many = Program {
        copies,
        ..program(args, args.commands[0].clone())?
    };
    let one = program(args, against.to_owned())?;
    let named = [
        (format!("{copies} copies"), many),
        ("against".to_owned(), one),
    ];
    let mut commands: Vec<Named> = named
        .into_iter()
        .map(|(label, program)| Named { label, program })
        .collect();
    for (command, name) in commands.iter_mut().zip(&args.names) {
        command.label.clone_from(name);
    }
    let flows = args.flows.unwrap_or(copies);
    let title = format!("{copies} copies against one");
    let mut all = variants(args, &commands, flows);
    all[1].variant.model = Model::Thread;
    Ok(case(
        args,
        &title,
        of_program(commands[0].program.clone()),
        all,
    ))
}

fn needs(program: &Program, names: &[&str], flag: &str) -> Result<()> {
    let has = names.iter().any(|name| program.asks_for(name));
    let names: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    ensure!(
        has,
        "{flag} changes {}, and this command has none of them: {}",
        names.join(", "),
        program.command
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn study_of(words: &[&str]) -> Result<Study> {
        let all = ["flowgauge", "exec"].iter().chain(words);
        let Command::Exec(args) = Cli::parse_from(all).command else {
            panic!("{words:?}")
        };
        study(&args)
    }

    fn labels(study: &Study) -> Vec<&str> {
        let variants = study.cases.iter().flat_map(|case| &case.variants);
        variants.map(|variant| variant.label.as_str()).collect()
    }

    #[test]
    fn two_commands_are_all_it_takes() {
        let study = study_of(&["true", "true", "sleep  1"]).unwrap();
        assert_eq!(labels(&study), ["true", "true #2", "sleep 1"]);
        assert_eq!(study.headline, "commands");
    }

    #[test]
    fn a_grid_has_every_split() {
        let study = study_of(&["--grid", "echo {processes} {threads}", "--flows", "8"]).unwrap();
        assert_eq!(labels(&study), ["1x8", "2x4", "4x2", "8x1"]);
    }

    #[test]
    fn a_sweep_of_one_command_asks_for_the_best_number_and_of_two_for_each() {
        let study = study_of(&["--sweep", "flows=1,2,4", "echo {flows}"]).unwrap();
        assert_eq!((study.cases.len(), labels(&study).len()), (1, 3));
        let study = study_of(&[
            "--sweep",
            "flows=1,2",
            "--variant",
            "p=echo {flows}",
            "--variant",
            "t=echo -n {flows}",
        ])
        .unwrap();
        assert_eq!(labels(&study), ["p", "t", "p", "t"]);
        let error = study_of(&["--sweep", "flows=1,2", "true"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("{flows}"), "{error}");
    }

    #[test]
    fn copies_stand_against_one() {
        let study = study_of(&["--copies", "3", "echo {i}", "--against", "echo all"]).unwrap();
        assert_eq!(labels(&study), ["3 copies", "against"]);
    }
}
