//! How a run is carried out: the same for every study.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use flow::Pages;
use lab::Value;

use crate::number;

/// How a run is carried out: the same for every study.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to run")]
pub(crate) struct HowArgs {
    /// Rounds at the most; the data is looked at after 10, 20, 40 and 80
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) rounds: Option<u64>,
    /// Time at the most for each study, such as 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = number::seconds)]
    pub(crate) budget: Option<f64>,
    /// Seed of every random choice; printed, and drawn anew when not given
    #[arg(long, value_name = "N", value_parser = number::whole)]
    pub(crate) seed: Option<u64>,
    /// Differences below this do not matter [default: 1%, or 2% on a noisy machine]
    #[arg(long, value_name = "SHARE", value_parser = number::share)]
    pub(crate) floor: Option<f64>,
    /// What stands for a slot: the median of its repetitions, or the fastest one
    #[arg(long, value_enum, default_value = "typical")]
    pub(crate) value: ValueArg,
    /// A slot that takes longer has failed [default: 20 times what its pilot took]
    #[arg(long, value_name = "TIME", value_parser = number::seconds)]
    pub(crate) deadline: Option<f64>,
    /// Show what each slot's flows do while it runs: where, in what state, how busy; look
    /// each INTERVAL, such as 200ms [default: 0.5s on a terminal, 1s elsewhere]
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, value_parser = number::seconds)]
    pub(crate) watch: Option<Option<f64>>,
    /// Record CPU, memory and disk of each slot at this interval, by a process beside it
    #[arg(long, value_name = "INTERVAL", value_parser = number::seconds)]
    pub(crate) sample: Option<f64>,
    /// Record the disk space of this folder too
    #[arg(long, value_name = "DIR", requires = "sample")]
    pub(crate) sample_folder: Option<PathBuf>,
    /// Memory that each cell has touched before it makes flows, such as 256M
    #[arg(long, value_name = "BYTES", value_parser = number::some_bytes)]
    pub(crate) ballast: Option<u64>,
    /// How that memory is held: 4k, huge, shared, dontfork; several make variants of each
    /// process model [default: 4k]
    #[arg(
        long,
        value_name = "PAGES",
        value_delimiter = ',',
        requires = "ballast"
    )]
    pub(crate) ballast_pages: Vec<Pages>,
    /// Results folder [default: flowgauge-results/TIME-STUDY]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// What standard output gets
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// What standard output gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables and sentences
    Text,
    /// One JSON document
    Json,
    /// A table: one row a repetition, or a fact of the machine
    Csv,
}

/// What stands for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValueArg {
    /// The median of its repetitions
    Typical,
    /// The fastest of them
    Undisturbed,
}

impl From<ValueArg> for Value {
    fn from(value: ValueArg) -> Self {
        match value {
            ValueArg::Typical => Self::Typical,
            ValueArg::Undisturbed => Self::Undisturbed,
        }
    }
}
