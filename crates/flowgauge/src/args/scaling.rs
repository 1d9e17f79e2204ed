//! `flowgauge scaling`.

use clap::{Args, ValueEnum};
use lab::Along;

use super::HowArgs;
use super::run::PresetArg;
use crate::number::{self, Sizes};

const SCALING_EXAMPLES: &str = "\
Examples:
  flowgauge scaling                              all works, along SMT, cores and both
  flowgauge scaling --preset quick               the same in half a minute
  flowgauge scaling --workload warehouse --heap 64M
  flowgauge scaling --grid --flows 1..8          every mix of processes and threads, as a heat map
  flowgauge scaling --along cores --flows 2      two flows, each on a core of its own
  flowgauge scaling --events dtlb-misses,cache-misses   the source's explanation, counted";

/// One process with N threads against N processes with one, along SMT and cores.
///
/// The same work is done by 1, 2, 4 and more flows: on the hardware threads of one core (smt),
/// on one core each (cores), and on every hardware thread (all). For each number: throughput,
/// threads over processes, memory, and the pages that flows work on.
#[derive(Debug, Args)]
#[command(after_help = SCALING_EXAMPLES)]
pub(crate) struct ScalingArgs {
    /// Works by their names, or by what names begin with: warehouse, numeric, numeric-large,
    /// numeric-small/fft, wiki, wiki-server, handoff; wiki-server and kernels of numeric other
    /// than sparse are in the full preset alone [default: all]
    #[arg(long, value_name = "WORK", value_delimiter = ',')]
    pub(crate) workload: Vec<String>,
    /// How many flows; of a range 1, 2, 4 and so on, and its end. On all hardware threads the
    /// end of the range alone is run. More than there are CPUs take turns [default: up to what
    /// the machine has]
    #[arg(long, value_name = "N", value_parser = number::sizes)]
    pub(crate) flows: Option<Sizes>,
    /// Where flows are: on the hardware threads of a core first, one a core, on all
    #[arg(
        long,
        value_enum,
        value_name = "WAY",
        value_delimiter = ',',
        default_value = "smt,cores,all"
    )]
    pub(crate) along: Vec<AlongArg>,
    /// Live heap of each flow of warehouse, such as 256M
    #[arg(long, value_name = "BYTES", value_parser = number::some_bytes)]
    pub(crate) heap: Option<u64>,
    /// Run every mix of P processes of T threads too
    #[arg(long)]
    pub(crate) grid: bool,
    /// How large the works are, and how many of them
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) preset: PresetArg,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// Where flows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlongArg {
    /// The hardware threads of one core first
    Smt,
    /// One flow a core
    Cores,
    /// Every hardware thread
    All,
}

impl From<AlongArg> for Along {
    fn from(along: AlongArg) -> Self {
        match along {
            AlongArg::Smt => Self::Smt,
            AlongArg::Cores => Self::Cores,
            AlongArg::All => Self::All,
        }
    }
}
