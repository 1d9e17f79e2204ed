mod folder;
mod gather;
mod guarded;
mod hosts;
mod limits;
mod node;
mod plan;
mod remote;
mod run;
mod slurm;
mod start;
mod wire;

use anyhow::Result;

use crate::args::{FleetArgs, FleetCommand};
use crate::ending::Ending;

pub(crate) fn run(args: &FleetArgs) -> Result<Ending> {
    match &args.command {
        FleetCommand::Run(args) => run::run(args),
        FleetCommand::Gather(args) => gather::run(args),
        FleetCommand::Node(args) => node::run(args),
    }
}
