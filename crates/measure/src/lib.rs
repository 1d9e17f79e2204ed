//! The quantities of every record of a slot: clock, usage of one flow, its migrations and bytes,
//! honest memory; events ([`counters`]); and others while they run ([`tasks`]).
//!
//! - Times are nanoseconds and memory is bytes, as integers, whatever unit the kernel prints.
//! - A quantity that was not measured is never 0: it is a [`Measured`], `Option`, or error.
//! - Nothing allocates, locks or prints while flows run: [`clock`] and [`usage`] are system calls.
#![forbid(unsafe_code)]

pub mod clock;
pub mod counters;
mod give_up;
pub mod interrupts;
pub mod load;
mod measured;
pub mod memory;
pub mod pagemap;
pub mod ring_record;
pub mod rings;
pub mod scheduling;
pub mod task;
pub mod tasks;
mod text_files;
pub mod usage;
pub mod waits;

pub use give_up::{give_up, gives_up};
pub use measured::Measured;
