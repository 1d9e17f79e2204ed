//! The command line, as data: one file a command.

pub(crate) mod axis;
mod body;
mod compare;
mod exec;
mod fleet;
mod how;
mod hybrid;
mod malloc;
mod others;
mod run;
mod search;
mod simulate;
mod study;
mod wiki;
mod words;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use body::{Argument, BodyArgs};
pub(crate) use compare::CompareArgs;
pub(crate) use exec::{ExecArgs, ExportOrder, HyperfineArgs, ServeArgs};
pub(crate) use fleet::{
    FleetArgs, FleetCommand, FleetRunArgs, GatherArgs, MergedArgs, NodeArgs, ShownArgs, SlurmArgs,
};
pub(crate) use how::{AnswerArgs, Format, HowArgs, Word};
pub(crate) use hybrid::{BodyArg, HybridArgs, PlacementArg};
pub(crate) use malloc::MallocArgs;
pub(crate) use others::{
    CalibrateArgs, CompletionsArgs, DecideArgs, DoctorArgs, MachineArgs, ManArgs, ReportArgs,
    RulerArgs,
};
pub(crate) use run::RunArgs;
pub(crate) use search::{SearchArgs, Sort};
pub(crate) use simulate::{Along, SimulateArgs};
pub(crate) use study::StudyArgs;
pub(crate) use wiki::{Design, WikiArgs};

/// A gauge for flows of control: processes, threads or user-level threads, which is
/// better for this work on this machine, by how much, how sure is that, and why.
#[derive(Debug, Parser)]
#[command(name = "flowgauge", version, max_term_width = 100, after_help = TOP_EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line where the command is `search`: the same, without all other commands. To make
/// those takes more memory than many a search.
#[derive(Debug, Parser)]
#[command(name = "flowgauge", version, max_term_width = 100)]
struct SearchCli {
    #[command(subcommand)]
    command: SearchOnly,
}

#[derive(Debug, Subcommand)]
enum SearchOnly {
    /// Search files for a pattern, with the flows of your choice
    Search(SearchArgs),
}

pub(crate) fn asked() -> Command {
    match std::env::args_os().nth(1) {
        None => first_words(),
        Some(name) if name == "search" => {
            let SearchOnly::Search(args) = SearchCli::try_parse()
                .unwrap_or_else(|error| refuse(&known_from_others(error)))
                .command;
            Command::Search(args)
        }
        _ => {
            let words: Vec<OsString> = std::env::args_os().collect();
            read(&words).unwrap_or_else(|error| refuse(&error))
        }
    }
}

const FIRST_WORDS: &str = "\
Which is better for this work on this machine, by how much, how sure is that, and why: processes, threads, fibers?
  flowgauge primes -b 100000 --budget 10s    a first answer, within 15 s
  flowgauge run                              every study, in some minutes: answers and a report
  flowgauge decide                           what people argue about; exec and body take what is your own
  flowgauge doctor                           what more there could be here; flowgauge help: all commands
";

fn first_words() -> ! {
    let told = crate::output::print(FIRST_WORDS);
    let told = told.inspect_err(crate::output::tell_error);
    std::process::exit(if told.is_ok() { 0 } else { 2 })
}

pub(crate) fn all() -> clap::Command {
    let mut places = AFTER_STUDIES..;
    let own = Cli::command().mut_subcommands(|command| match command.get_name() {
        "run" => command.display_order(0),
        _ => command.display_order(places.next().unwrap_or(usize::MAX)),
    });
    let studies = study::commands().zip(1..);
    studies.fold(own, |all, (command, order)| {
        all.subcommand(command.display_order(order))
    })
}

/// Answers with the commands that have the option: of the words that were typed, or else of all.
fn elsewhere(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(flag) = unknown(&error) else {
        return error;
    };
    let files = words.iter().filter_map(|word| study::of_file(word)?.ok());
    let all = files.fold(all(), |all, study| all.subcommand(study::command(study)));
    let has = |command: &&clap::Command| {
        let mut arguments = command.get_arguments();
        arguments.any(|argument| {
            let long = argument.get_long().map(|name| format!("--{name}"));
            let short = argument.get_short().map(|letter| format!("-{letter}"));
            [long, short].contains(&Some(flag.clone()))
        })
    };
    let owners: Vec<&str> = all
        .get_subcommands()
        .filter(has)
        .map(clap::Command::get_name)
        .collect();
    let typed: Vec<&str> = owners
        .iter()
        .copied()
        .filter(|owner| words.iter().any(|word| word == *owner))
        .collect();
    let owners = if typed.is_empty() { owners } else { typed };
    if !owners.is_empty() {
        let text = match owners.as_slice() {
            [owner] => format!("'{flag}' is an option of `flowgauge {owner}`"),
            owners => format!(
                "'{flag}' is an option of other commands: {}",
                owners.join(", ")
            ),
        };
        error.remove(ContextKind::SuggestedArg);
        // It is that of an option that looks like this one.
        error.remove(ContextKind::Usage);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![text.into()]),
        );
    }
    error
}

/// The option that no command, or not this one, has.
fn unknown(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => Some(flag.clone()),
        _ => None,
    }
    .filter(|_| error.kind() == ErrorKind::UnknownArgument)
}

fn known_from_others(error: clap::Error) -> clap::Error {
    match unknown(&error).and_then(|flag| search::of_others(&flag)) {
        Some(text) => clap::Error::raw(ErrorKind::UnknownArgument, format!("{text}\n")),
        None => error,
    }
}

const AFTER_STUDIES: usize = 1_000;

pub(crate) fn parsed(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Option<Command> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    read(&words).ok()
}

/// As [`parsed`]; the reason is one line.
pub(crate) fn understood(words: &[&str]) -> anyhow::Result<Command> {
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    read(&words).map_err(|error| {
        let text = match error.use_stderr() {
            true => error.to_string(),
            false => "it shows a text, and runs nothing".to_owned(),
        };
        let lines = text.lines().map(str::trim);
        let is_of_usage = |line: &str| line.starts_with("Usage:") || line.starts_with("For more");
        let lines = lines.take_while(|line| !is_of_usage(line));
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let line = lines.join("; ");
        anyhow::anyhow!("{}", line.strip_prefix("error: ").unwrap_or(&line))
    })
}

/// Commands that are no studies, where they suffice: to read study files takes as long as all else at the start.
fn without_studies(first: Option<&OsString>) -> Option<clap::Command> {
    let first = first?.to_str()?;
    (first == "--version" || Command::has_subcommand(first)).then(Cli::command)
}

/// Its first word may be a study file, which then is a command.
fn read(words: &[OsString]) -> Result<Command, clap::Error> {
    let file = words.get(1).and_then(|word| study::of_file(word));
    let file = file
        .transpose()
        .map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")))?;
    let known = without_studies(words.get(1)).unwrap_or_else(all);
    let own = file.into_iter().map(study::command);
    let known = own.fold(known, clap::Command::subcommand);
    let matches = known.try_get_matches_from(words);
    let matches = matches.map_err(|error| elsewhere(error, words))?;
    let of_study = matches
        .subcommand()
        .filter(|(name, _)| !Command::has_subcommand(name))
        .and_then(|(name, own)| study::read(file, name, own));
    match of_study {
        Some(args) => args.map(Command::Study),
        None => Cli::from_arg_matches(&matches).map(|cli| cli.command),
    }
}

/// Arguments may come from names of files: nothing shown acts on a terminal.
fn refuse(error: &clap::Error) -> ! {
    let text = error.to_string();
    let is_plain = |line: &str| report::text::visible(line) == line;
    if !error.use_stderr() {
        let printed = crate::output::is_open().and_then(|()| crate::output::taken(error.print()));
        if let Err(error) = printed {
            crate::output::tell_error(&error);
            std::process::exit(2);
        }
        std::process::exit(error.exit_code());
    }
    if text.lines().all(is_plain) {
        error.exit();
    }
    text.lines().for_each(crate::output::tell);
    std::process::exit(error.exit_code())
}

const TOP_EXAMPLES: &str = "\
Examples:
  flowgauge run                      every study, quick: answers and a report
  flowgauge decide                   questions that people argue about, each answered in a minute
  flowgauge exec './a' './b'         two commands of your own
  flowgauge body ./libmine.so        a function of your own, under every model
  flowgauge primes -p 5 -t 5         the 2010 study at its original size
  flowgauge calibrate                what difference this machine can detect
  flowgauge ruler                    what a switch, a fork, a file take here
  flowgauge machine                  what this machine is and can measure
  flowgauge compare before after     two runs or machines side by side
  flowgauge fleet run primes --hosts FILE    a study on many machines

Exit codes: 0 done, whatever was found (and all expectations hold), 1 an expectation fails, \
2 error, 3 an answer was required (--expect, --fail-on-regression, --require-answer) and cannot be \
given, 130/143 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run studies and answer: by default all of them, quick
    Run(RunArgs),
    /// A study with options of its own: its file says which.
    #[command(skip)]
    Study(StudyArgs),
    /// Answer a question that people argue about in a minute: quotas, Python, servers, forks and others
    Decide(DecideArgs),
    /// Compare commands of your own, at several numbers of flows or with what can be changed outside
    Exec(Box<ExecArgs>),
    /// A function of your own, from a shared library, under every model
    Body(BodyArgs),
    /// Ranks of an MPI program or threads, and how many of each
    Hybrid(Box<HybridArgs>),
    /// Answer requests for pages of a wiki, within a process or as servers over HTTP
    Wiki(WikiArgs),
    /// Search files for a pattern, with the flows of your choice
    Search(SearchArgs),
    /// Compare this machine with itself: its noise, and how small a difference it can tell
    Calibrate(CalibrateArgs),
    /// What the smallest steps take on this machine, from a switch to a file, on one scale
    Ruler(RulerArgs),
    /// What this machine is and what it can measure
    Machine(MachineArgs),
    /// What is optional: whether it is here, what it adds, and the command that gets it
    Doctor(DoctorArgs),
    /// Make the reports of a results folder again from its journal
    Report(ReportArgs),
    /// Run a program with an allocator that keeps the memory of cores apart
    Malloc(MallocArgs),
    /// Run a program's memory accesses through a model of another machine's caches and TLBs
    Simulate(SimulateArgs),
    /// Results of several runs or machines side by side, with a verdict for each variant
    Compare(CompareArgs),
    /// The same studies on many machines, by ssh or Slurm: what holds on all of them
    Fleet(FleetArgs),
    /// Completions for a shell, on standard output
    Completions(CompletionsArgs),
    /// The manual page, on standard output
    Man(ManArgs),
}

impl Command {
    pub(crate) fn how(&self) -> Option<&HowArgs> {
        match self {
            Self::Run(args) => Some(&args.how),
            Self::Study(args) => Some(&args.how),
            Self::Decide(args) => Some(&args.how),
            Self::Exec(args) => Some(&args.how),
            Self::Body(args) => Some(&args.how),
            Self::Hybrid(args) => Some(&args.how),
            Self::Wiki(args) => Some(&args.how),
            Self::Search(args) => Some(&args.how),
            Self::Calibrate(args) => Some(&args.how),
            Self::Ruler(args) => Some(&args.how),
            Self::Machine(_)
            | Self::Doctor(_)
            | Self::Report(_)
            | Self::Compare(_)
            | Self::Fleet(_)
            | Self::Malloc(_)
            | Self::Simulate(_)
            | Self::Completions(_)
            | Self::Man(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_are_five_lines_of_commands_that_are_there() {
        let lines: Vec<&str> = FIRST_WORDS.lines().collect();
        assert_eq!(lines.len(), 5);
        let lines = lines
            .iter()
            .filter_map(|line| line.strip_prefix("  flowgauge "));
        let commands: Vec<&str> = lines.filter_map(|line| line.split("   ").next()).collect();
        assert_eq!(commands.len(), 4);
        for command in commands {
            let words = ["flowgauge"].into_iter().chain(command.split_whitespace());
            assert!(parsed(words).is_some(), "{command}");
        }
        assert!(FIRST_WORDS.lines().all(|line| line.chars().count() <= 115));
    }

    #[test]
    fn a_command_that_is_no_study_does_without_their_files() {
        let without = |first: &str| without_studies(Some(&first.into())).is_some();
        assert!(without("machine") && without("--version"));
        assert!(!without("primes") && !without("help") && !without("--help"));
        assert!(parsed(["flowgauge", "primes"]).is_some());
    }

    #[test]
    fn every_command_has_examples() {
        for command in all().get_subcommands() {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_else(|| panic!("{name} has no examples"));
            let example = format!("\n  flowgauge {name} ");
            assert!(help.contains(&example), "{name}: {help}");
        }
    }

    #[test]
    fn search_alone_is_the_same_command() {
        let help = |mut all: clap::Command| {
            all.build();
            let search = all.find_subcommand_mut("search").expect("it is there");
            search.render_long_help().to_string()
        };
        assert_eq!(help(SearchCli::command()), help(super::all()));
    }
}
