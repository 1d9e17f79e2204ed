use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;
use crate::number;

const FLEET_EXAMPLES: &str = "\
Examples:
  flowgauge fleet run primes --hosts FILE             a study on each machine
  flowgauge fleet run primes --hosts FILE -- --rounds 20    options of the run
  flowgauge fleet run primes --hosts FILE --out DIR --only node7    one again
  flowgauge fleet run primes switch --slurm batch --nodes 16 --wait    as a job
  flowgauge fleet gather DIR                          the answer over all
  flowgauge fleet gather DIR laptop --out all         and over another run";

/// The same studies on many machines: which verdicts hold on all of them, and where they flip.
#[derive(Debug, Args)]
#[command(after_help = FLEET_EXAMPLES)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Run studies on every machine, by ssh or as a Slurm job, and answer over all of them
    Run(Box<FleetRunArgs>),
    /// Merge the journals of many machines and answer; the order does not matter
    Gather(GatherArgs),
    /// What runs on a machine of a fleet
    #[command(hide = true)]
    Node(NodeArgs),
}

/// Run studies on many machines and answer over them.
///
/// By ssh, this program is copied to each machine into a temporary folder, checked, run, and removed with
/// the folder however the run ends. A machine that fails is named with the reason, and the others
/// continue. Exit code 2 if any failed.
#[derive(Debug, Args)]
pub(crate) struct FleetRunArgs {
    /// Built-in studies, or study files (.toml)
    #[arg(value_name = "STUDY", required = true)]
    pub(crate) studies: Vec<String>,
    /// Machines, one a line: [NAME=]DESTINATION as ssh takes it; # begins a comment
    // `requires = "slurm"` alone is not asked of an option beside --hosts, which excludes --slurm.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["slurm", "nodes", "account", "qos", "constraint", "gres",
        "reservation", "shared_nodes", "cpus", "array", "wait"])]
    pub(crate) hosts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) job: SlurmArgs,
    /// These machines alone: to run again what failed, with --out DIR
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Show what would be run where, or the batch script, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Wait until the Slurm job has ended, and answer
    #[arg(long, requires = "slurm")]
    pub(crate) wait: bool,
    /// The program to copy [default: this one; a static one needs no library of the machine]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,
    /// The program is on every machine already, at this path; it must be the same file
    #[arg(long, value_name = "PATH")]
    pub(crate) at: Option<String>,
    /// Where each machine makes its temporary folder [default: $TMPDIR or /tmp there]
    #[arg(long, value_name = "DIR", conflicts_with = "slurm")]
    pub(crate) folder: Option<String>,
    /// The ssh program [default: $FLOWGAUGE_SSH, or ssh]
    #[arg(long, value_name = "PROGRAM", conflicts_with = "slurm")]
    pub(crate) ssh: Option<PathBuf>,
    /// The configuration of ssh, for jump hosts and users [default: ~/.ssh/config]
    #[arg(long, value_name = "FILE", conflicts_with = "slurm")]
    pub(crate) ssh_config: Option<PathBuf>,
    /// A machine that does not answer in this time has failed
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = number::seconds, conflicts_with = "slurm")]
    pub(crate) patience: f64,
    /// A machine that has not ended in this time has failed; the time limit of a Slurm job [default: twice the
    /// budget of the run and 10 min more, or 24h without a budget]
    #[arg(long, value_name = "TIME", value_parser = number::seconds)]
    pub(crate) machine_deadline: Option<f64>,
    /// Machines that are connected to and given the program, or jobs of an array that run, at the same time
    /// [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) parallel: Option<u32>,
    /// Seed of the fleet, from which the seed of each machine is made; printed [default: random]
    #[arg(long, value_name = "N", value_parser = number::whole)]
    pub(crate) seed: Option<u64>,
    /// Folder of the fleet [default: flowgauge-results/TIME-fleet]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) merged: MergedArgs,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    /// Options of `flowgauge run` for every machine
    #[arg(last = true, value_name = "OPTION")]
    pub(crate) more: Vec<String>,
}

/// The job of a fleet that runs by Slurm.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SlurmArgs {
    /// Submit a Slurm job to this partition
    #[arg(long, value_name = "PARTITION")]
    pub(crate) slurm: Option<String>,
    /// Nodes of the Slurm job [default: as many as --only names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) nodes: Option<u32>,
    /// Account that the Slurm job is charged to
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) account: Option<String>,
    /// Quality of service of the Slurm job
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) qos: Option<String>,
    /// Features that nodes of the Slurm job must have
    #[arg(long, value_name = "LIST", requires = "slurm")]
    pub(crate) constraint: Option<String>,
    /// Devices that the Slurm job needs on each node, such as gpu:1
    #[arg(long, value_name = "LIST", requires = "slurm")]
    pub(crate) gres: Option<String>,
    /// Reservation that the Slurm job runs in
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) reservation: Option<String>,
    /// Leave what is free of the nodes to other jobs; the answer says so [default: whole nodes]
    #[arg(long, requires = "slurm")]
    pub(crate) shared_nodes: bool,
    /// CPUs of each node that the Slurm job takes of shared nodes
    #[arg(long, value_name = "N", requires = "shared_nodes", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cpus: Option<u32>,
    /// A job for each node, as a Slurm array: each begins when a node is free; at most --parallel at a time
    #[arg(long, requires = "slurm", conflicts_with_all = ["only", "wait"])]
    pub(crate) array: bool,
}

/// What runs on a machine of a fleet: started there, and not by hand.
#[derive(Debug, Args)]
pub(crate) struct NodeArgs {
    /// The folder of this machine, for everything that it writes
    #[arg(long, value_name = "DIR", required_unless_present = "shared")]
    pub(crate) folder: Option<PathBuf>,
    /// The folder of the fleet, which all machines see
    #[arg(long, value_name = "DIR")]
    pub(crate) shared: Option<PathBuf>,
    /// The name of this machine [default: the one that Slurm gives it, or its own]
    #[arg(long, value_name = "NAME", requires = "shared")]
    pub(crate) name: Option<String>,
}

/// Merge the journals of many machines and answer over them.
///
/// A folder is that of a fleet (with a folder `nodes`), or the results folder of a run, which then is a
/// machine of that name. Of several copies of a journal the longest is kept, whatever the clocks say.
#[derive(Debug, Args)]
pub(crate) struct GatherArgs {
    /// Folders of fleets, or results folders
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder of the fleet that is made [default: DIR, where it is one folder of a fleet]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) merged: MergedArgs,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// How many machines make an answer, and what each may send.
#[derive(Debug, Clone, Args)]
pub(crate) struct MergedArgs {
    /// Exit code 0 if this many machines have finished; a run does not begin with fewer [default: that of the run, or all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) quorum: Option<u32>,
    /// A machine whose journals are larger has failed
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = number::some_bytes)]
    pub(crate) journal_limit: u64,
}

/// What becomes of the answer.
#[derive(Debug, Clone, Args)]
pub(crate) struct ShownArgs {
    /// Every comparison and machine too
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Write each chart into this folder, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
}
