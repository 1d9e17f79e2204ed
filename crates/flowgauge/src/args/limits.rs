//! `flowgauge limits`.

use clap::{Args, ValueEnum};
use flow::{Fence, Model};

use super::HowArgs;
use crate::number;

/// How many flows there can be.
///
/// The number is predicted by reading limits, and the prediction is put to the test behind
/// a limit that is lowered for one process. 1,000 flows of each model are made for real, or
/// as many as --probe-to says, inside a fence that leaves the machine room to go on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge limits                                  predicted, and 1,000 of each made
  flowgauge limits --probe-to 20000                 make up to 20,000 of each
  flowgauge limits --model fiber-packed --probe-to 1e7")]
pub(crate) struct LimitsArgs {
    /// Create up to N flows of each model, in steps of 1, 2, 5
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    pub(crate) probe_to: Option<u64>,
    /// The limit that is lowered to confirm predictions for processes and threads [default:
    /// the one nearest to what stops them here, or another where it cannot be had]
    #[arg(long, value_enum, value_name = "LIMIT")]
    pub(crate) fence: Option<FenceArg>,
    /// Models, the first being the reference: process, thread, fiber, fiber-packed,
    /// migratable, task
    #[arg(
        long,
        value_name = "MODEL",
        value_delimiter = ',',
        default_value = "process,thread,fiber,fiber-packed,migratable,task"
    )]
    pub(crate) model: Vec<Model>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What may be lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FenceArg {
    /// kernel.pid_max of a namespace of ids
    Ids,
    /// RLIMIT_NPROC of a user
    User,
    /// Nothing: confirm no prediction
    None,
}

impl FenceArg {
    /// The fence, if it is one.
    pub(crate) fn fence(self) -> Option<Fence> {
        match self {
            Self::Ids => Some(Fence::Ids),
            Self::User => Some(Fence::User),
            Self::None => None,
        }
    }
}
