//! The sampler: a process that writes down at an interval what a slot uses (docs/watching.md).
//! ```text
//! main process                      sampler (this same binary)           the slot's group
//! ────────────                      ──────────────────────────           ────────────────
//! spec, own pid ─────── stdin ────▶ bind; tie to parent's death
//!                ◀───── stdout ──── ready
//! starts the slot process
//! its group ─────────── stdin ────▶ every interval: ─── /proc ─────────▶ is not touched
//! (the slot runs)                     one Sample, kept in memory
//! closes stdin ───────────────────▶ the end of it: totals
//!                ◀───── stdout ──── Samples, as one JSON line
//! ```
//! It dies with the main process, and leads its own process group: no Ctrl-C reaches it. It runs on
//! CPUs that no flow is bound to ([`SampleSpec::cpus`]), else anywhere, and says so. Ticks are
//! absolute deadlines of a timer; those that passed during a sample count as missed.
//!
//! CPU time counts from the slot's task, exact for live processes; for ended ones it is what their
//! parent was credited with (in ticks of 10 ms) or what was last seen, whichever is more. What
//! comes to light late is spread: no interval has more than its CPUs can give. Honest memory
//! ([`measure::memory`]) is read at most once a second and for a hundredth of the time.

mod disk;
mod process;

pub(crate) use process::{ARGUMENT, READY};
pub use process::{is_sampler, sampler_main};

pub use crate::samples::{Sample, SampleSpec, Samples, Totals};
