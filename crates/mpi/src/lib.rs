//! Ranks of an MPI program, with threads in each: the bodies of this house, and what ranks and
//! threads say to each other.
//!
//! A variant `RxT` is R ranks of T threads. One slot is one launch: `mpirun` starts this same binary R
//! times in the role of a rank, each rank makes T threads, and rank 0 writes a report. To
//! everything above it, that is a command that reports ([`program::report`]): it is launched,
//! measured, ended and judged by the crate `program` like any other command.
//!
//! ```text
//!  cell ── mpirun ──┬─ rank 0: load the shim, MPI_Init, check ─▶ gate ─ work ─ gate ─ … ─▶ report
//!                   └─ rank 1: load the shim, MPI_Init, check ─▶ gate ─ work ─ gate ─ …
//! ```
//!
//! No part of MPI is needed to build this crate. An MPI has no binary interface of its own, so
//! what calls it is a C file of some 100 lines ([`launcher::SHIM`]). The first slot of a run compiles it
//! with the `mpicc` that belongs to the launcher; ranks load it with `dlopen`. So one binary works
//! with every implementation, and a machine without MPI builds, checks and tests all but the calls
//! themselves. The other way was considered: rsmpi needs libclang and an MPI at build time, and one
//! build for each implementation.
//!
//! * [`launcher`]: which MPI is there, and the command of a slot.
//! * [`srun`]: the launcher of a Slurm. `elsewhere`: what its ranks used and hold.
//! * [`task`]: what ranks are asked to do, as the command line carries it.
//! * `rank`: the life of a rank. `checks`: whether it is where it was put, in a world of the right size.
//! * `team`: the threads of a rank and their clocks. `bodies`: what they do.
//! * `region`: memory at one address in all ranks of a machine, for flows that move between them.
//! * `world`: the calls into MPI.                                               \[unsafe\]
//!
//! # Where the time of a flow goes
//!
//! Each flow notes when it computes and when it communicates (calls MPI, or copies through shared
//! memory). The rest of the steady phase is waiting: at barriers of its rank, and until the last
//! flow of all ranks is done. Waiting for a message that is late is within the call, and counts as communication.
//!
//! # What it deliberately does not do
//!
//! * **Trust a launcher.** A rank that may use other CPUs than it was given, or that finds a world of
//!   another size, refuses; nothing is measured then.
//! * **Talk to MPI from several threads at once.** One thread of a rank speaks at a time.

mod bodies;
mod checks;
mod elsewhere;
pub mod launcher;
mod rank;
mod region;
pub mod srun;
pub mod task;
mod team;
mod world;

pub use rank::{is_rank, rank_main};
pub use region::no_moves;
pub use task::{Body, Task};

pub(crate) const ARGUMENT: &str = "__rank";
/// Last argument of a rank that its launcher is not above: it reports its own usage.
pub(crate) const ELSEWHERE: &str = "elsewhere";
