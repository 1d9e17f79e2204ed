//! The sampler: a process beside a slot that writes down at a fixed interval what the slot
//! uses.
//!
//! # Theory
//!
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
//! kills and reaps it
//! ```
//!
//! * It is a process and no thread of the main one, because that one forks and has one
//!   thread; and no part of the slot process, whose CPU time and memory are measured.
//! * It runs on CPUs that the slot's flows are not bound to, where there are such
//!   ([`SampleSpec::cpus`]); else wherever the scheduler puts it, which is then said.
//! * Ticks are absolute deadlines of a timer, so a late sample does not make the next one
//!   late. Ticks that passed while a sample was still being taken are counted as missed.
//! * It is ready before the slot process is started, and has its say after the slot process has
//!   answered: its own start and end are in no phase of the slot. What it costs in between is
//!   written down with the samples, and `flowgauge calibrate --sample` measures what
//!   that does to a slot.
//! * It never outlives the main process: it dies by signal with its parent, ends when its
//!   standard input does, and compares its parent with the pid that it was given. It leads
//!   a process group of its own, so that Ctrl-C reaches it only through the main process.
//!
//! CPU time is that since the slot was given its task, and exact for processes that are there;
//! of those that have ended it is what their parent was credited with (in ticks of 10 ms) or
//! what they had when they were last seen, whichever is more. What comes to light late is
//! spread so that no interval has more than its CPUs can have given. Bytes written lose nothing:
//! the kernel hands them on to the parent. Honest memory is read at most once a second, and so
//! rarely that it takes at most a hundredth of the time: it walks every mapped page (see
//! [`measure::memory`]).

mod disk;
mod process;

pub(crate) use process::{ARGUMENT, READY, Task};
pub use process::{is_sampler, sampler_main};

pub use crate::samples::{Sample, SampleSpec, Samples, Totals};
