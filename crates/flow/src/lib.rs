//! Start N flows of a model, release them together, collect.
//!
//! A **slot** is one fresh launch of one variant. The way through this crate:
//! ```text
//!  launcher (main process)                 slot process (fresh process of the same binary)
//!  ───────────────────────                 ──────────────────────────────────────
//!  Launcher::launch(spec) ── stdin ──────▶ slot_process_main → SlotProcess::run(body, sink)
//!        │                                     │  rep: create → gate → steady → gate → tear-down
//!        │ poll: answer, stderr, signals,      │       start/  flow_run  channel
//!        │       deadline                      ▼
//!        ◀──────────────── stdout ──────── Answer (one JSON line)
//! ```
//! The modules that a slot goes through, each of which knows only those below it:
//! ```text
//! launcher ─▶ sampler            main process: starts the slot process, and a sampler beside it
//! slot_process                   reads the spec, runs the repetitions, writes the answer
//! rep ─▶ watch                   one repetition: gates, phases, deadline; what becomes of each flow
//! start/                         makes the flows of every model
//! flow_run ─▶ context            the life of one flow, from its birth to the end gate
//! body ─▶ turn, footprint        what a workload gives, and what it is given
//! channel ─▶ notify              results on their way to the parent
//! shared_memory ─▶ flow_status, ring     what the parent and its flows exchange
//! spec, variant, record, proof   values: what is asked for, and what is answered
//! ```
//! `unsafe` here: forks, pthreads, the ends of processes. Mapped memory is that of [`sys`].

mod alarm;
mod allocator;
pub mod body;
pub mod carried;
pub mod cgroup;
pub mod channel;
mod context;
mod ending;
pub mod film;
mod flow_run;
mod flow_status;
mod footprint;
mod futex;
mod heap_pages;
pub mod interrupt;
mod janitor;
pub mod latency;
pub mod launcher;
pub mod library;
mod memory_policy;
pub mod migration;
pub mod model;
mod notify;
pub mod pace;
pub mod parent_memory;
pub mod parts;
pub mod placement;
mod policy;
mod polled;
pub mod probe;
mod proof;
pub mod quota;
pub mod record;
pub mod recording;
pub mod relay;
mod rep;
mod ring;
pub mod sampler;
mod samples;
mod self_managed;
mod shared_memory;
pub mod slot_process;
pub mod spec;
mod start;
mod stdout;
mod stranded;
mod tied;
pub mod turn;
pub mod variant;
mod watch;
mod word;

/// Whether there are fibers on this target; else why not.
pub use ::fiber::available as fibers_available;
/// Whether there are fibers here that can move between processes; else why not.
pub use ::fiber::movable_available as moves_available;
/// Code in which a timer has a fiber give up its turn; elsewhere it just runs.
pub use ::fiber::preemptible;
pub use allocator::{Allocator, AllocatorError, Source as AllocatorSource};
pub use body::{Body, Part};
pub use channel::{NoSink, Outlet, Sink};
pub use film::Film;
pub use footprint::{Pieces, page_bytes};
pub use heap_pages::HeapPages;
pub use interrupt::{Interrupt, ignore_file_size_signal};
pub use janitor::{is_janitor, janitor_main};
pub use latency::Latencies;
pub use launcher::{LaunchError, Launcher, Onlooker, way_out};
pub use memory_policy::MemoryPolicy;
pub use model::{Model, Shape, Stacks, Way};
pub use pace::Faster;
pub use parent_memory::{Pages, ParentMemory};
pub use placement::Placement;
pub use policy::Policy;
pub use probe::{Fence, ProbeSpec, Probed, is_probe, probe_main};
pub use profile;
pub use profile::{is_profiler, profiler_main};
pub use proof::Proof;
pub use quota::{Quota, QuotaError};
pub use record::{
    Answer, Failure, FlowRecord, FlowState, KILLED, Outcome, Rep, SelfManagedUsage, SlotRecord,
};
pub use recording::{Emulator, Recording};
pub use relay::Relay;
pub use sampler::{is_sampler, sampler_main};
pub use samples::{SampleSpec, Samples};
pub use self_managed::{SelfManaged, SelfManagedRep};
pub use slot_process::{SlotProcess, is_slot_process, slot_process_main};
pub use spec::{SlotSpec, seconds_text};
pub use start::{address_bytes, guarded_bytes, rounded_bytes, task_bytes};
pub use stdout::stdout_was_closed;
pub use stranded::{end as end_stranded, proc_is_own, stopped_holders};
pub use sys::PAGE;
pub use tied::{output_tied, spawn_tied};
pub use turn::{HandOver, Turn};
pub use variant::{Channel, Schedule, Variant};
pub use word::WordError;

#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/model.md")]
    mod model {}
    #[doc = include_str!("../../../docs/guide/allocator.md")]
    mod allocator {}
}
