//! `flowgauge fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

const FLEET_EXAMPLES: &str = "\
Examples:
  flowgauge fleet gather DIR                        the answer over the machines of a fleet
  flowgauge fleet gather DIR laptop --out all       and over runs from elsewhere";

/// The same studies on many machines: which verdicts hold on all of them, and where they flip.
#[derive(Debug, Args)]
#[command(after_help = FLEET_EXAMPLES)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Merge journals of many machines and answer: twice, in any order, the same bytes
    Gather(GatherArgs),
}

/// Merge the journals of many machines and answer over them.
///
/// A folder is one that a fleet's run has made (it has a folder `nodes` with one for each machine), or the
/// results folder of a run, which is then a machine of the folder's name. Of a run whose journal was
/// fetched several times, or cut, the longest text is kept; no clock decides anything.
#[derive(Debug, Args)]
pub(crate) struct GatherArgs {
    /// Folders of fleets, or results folders
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder of the fleet that is made [default: DIR, where it is one folder of a fleet]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What becomes of the answer.
#[derive(Debug, Clone, Args)]
pub(crate) struct ShownArgs {
    /// Every comparison and machine too
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// What standard output gets
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Write each chart into this folder, as SVG and as PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
}
