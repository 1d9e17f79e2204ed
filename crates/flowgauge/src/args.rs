//! The command line, as data.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use flow::{Channel, HandOver, Model, Placement, Schedule};
use lab::{Preset, Value};
use workload::primes::Method;

use crate::number::{self, Sizes};

/// A gauge for flows of control: processes, threads or user-level threads, which is
/// better for this work on this machine, by how much, how sure is that, and why.
#[derive(Debug, Parser)]
#[command(name = "flowgauge", version, max_term_width = 100, after_help = TOP_EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const TOP_EXAMPLES: &str = "\
Examples:
  flowgauge run                      all studies, quick: a verdict for each and a report
  flowgauge primes -p 5 -t 5         the 2010 study at its original size
  flowgauge calibrate                how small a difference this machine can tell
  flowgauge machine                  what this machine is and can measure

Exit codes: 0 answered, 2 error, 3 cannot tell, 130/143 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run studies and answer: by default all of them, quick
    Run(RunArgs),
    /// Primes by processes and threads (S. Norgren 2010)
    Primes(PrimesArgs),
    /// Context switches against the number of flows and what they touch (Zheng 2006)
    Switch(SwitchArgs),
    /// How many flows of each model there can be, what stops them, what one costs (Zheng 2006)
    Limits(LimitsArgs),
    /// Compare this machine with itself: its noise, and how small a difference it can tell
    Calibrate(CalibrateArgs),
    /// What this machine is and what it can measure
    Machine(MachineArgs),
    /// Make the reports of a results folder again from its journal
    Report(ReportArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  flowgauge run                            every study, quick
  flowgauge run primes --preset full       one study at the size of the original
  flowgauge run my-study.toml              a study of your own
  flowgauge run --budget 30s --seed 7      at most 30 s a study, in this random order
  flowgauge run --resume DIR               go on where a cut run stopped
  flowgauge run --format json > out.json   one JSON document and nothing else";

/// Run studies and answer.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// Names of built-in studies, or study files (.toml); all built-in ones by default
    #[arg(value_name = "STUDY", conflicts_with = "resume")]
    pub(crate) studies: Vec<String>,
    /// How much work: quick answers in seconds, full is the size of the originals
    #[arg(long, value_enum, default_value = "quick", conflicts_with = "resume")]
    pub(crate) preset: PresetArg,
    /// Go on with the cut run in this results folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "seed", "rounds", "budget", "floor", "value", "deadline"])]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

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
    /// Results folder [default: flowgauge-results/TIME-STUDY]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// What standard output gets
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

const PRIMES_EXAMPLES: &str = "\
Examples:
  flowgauge primes                                the original: 5 processes against 5 threads
  flowgauge primes -p 5 -o primes.csv             processes alone, results into a file
  flowgauge primes --model thread,2x2 --schedule queue --blocks 50 -b 1e6
  flowgauge primes --method sieve --block 1e3..1e7    the size below which processes cost more
  flowgauge primes -v --rounds 10 -b 1e6          say what each worker does";

/// Primes by processes and threads.
///
/// Each worker searches a block of numbers and sends every 1,000th prime through a named
/// pipe to the parent, which alone writes the file.
#[derive(Debug, Args)]
#[command(after_help = PRIMES_EXAMPLES)]
pub(crate) struct PrimesArgs {
    /// Number of worker processes; alone, only processes run
    #[arg(short = 'p', long, value_name = "N", value_parser = number::whole)]
    pub(crate) processes: Option<u64>,
    /// Number of worker threads; alone, only threads run
    #[arg(short = 't', long, value_name = "N", value_parser = number::whole)]
    pub(crate) threads: Option<u64>,
    /// Numbers in a block; a range such as 1e3..1e7 sweeps it
    #[arg(short = 'b', long, value_name = "SIZE", default_value = "10000000", value_parser = number::sizes)]
    pub(crate) block: Sizes,
    /// First number searched
    #[arg(short = 's', long, value_name = "N", default_value = "10000001", value_parser = number::whole)]
    pub(crate) start: u64,
    /// How many blocks [default: one a worker]
    #[arg(long, value_name = "N", value_parser = number::whole)]
    pub(crate) blocks: Option<u64>,
    /// Write the results to this file: worker (the number of the block), index (which prime
    /// of the block), prime
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Each how-many-th prime is a result; 1 = all
    #[arg(long, value_name = "K", default_value = "1000", value_parser = number::whole)]
    pub(crate) every: u64,
    /// Models, the first being the reference: process, process-shared-files,
    /// thread-private-files, thread, PxT
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<Model>,
    /// How primes are found: trial, miller-rabin, sieve [default: trial; sieve for a sweep]
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<Method>,
    /// How results travel: fifo, pipe, shm
    #[arg(long, value_name = "CHANNEL", default_value = "fifo")]
    pub(crate) channel: Channel,
    /// How blocks are handed out: static, queue
    #[arg(long, value_name = "SCHEDULE", default_value = "static")]
    pub(crate) schedule: Schedule,
    /// Which CPUs: free, one, cores, smt, or a list such as 0,2
    #[arg(long, value_name = "PLACEMENT", default_value = "free")]
    pub(crate) placement: Placement,
    /// Say what each worker does, in a launch of its own that is not counted
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

const SWITCH_EXAMPLES: &str = "\
Examples:
  flowgauge switch                                2 to 1,000,000 flows of every model
  flowgauge switch --flows 1000                   at 1,000 flows only
  flowgauge switch --model thread,fiber-packed --flows 2..10000
  flowgauge switch --yield sched_yield,pipe,futex --flows 2..100
  flowgauge switch --flows 100 --stack-use 0,1K,4K,16K,64K";

/// Context switches against the number of flows and what they touch.
///
/// Flows do nothing but take turns; a time is that of one turn of one flow. Those of the
/// kernel are all on one CPU. A flow that never hands over is ended by the deadline.
#[derive(Debug, Args)]
#[command(after_help = SWITCH_EXAMPLES)]
pub(crate) struct SwitchArgs {
    /// How many flows; a range goes up in steps of 1, 2, 5
    #[arg(long, value_name = "N", default_value = "2..1000000", value_parser = number::sizes)]
    pub(crate) flows: Sizes,
    /// Models, the first being the reference: process, thread, fiber, fiber-packed, task
    #[arg(
        long,
        value_name = "MODEL",
        value_delimiter = ',',
        default_value = "process,thread,fiber,fiber-packed,task"
    )]
    pub(crate) model: Vec<Model>,
    /// How flows of the kernel hand over: sched_yield, pipe, futex
    #[arg(
        long = "yield",
        value_name = "WAY",
        value_delimiter = ',',
        default_value = "sched_yield"
    )]
    pub(crate) hand_over: Vec<HandOver>,
    /// Bytes that a flow touches in each turn: 0, 1K, 4K, 16K, 64K, 256K; several are swept
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = "0", value_parser = number::bytes)]
    pub(crate) stack_use: Vec<u64>,
    /// Bytes of a fiber's stack [default: what it needs; guarded ones are whole pages, 16K or more]
    #[arg(long, value_name = "BYTES", value_parser = number::bytes)]
    pub(crate) stack: Option<u64>,
    /// No more flows than this of any model
    #[arg(long, value_name = "N", value_parser = number::whole)]
    pub(crate) max_flows: Option<u64>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// How many flows there can be.
///
/// The number is predicted by reading limits; 1,000 flows of each model are made for real,
/// or as many as --probe-to says, inside a fence that leaves the machine room to go on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge limits                                  predicted, and 1,000 of each made
  flowgauge limits --probe-to 20000                 make up to 20,000 of each
  flowgauge limits --model fiber-packed --probe-to 1e7")]
pub(crate) struct LimitsArgs {
    /// Make up to so many flows of each model, in steps of 1, 2, 5
    #[arg(long, value_name = "N", value_parser = number::whole)]
    pub(crate) probe_to: Option<u64>,
    /// Models, the first being the reference: process, thread, fiber, fiber-packed, task
    #[arg(
        long,
        value_name = "MODEL",
        value_delimiter = ',',
        default_value = "process,thread,fiber,fiber-packed,task"
    )]
    pub(crate) model: Vec<Model>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// Compare this machine with itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge calibrate                 noise, and whether a planted 5 % is found
  flowgauge calibrate --plant 2%      a harder one
  flowgauge calibrate --rounds 20     with fewer rounds")]
pub(crate) struct CalibrateArgs {
    /// The difference that is planted into the second comparison
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = number::fraction)]
    pub(crate) plant: f64,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What this machine is.
#[derive(Debug, Args)]
pub(crate) struct MachineArgs {
    /// What standard output gets
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Make reports again.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A results folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
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

/// How much work a study does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetArg {
    /// An answer in seconds
    Quick,
    /// The size of the original
    Full,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Quick => Self::Quick,
            PresetArg::Full => Self::Full,
        }
    }
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
