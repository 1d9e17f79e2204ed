//! What is to be run: studies from their files, laid out for a machine.

mod axis;
pub mod capacity;
mod check;
pub(crate) mod here;
pub mod machine_limits;
pub(crate) mod order;
mod parent_memory;
pub(crate) mod predicted;
mod request;
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
