//! Ranks of an MPI program, with threads in each: the bodies of this house, and what ranks and
//! threads say to each other. A variant `RxT` is R ranks of T threads. In a slot `mpirun` starts
//! this same binary R times, each rank makes T threads, and rank 0 writes a report. To all above
//! it, that is a command that reports ([`program::report`]).
//! ```text
//!  cell ── mpirun ──┬─ rank 0: load the shim, MPI_Init, check ─▶ gate ─ work ─ gate ─ … ─▶ report
//!                   └─ rank 1: load the shim, MPI_Init, check ─▶ gate ─ work ─ gate ─ …
//! ```
//! MPI has no binary interface, so what calls it is a C file of some 100 lines
//! ([`launcher::SHIM`]). The first slot of a run compiles it with the launcher's `mpicc`; ranks
//! load it with `dlopen`: one binary works with every implementation.
//!
//! * [`launcher`]: which MPI is there, and the command of a slot. [`srun`]: the launcher of a
//!   Slurm; [`nodes`]: ranks over several nodes; `elsewhere`: what ranks used and hold.
//! * [`keeper`]: a process on each of several nodes, which leaves nothing there.
//! * [`task`]: what ranks are asked to do, as the command line carries it.
//! * `rank`: the life of a rank. `checks`: whether it is where it was put, among as many as asked.
//! * `team`: the threads of a rank and their clocks. `bodies`: what they do.
//! * `region`: memory at one address in all ranks of a machine, for flows that move between them.
//! * `world`: the calls into MPI (unsafe), by one thread of a rank at a time.
//!
//! Each flow notes when it computes and when it communicates (calls MPI, with the wait for a late
//! message, or copies through shared memory). The rest of the steady phase is waiting. A rank with
//! other CPUs than it was given, or in a world of another size, refuses.

mod bodies;
mod checks;
mod elsewhere;
pub mod keeper;
mod kind;
pub mod launcher;
pub mod nodes;
mod rank;
mod region;
pub mod srun;
pub mod task;
mod team;
mod world;

pub use rank::{is_rank, rank_main};
pub use region::no_moves;
pub use task::{Body, Over, Task};

/// The nodes of the ranks that this command of a slot starts; `None`: this machine alone.
#[must_use]
pub fn over_of(command: &str) -> Option<Over> {
    let words = program::command::words(command, &program::Shell::Never).unwrap_or_default();
    let rank = words.iter().position(|word| word == ARGUMENT)?;
    serde_json::from_str::<Task>(words.get(rank + 2)?)
        .ok()?
        .over
}

pub(crate) const ARGUMENT: &str = "__rank";
/// For a rank that its launcher is not above or on another node: it reports its own usage.
pub(crate) const ELSEWHERE: &str = "elsewhere";
