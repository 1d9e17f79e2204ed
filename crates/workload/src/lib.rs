//! The bodies that every model runs unchanged, each with its self-check, in its own file or folder.

#![forbid(unsafe_code)]

#[macro_use]
pub mod workload;

pub mod allocate;
pub mod balancing;
pub mod bytes;
pub mod cpu;
mod draw;
pub mod fault_injection;
pub mod handoff;
pub mod io;
pub mod loaded;
pub mod mem;
pub mod migrating;
pub mod numeric;
pub mod operations;
pub mod prime_blocks;
pub mod primes;
pub mod programs;
pub mod scaled;
pub mod searching;
pub mod server;
pub mod spin;
#[cfg(test)]
mod testing;
pub mod turns;
mod usual;
pub mod warehouse;
pub mod wiki;
pub mod work;

pub use balancing::Balanced;
pub use bytes::Bytes;
pub use cpu::Cpu;
pub use fault_injection::{Fault, FaultInjection};
pub use handoff::Handoff;
pub use io::{Io, Sync};
pub use loaded::Loaded;
pub use mem::Mem;
pub use migrating::Migrate;
pub use numeric::Numeric;
pub use operations::Operations;
pub use prime_blocks::Primes;
pub use scaled::{Allocates, Scaled};
pub use searching::{Design, Reading, Searching};
pub use server::Server;
pub use spin::Spin;
pub use turns::Turns;
pub use warehouse::Warehouse;
pub use wiki::Wiki;
pub use work::{Work, WorkError, probe_main};
pub use workload::Workload;

/// Compiles the code of pages of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/workload.md")]
    mod workload {}
}
