//! `flowgauge workers`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use flow::Placement;
use workload::Sync;

use super::HowArgs;
use crate::number::{self, Sizes};

const WORKERS_EXAMPLES: &str = "\
Examples:
  flowgauge workers                                   the original: two of each, then sweeps
  flowgauge workers --kind io --folder /mnt/disk      I/O alone, on another disk
  flowgauge workers --processes 4 --threads 4         four against four, without a sweep
  flowgauge workers --kind cpu --cpu free             on all CPUs instead of one
  flowgauge workers --loops 900 --budget 60s          a tenth of the work, a minute at most
  flowgauge workers --processes 2..5 --threads 2..8 --cpu 0 --out DIR    results into DIR";

/// Workers for cpu, memory and I/O by processes and threads.
///
/// Two workers of each kind are laid beside the source's table; then their number grows, and
/// the law of the time is told. All of them share one CPU unless --cpu says otherwise.
#[derive(Debug, Args)]
#[command(after_help = WORKERS_EXAMPLES)]
pub(crate) struct WorkersArgs {
    /// What workers do: cpu (square roots and tangents), mem (arrays of 50 MiB), io (blocks
    /// that wait for the disk)
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        value_delimiter = ',',
        default_value = "cpu,mem,io"
    )]
    pub(crate) kind: Vec<Kind>,
    /// How many processes; a range is swept
    #[arg(long, value_name = "N", default_value = "2..5", value_parser = number::sizes, allow_negative_numbers = true)]
    pub(crate) processes: Sizes,
    /// How many threads; a range is swept, and where there are as many processes they are
    /// compared
    #[arg(long, value_name = "N", default_value = "2..8", value_parser = number::sizes, allow_negative_numbers = true)]
    pub(crate) threads: Sizes,
    /// The CPU that all of them share, free, or a list such as 0,2 [default: the first that
    /// may be used, as a rule 0]
    #[arg(long, value_name = "CPU")]
    pub(crate) cpu: Option<Placement>,
    /// How much work each worker does: 10,000 terms of arithmetic a loop, an array in 300, a
    /// block in 30
    #[arg(long, value_name = "N", default_value = "9000", value_parser = number::whole, allow_negative_numbers = true)]
    pub(crate) loops: u64,
    /// The folder for the files of io [default: the results folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// How io waits for the disk: dsync (each write), fsync (after each write)
    #[arg(long, value_name = "WAY", default_value = "dsync")]
    pub(crate) sync: Sync,
    /// Bytes of a block of io
    #[arg(long, value_name = "BYTES", default_value = "4K", allow_hyphen_values = true, value_parser = number::bytes)]
    pub(crate) block: u64,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What workers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Compute
    Cpu,
    /// Take, fill and free memory
    Mem,
    /// Write to a disk and wait for it
    Io,
}
