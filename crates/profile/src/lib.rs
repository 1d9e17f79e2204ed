//! Where the time of a slot goes: on a CPU by function, and off it by what was waited for (docs/profile.md). A profiler
//! is a process beside a slot, as a sampler is. It opens two events of the kernel's on the slot process before that has
//! its task, and all that the slot starts inherits them:
//!
//! * the **CPU clock**: each period of CPU time a sample with the call chain, user and kernel.
//! * the **switches**: exactly when a thread leaves a CPU and comes back, with the call chain of each Nth leaving. The
//!   time in between is a wait, and the chain says for what; one that was preempted waits for a CPU.
//!
//! ```text
//! main process                      profiler (this same binary)          the slot and all it starts
//! ────────────                      ───────────────────────────          ──────────────────────────
//! what to record ────── stdin ────▶
//!                ◀───── stdout ──── ready
//! starts the slot process
//! its id ────────────── stdin ────▶ opens the events ──────────────────▶ inherits them
//!                ◀───── stdout ──── ready
//! gives the slot its task           empties the rings ◀───────────────── samples, switches, maps
//! hears the slot's answer
//! its timed spans ───── stdin ────▶ replays in the order of time, names the frames
//!                ◀───── stdout ──── Profile, as one JSON line
//! ```
//!
//! * Records are kept until the slot ends: an address means a function only with the maps of its moment. Only what lies
//!   in the timed spans of the slot's answer counts.
//! * Callers of commands are unwound from the tops of their stacks; in studies, and where the kernel may not be seen,
//!   they come from frame pointers. A program without symbols still has the beginnings of its functions
//!   (`.eh_frame_hdr`).
//! * Where the kernel may not be seen, its part of the CPU time is what the switches say was on a CPU less what was
//!   sampled in user code, and the place of a wait is read from `/proc` now and then (`wchan`).
//! * Rings, records and the tree of frames are bounded; what does not fit is counted.
//!
//! Source of the waits by switches: Gregg, "Off-CPU analysis", 2017.

#![forbid(unsafe_code)]

mod capture;
mod chain;
mod code;
mod elf_starts;
mod files;
mod idle;
mod place;
mod process;
mod profiler;
mod replay;
mod stops;
mod symbols;
mod tree;
mod unwind;
mod value;
mod wchan;
mod windows;

pub use code::Code;
pub use place::{Place, Wait, callers, place};
pub use profiler::{ARGUMENT, READY, is_profiler, profiler_main};
pub use symbols::STRIPPED;
pub use value::{Faster, Node, ON_CPU, Paused, Profile, ProfileSpec, Spans, Task, WAITS};
