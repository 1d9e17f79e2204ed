//! The run: what to do next is asked of the ledger, done, and written down.

mod counting;
mod error;
mod journal;
mod launch;
mod launching;
pub mod pilot;
pub mod probe;
mod profiling;
pub mod progress;
mod rounds;
mod schedule;

pub use error::RunError;
pub use journal::{Journal, ResumeOverrides};
pub use launch::{Clock, Launch, LaunchError};
pub use rounds::run;
