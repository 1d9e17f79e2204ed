use std::path::PathBuf;

use clap::Args;

use super::{AnswerArgs, Format, HowArgs};
use crate::number;

/// Questions that people argue about.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge decide                    the questions, and what of each can be answered here
  flowgauge decide quota              how many workers under a CPU quota, in a minute
  flowgauge decide python -v          with every table
  flowgauge decide server --budget 5m --out DIR    longer, and kept in a folder
  flowgauge decide ./mine.toml        a question of your own: a study file")]
pub(crate) struct DecideArgs {
    #[arg(value_name = "QUESTION", help = known_questions())]
    pub(crate) question: Option<String>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

fn known_questions() -> String {
    let names: Vec<&str> = lab::decision_names().collect();
    format!(
        "The question: {}; all are listed without it",
        names.join(", ")
    )
}

/// Compare this machine with itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge calibrate                 noise, and whether a planted 5 % is found
  flowgauge calibrate --plant 2%      a harder one
  flowgauge calibrate --rounds 20     with fewer rounds
  flowgauge calibrate --sample 100ms  also what a sampler at this interval costs")]
pub(crate) struct CalibrateArgs {
    /// The difference planted in the second comparison
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = number::fraction)]
    pub(crate) plant: f64,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What the smallest steps take.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge ruler                     20 s: a scale, a page, and the scale as SVG
  flowgauge ruler --budget 60s        with narrower intervals
  flowgauge ruler --plots FOLDER      the picture in a folder of your own")]
pub(crate) struct RulerArgs {
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What this machine is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge machine                   CPUs, caches, memory, limits, counters
  flowgauge machine --probe           also the latency of memory, measured
  flowgauge machine --format json")]
pub(crate) struct MachineArgs {
    /// Measure how far the TLB reaches with small and huge pages, and the latency of caches and memory
    /// (a few seconds)
    #[arg(long)]
    pub(crate) probe: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// What is optional.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge doctor                    allocators, MPI, counters, servers of decisions ...
  flowgauge doctor | grep -A2 '^-'    what is not here, and how to get it")]
pub(crate) struct DoctorArgs {}

/// Make reports again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge report DIR                     text, and report.html and the tables in DIR again
  flowgauge report DIR --plots plots       each chart as SVG and PNG
  flowgauge report DIR --format csv        one row a repetition
  flowgauge report DIR --then-and-now      what the five sources found, and what this run says
  flowgauge report DIR --expect 'primes/thread vs process <= 1.05'

Exit codes: 0 the reports were made and all expectations hold, 1 an expectation fails, 2 error, \
3 an expectation cannot be decided, or an answer is required and there is none.")]
pub(crate) struct ReportArgs {
    /// A results folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print what the sources of the studies found beside the results of this run, as Markdown
    #[arg(long)]
    pub(crate) then_and_now: bool,
    /// Print every table and reason too, not only the answers
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// Write the tables of single studies too, and the slots as lines of JSON (docs/results.md)
    #[arg(long)]
    pub(crate) tables: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

/// Shell completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge completions bash > ~/.local/share/bash-completion/completions/flowgauge
  flowgauge completions fish > ~/.config/fish/completions/flowgauge.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// The manual page.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge man | man -l -            read it
  flowgauge man --out man/man1        one page for the command, and one for each subcommand")]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this folder, instead of one page to standard output
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
