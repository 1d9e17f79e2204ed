//! Machines with known noise, to test the method. Seeded: ChaCha8 gives the same bits everywhere.

mod draw;
mod experiment;
mod machine;
mod whole_run;

pub use draw::Draw;
pub use experiment::{Experiment, Order, Tally};
pub use machine::{HOSTILE, MODELS, Machine, NoiseModel, QUIET, SHARED};
pub use whole_run::{Cuts, Level, Named, WholeRun};
