//! What is to be run: studies from their files, laid out for a machine.
//!
//! * [`steps`]: the one list of steps by which studies become a [`Plan`].
//! * [`study`]: the format of a study's file, the built-in ones, and the commands that they become.
//! * [`capacity`]: whether the machine has room. [`scaling`]: the ways through its cores.
//! * Parent memory, allocators, pages, memory policies: what is laid on every variant.
//! * [`simulated`]: on a machine that is simulated. Order: of the slots of a round, from the seed.

mod axis;
pub mod capacity;
mod check;
mod here;
pub mod machine_limits;
pub(crate) mod order;
mod parent_memory;
mod request;
pub(crate) mod rounds;
pub mod scaling;
pub mod simulated;
pub mod steps;
pub mod study;
pub mod written;

pub use check::{CaseError, check, cpus};
pub use here::fitted_here as fitted;
pub use request::{LaidWork, LeftOut, Plan, PlanError, Request, Wanted};
pub use scaling::Spread;
pub use steps::lay_out;
