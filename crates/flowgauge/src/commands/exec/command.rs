use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use program::{CheckOutput, Layout, Output, Program, Shell};

use super::labels;
use super::parameters::{self, Written};
use crate::args::ExecArgs;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub(super) label: String,
    pub(super) program: Program,
    pub(super) parameters: BTreeMap<String, String>,
}

/// Names are unique; `--grid` has one command, `--against` comes last.
pub(super) fn commands(args: &ExecArgs) -> Result<Vec<Named>> {
    let spread = parameters::spread(&args.hyperfine, written(args)?)?;
    ensure!(
        args.names.len() <= spread.len(),
        "there are {} names for {} commands",
        args.names.len(),
        spread.len()
    );
    let count = spread.len();
    names_differ(args, &spread)?;
    let builds: Vec<Vec<String>> = (0..count)
        .map(|number| of_command("--builds", &args.each.builds, number, count).map(builds))
        .collect::<Result<_>>()?;
    let labels = labels::of(&shown(&spread, &builds), |number, one| {
        given_name(args, number, one).cloned()
    });
    let mut all = Vec::new();
    let named = spread.into_iter().zip(labels).zip(builds);
    for (number, ((one, label), builds)) in named.enumerate() {
        let usual = program(args, one.command.clone())?;
        let own = |flag, given: &[String]| of_command(flag, given, number, count);
        let beside = |line: Option<String>| line.map(|line| one.filled(&line));
        all.push(Named {
            label,
            program: Program {
                setup: beside(usual.setup),
                prepare: beside(own("--prepare", &args.each.prepare)?),
                conclude: beside(own("--conclude", &args.each.conclude)?),
                cleanup: beside(usual.cleanup),
                check: beside(usual.check),
                layout: Layout {
                    builds,
                    ..usual.layout
                },
                ..usual
            },
            parameters: one.parameters,
        });
    }
    Ok(all)
}

fn written(args: &ExecArgs) -> Result<Vec<Written>> {
    let flags = args.serve.serve.iter().chain(&args.grid);
    let by_flag = flags.filter(|command| !command.is_empty());
    let first = args.reference.iter().chain(&args.commands).chain(by_flag);
    let of = |name: Option<&str>, command: &String| Written {
        name: name.map(str::to_owned),
        command: command.clone(),
        ..Written::default()
    };
    let unnamed = first.map(|command| of(None, command));
    let named = args.variant.iter();
    let named = named.map(|(name, command)| of(Some(name), command));
    let against = args.against.iter();
    let against = against.map(|command| of(Some("against"), command));
    let written: Vec<Written> = unnamed.chain(named).chain(against).collect();
    ensure!(
        !written.is_empty(),
        "name at least one command, such as: flowgauge exec 'sort big.txt'"
    );
    Ok(written)
}

fn builds(list: Option<String>) -> Vec<String> {
    let list = list.unwrap_or_default();
    let files = list.split(',').map(str::trim);
    let files = files.filter(|file| !file.is_empty());
    files.map(str::to_owned).collect()
}

/// As labels name them: by the first of several builds.
fn shown(commands: &[Written], builds: &[Vec<String>]) -> Vec<Written> {
    let both = commands.iter().zip(builds);
    let shown = both.map(|(one, builds)| Written {
        command: match builds.first() {
            Some(first) => one.command.replace("{build}", first),
            None => one.command.clone(),
        },
        ..one.clone()
    });
    shown.collect()
}

fn given_name<'a>(args: &'a ExecArgs, number: usize, one: &'a Written) -> Option<&'a String> {
    args.names.get(number).or(one.name.as_ref())
}

fn names_differ(args: &ExecArgs, commands: &[Written]) -> Result<()> {
    let names = commands.iter().enumerate();
    let names = names.filter_map(|(number, one)| given_name(args, number, one));
    match names::repeated(&names.collect::<Vec<_>>()) {
        Some(name) => bail!("two commands are named '{name}': give each a name of its own"),
        None => Ok(()),
    }
}

fn of_command(flag: &str, given: &[String], number: usize, count: usize) -> Result<Option<String>> {
    ensure!(
        given.len() <= 1 || given.len() == count,
        "{flag} is given {} times, and the number of commands is {count}: give it once for all, or \
         once for each",
        given.len()
    );
    Ok(given.get(number).or(given.first()).cloned())
}

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
        output: match proof.output.as_deref() {
            Some("pipe") => Output::Pipe,
            _ => Output::Null,
        },
        setup: each.setup.clone(),
        cleanup: each.cleanup.clone(),
        check: proof.check.clone(),
        check_output,
        same_output: proof.same_output || same,
        ignore_failure: proof.ignore_failure.is_some(),
        ignored_codes: proof
            .ignore_failure
            .as_ref()
            .map_or_else(Vec::new, |codes| codes.0.clone()),
        leaves_processes: each.leaves_processes,
        timeout_s: each.timeout,
        grace_s: each.grace,
        units: each.work,
        warmups: args.hyperfine.warmup,
        layout: Layout {
            environment: !each.fixed_environment,
            builds: Vec::new(),
        },
        ..Program::new(command)
    })
}

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
