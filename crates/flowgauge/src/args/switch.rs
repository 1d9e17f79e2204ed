//! `flowgauge switch`.

use clap::Args;
use flow::{HandOver, Model};

use super::HowArgs;
use crate::number::{self, Sizes};

const SWITCH_EXAMPLES: &str = "\
Examples:
  flowgauge switch                                2 to 1,000,000 flows of every model
  flowgauge switch --flows 1000                   at 1,000 flows only
  flowgauge switch --model thread,fiber-packed --flows 2..10000
  flowgauge switch --yield sched_yield,pipe,futex --flows 2..100
  flowgauge switch --flows 100 --stack-use 0,1K,4K,16K,64K
  flowgauge switch --flows 100 --events instructions,cache-misses,dtlb-misses";

/// Context switches against the number of flows and what they touch.
///
/// Flows do nothing but take turns; a time is that of one turn of one flow. Those of the
/// kernel are all on one CPU, as is what carries user-level ones; of several carriers each is
/// on a core. A flow that never hands over is ended by the deadline.
#[derive(Debug, Args)]
#[command(after_help = SWITCH_EXAMPLES)]
pub(crate) struct SwitchArgs {
    /// How many flows; a range goes up in steps of 1, 2, 5, and to where models end before it
    #[arg(long, value_name = "N", default_value = "2..1000000", value_parser = number::sizes, allow_negative_numbers = true)]
    pub(crate) flows: Sizes,
    /// Models, the first being the reference: process, thread, fiber, fiber-packed, fiber/2 (over
    /// 2 kernel threads), task
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
    /// Bytes that a flow touches in each turn, up to 1M, rounded up to whole cache lines of 64;
    /// several are swept
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = "0", value_parser = number::bytes)]
    pub(crate) stack_use: Vec<u64>,
    /// Bytes of a fiber's stack, a multiple of 64; for guarded ones it is rounded up to whole
    /// pages and 16K [default: what it needs]
    #[arg(long, value_name = "BYTES", value_parser = number::bytes, allow_negative_numbers = true)]
    pub(crate) stack: Option<u64>,
    /// No more flows than this of any model
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    pub(crate) max_flows: Option<u64>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}
