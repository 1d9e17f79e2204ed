use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::HowArgs;
use crate::number;

const HYBRID_EXAMPLES: &str = "\
Examples:
  flowgauge hybrid                                ranks or threads, for every work below
  flowgauge hybrid --body ping-pong,bandwidth     message or shared memory, by size
  flowgauge hybrid --body halo --side 256,4096    a stencil, in two sizes of the grid
  flowgauge hybrid --body primes,farm --flows 8   1x8, 2x4, 4x2 and 8x1
  flowgauge hybrid --body uneven                  uneven work over ranks: does moving flows pay?
  flowgauge hybrid --mpi mpich                    with MPICH where Open MPI is the usual one
  flowgauge hybrid --launcher srun                in a job of Slurm, each slot as a step of it
  flowgauge hybrid --hosts node1,node2            over two nodes: what does the way between them cost?
  flowgauge hybrid --allow-root                   as root, in a container

Splits: RxT is R ranks (processes of an MPI program) of T threads each; over several nodes, each has as many
ranks as the others.";

/// Ranks of an MPI program or threads, and how many of each.
///
/// The same work is run as every split of the CPUs into R ranks of T threads, on one node or over several. Each
/// slot is a fresh mpirun. A rank on other CPUs than its own, or in a world of another size, fails the slot. Needs
/// Open MPI or MPICH with its compiler.
#[derive(Debug, Args)]
#[command(after_help = HYBRID_EXAMPLES)]
pub(crate) struct HybridArgs {
    /// The MPI: openmpi, mpich, or the path of an mpirun [default: the one on the path]
    #[arg(long, value_name = "MPI")]
    pub(crate) mpi: Option<String>,
    /// Its compiler [default: the mpicc beside mpirun]
    #[arg(long, value_name = "FILE")]
    pub(crate) mpicc: Option<PathBuf>,
    /// The command that starts ranks: mpirun, or srun in a Slurm job, with options ('srun --time=5')
    #[arg(long, value_name = "COMMAND", default_value = "mpirun")]
    pub(crate) launcher: String,
    /// Nodes to spread ranks over, as names or a file of them, one a line [default: those of the Slurm job]
    #[arg(long, value_name = "LIST|FILE")]
    pub(crate) hosts: Option<String>,
    /// How ranks lie on nodes [default: every way that the nodes allow]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub(crate) placement: Vec<PlacementArg>,
    /// The program that reaches nodes of --hosts [default: $FLOWGAUGE_SSH, or ssh]
    #[arg(long, value_name = "PROGRAM", requires = "hosts")]
    pub(crate) ssh: Option<PathBuf>,
    /// A node that does not answer in this time is left out
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = number::seconds)]
    pub(crate) patience: f64,
    /// The work [default: all]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub(crate) body: Vec<BodyArg>,
    /// Total flows, R x T [default: one for each CPU of a node]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=4_096))]
    pub(crate) flows: Option<u32>,
    /// Sizes of messages and sums, such as 8,64K,1M
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = number::some_bytes, default_value = "8,1K,16K,256K,4M")]
    pub(crate) bytes: Vec<u64>,
    /// Rows and columns of the grid of halo
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = number::whole, default_value = "128,512,2048")]
    pub(crate) side: Vec<u64>,
    /// The tree to search [default: one that exists on this machine]
    #[arg(long, value_name = "DIR")]
    pub(crate) tree: Option<PathBuf>,
    /// Let Open MPI run as root
    #[arg(long)]
    pub(crate) allow_root: bool,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// How ranks lie on nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementArg {
    /// On as few nodes as hold them
    Packed,
    /// Over all nodes
    Spread,
    /// One rank a node, with threads
    Node,
    /// One rank a socket, with threads
    Socket,
}

/// What ranks and threads do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyArg {
    /// A message between two flows and back, by its size
    PingPong,
    /// Many messages from one flow to another, by their size
    Bandwidth,
    /// A sum over all flows, by its size
    AllReduce,
    /// A stencil on a grid whose rows are divided among the flows, by its size
    Halo,
    /// A search for primes in blocks assigned in advance
    Primes,
    /// The same in uneven blocks: assigned in advance, taken from a queue, and stolen
    Farm,
    /// The same over ranks of one thread: divided before, taken, stolen, and as flows that move to a rank without work
    Uneven,
    /// The same primes and search over more and more nodes, on all their CPUs
    Strong,
    /// As many numbers for each of more and more nodes
    Weak,
    /// A sparse matrix times a vector
    Numeric,
    /// A tree of files, folder by folder: assigned in advance, taken from a queue, and stolen
    Search,
    /// Transactions over trees of objects
    Warehouse,
}
