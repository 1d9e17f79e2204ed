//! `flowgauge primes`.

use std::path::PathBuf;

use clap::Args;
use flow::{Channel, Model, Placement, Schedule};
use workload::primes::Method;

use super::HowArgs;
use crate::number::{self, Sizes};

const PRIMES_EXAMPLES: &str = "\
Examples:
  flowgauge primes                                the original: 5 processes against 5 threads
  flowgauge primes -p 5 -o primes.csv             processes alone, results into a file
  flowgauge primes --model thread,2x2 --schedule queue --blocks 50 -b 1e6
  flowgauge primes --method sieve --block 1e3..1e7    the size below which processes cost more
  flowgauge primes --events all                    events of the flows, such as cache misses
  flowgauge primes -v --rounds 10 -b 1e6          say what each worker does";

/// Primes by processes and threads.
///
/// Each worker searches a block of numbers and sends every 1,000th prime through a named
/// pipe to the parent, which alone writes the file.
#[derive(Debug, Args)]
#[command(after_help = PRIMES_EXAMPLES)]
pub(crate) struct PrimesArgs {
    /// Number of worker processes; alone, only processes run
    #[arg(short = 'p', long, value_name = "N", allow_negative_numbers = true, value_parser = number::whole)]
    pub(crate) processes: Option<u64>,
    /// Number of worker threads; alone, only threads run
    #[arg(short = 't', long, value_name = "N", allow_negative_numbers = true, value_parser = number::whole)]
    pub(crate) threads: Option<u64>,
    /// Numbers in a block; a range such as 1e3..1e7 sweeps it
    #[arg(short = 'b', long, value_name = "SIZE", default_value = "10000000", allow_negative_numbers = true, value_parser = number::sizes)]
    pub(crate) block: Sizes,
    /// First number searched
    #[arg(short = 's', long, value_name = "N", default_value = "10000001", allow_negative_numbers = true, value_parser = number::whole)]
    pub(crate) start: u64,
    /// How many blocks [default: one a worker]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::whole)]
    pub(crate) blocks: Option<u64>,
    /// Write the results to this file: worker (the number of the block), index (which prime
    /// of the block), prime
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Each how-many-th prime is a result; 1 = all
    #[arg(long, value_name = "K", default_value = "1000", allow_negative_numbers = true, value_parser = number::whole)]
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
