//! `flowgauge fleet`: the same studies on many machines.

mod folder;
mod gather;

use anyhow::Result;

use crate::args::{FleetArgs, FleetCommand};
use crate::ending::Ending;

/// Does what was asked for.
pub(crate) fn run(args: &FleetArgs) -> Result<Ending> {
    match &args.command {
        FleetCommand::Gather(args) => gather::run(args),
    }
}
