//! The run: what to do next is asked of the ledger, done, and written down.
//!
//! * [`Launch`], [`Clock`], [`progress`]: the edges: slots, time, and what a display hears.
//! * [`run`](fn@run), [`pilot`]: the loop, and what is measured before it. Schedule: which case continues.
//! * [`Journal`]: the file, written as each slot ends.
//! * [`probe`]: how far flows can be made for real.

mod error;
mod journal;
mod launch;
mod launching;
pub mod pilot;
pub mod probe;
mod profiling;
pub mod progress;
mod proof;
mod rounds;
mod schedule;

pub use error::RunError;
pub use journal::{Journal, ResumeOverrides};
pub use launch::{Clock, Launch, LaunchError};
pub use rounds::run;
