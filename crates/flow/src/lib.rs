//! Start N flows of a model, release them together, collect.
//!
//! A **slot** is one fresh launch of one variant. The way through this crate:
//!
//! ```text
//!  launcher (main process)                 cell (fresh process of the same binary)
//!  ───────────────────────                 ──────────────────────────────────────
//!  Launcher::launch(spec) ── stdin ──────▶ cell_main → run_slot(spec, body, sink)
//!        │                                     │  rep: create → gate → steady → gate → tear-down
//!        │ poll: answer, stderr, signals,      │       start/   area     channel
//!        │       deadline                      ▼
//!        ◀──────────────── stdout ──────── Answer (one JSON line)
//! ```
//!
//! * [`model`], [`placement`], [`variant`]: the words for what is launched.
//! * [`body`]: what every model runs, unchanged and monomorphised.
//! * [`spec`], [`record`]: what goes into a cell and what comes out.
//! * [`launcher`]: the main process's side; [`cell`]: the other one.
//!
//! This crate contains `unsafe`: fork, clone, pthreads, futexes and one shared
//! mapping. Nothing above it does.

pub mod body;
pub mod channel;
pub mod model;
pub mod placement;
pub mod record;
pub mod spec;
pub mod variant;

pub use body::{Body, Proof};
pub use model::{Model, Shape};
pub use placement::Placement;
pub use record::{Answer, Failure, FlowRecord, FlowState, Outcome, Rep, SlotRecord};
pub use spec::SlotSpec;
pub use variant::{Channel, Schedule, Variant};
