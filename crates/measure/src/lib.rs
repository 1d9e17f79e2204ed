//! Clock, usage of one flow, its migrations and bytes, honest memory: the quantities that
//! every record of a slot is made of; counters of events ([`counters`]); and what others look
//! like while they run ([`tasks`]).
//!
//! Three rules hold throughout:
//!
//! - Times are nanoseconds and memory is bytes, as integers, whatever unit the
//!   kernel prints.
//! - A quantity that could not be measured is never 0. It is a [`Measured`]
//!   that says why and what would enable it, an `Option`, or an error.
//! - Nothing here allocates, locks or prints on the paths that are called while
//!   flows run: [`clock`] and [`usage`] are one or two system calls each.
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
pub mod scheduling;
pub mod task;
pub mod tasks;
pub mod usage;

pub use give_up::{give_up, gives_up};
pub use measured::Measured;
