//! Start N flows of a model, release them together, collect.
//!
//! A **slot** is one fresh launch of one variant. The way through this crate:
//!
//! ```text
//!  launcher (main process)                 slot process (fresh process of the same binary)
//!  ───────────────────────                 ──────────────────────────────────────
//!  Launcher::launch(spec) ── stdin ──────▶ slot_process_main → SlotProcess::run(body, sink)
//!        │                                     │  rep: create → gate → steady → gate → tear-down
//!        │ poll: answer, stderr, signals,      │       start/   area     channel
//!        │       deadline                      ▼
//!        ◀──────────────── stdout ──────── Answer (one JSON line)
//! ```
//!
//! * [`model`], [`placement`], [`variant`]: the words for what is launched.
//! * [`parent_memory`]: memory that the parent has touched before it makes flows.
//! * [`body`]: what every model runs, unchanged and monomorphised; [`SelfManaged`]: work that
//!   makes its own flows.
//! * [`latency`]: how long requests took, counted by the flows that answer them.
//! * [`spec`], [`record`]: what goes into a slot process and what comes out.
//! * [`launcher`]: the main process's side; [`slot_process`]: the other one.
//! * [`probe`]: flows made until a lowered limit stops them.
//! * [`launcher`]: the main process's side; [`slot_process`]: the other one; [`sampler`]: a process
//!   that records what a slot uses.
//!
//! This crate contains `unsafe`: fork, clone, pthreads, futexes and one shared
//! mapping. Nothing above it does.

mod alarm;
pub mod body;
pub mod channel;
mod flow_run;
mod flow_status;
mod footprint;
mod futex;
pub mod interrupt;
mod janitor;
pub mod latency;
pub mod launcher;
pub mod model;
mod notify;
pub mod parent_memory;
pub mod placement;
pub mod probe;
pub mod record;
pub mod relay;
mod rep;
mod ring;
pub mod sampler;
mod self_managed;
mod shared_memory;
pub mod slot_process;
pub mod spec;
mod start;
mod stdout;
pub mod turn;
pub mod variant;
mod watch;

/// Whether there are fibers on this target; else why not.
pub use ::fiber::available as fibers_available;
pub use body::{Body, NoSink, Proof, Sink};
pub use channel::Outlet;
pub use footprint::{Pieces, page_bytes};
pub use interrupt::{Interrupt, ignore_file_size_signal};
pub use janitor::{is_janitor, janitor_main};
pub use latency::Latencies;
pub use launcher::{LaunchError, Launcher, Onlooker};
pub use model::{Model, Shape, Stacks, Way};
pub use parent_memory::{Pages, ParentMemory};
pub use placement::Placement;
pub use probe::{Fence, ProbeSpec, Probed, is_probe, probe_main};
pub use record::{
    Answer, Failure, FlowRecord, FlowState, Outcome, Rep, SelfManagedUsage, SlotRecord,
};
pub use relay::Relay;
pub use sampler::{SampleSpec, Samples, is_sampler, sampler_main};
pub use self_managed::{SelfManaged, SelfManagedRep};
pub use slot_process::{SlotProcess, is_slot_process, slot_process_main};
pub use spec::SlotSpec;
pub use start::{address_bytes, guarded_bytes, task_bytes};
pub use stdout::stdout_was_closed;
pub use turn::{HandOver, Turn};
pub use variant::{Channel, Schedule, Variant};
