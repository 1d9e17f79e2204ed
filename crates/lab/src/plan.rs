//! What is to be run: studies from their files, laid out for a machine.
//!
//! * [`study`]: the format of a study's file, the built-in ones, and the commands that they become.
//! * [`capacity`]: whether the machine has room. [`scaling`]: the ways through its cores.
//! * [`parent_memory`], allocators, pages, memory policies: what is laid on every variant.
//! * [`simulated`]: on a machine that is simulated.
//! * Order: that of the slots of a round, from the seed.

mod axis;
pub mod capacity;
pub(crate) mod order;
pub mod parent_memory;
mod rounds;
pub mod scaling;
pub mod simulated;
pub mod study;
pub mod written;

pub use axis::{with_allocators, with_heap_pages, with_memory_policies};
pub use rounds::with_rounds_for_intervals;
