//! Study to plan to rounds of slots to journal to findings.
//!
//! ```text
//! Study (TOML or flags) ─▶ Header ─▶ Journal::create, or Journal::resume
//!                                        │
//!        ┌───────────────────────────────┘
//!        ▼
//! run ─▶ what is left? ─▶ plan ─▶ Launch (a fresh process a slot; a mock in tests)
//!        ▲                                        │ Outcome
//!        │         Journal: one line a slot ◀─────┘
//!        │            │
//!        └── ledger ◀─┘ every entry, just made or read again
//!               │
//!               ▼
//!            Results: findings and sentences, made from the ledger alone
//! ```
//!
//! * [`study`]: what is compared; its TOML format and the built-in studies.
//! * [`plan`]: the order of each round, from the seed.
//! * [`launch`], [`progress`]: the edges: slots, clock, and what a display hears.
//! * [`run`](mod@run), [`pilot`]: the loop, and what is measured before it.
//! * [`capacity`], [`probe`](mod@probe): how many flows there is room for, and a small proof.
//! * [`journal`]: the file. [`results`]: what it shows.
//! * [`compare`](mod@compare): the results of several runs side by side. [`expect`]: bounds on
//!   what was found.
//! * [`fleet`]: the results of many machines laid over each other.
//!
//! Nothing here touches the machine but the journal's file; time and slots come through
//! traits.

#![forbid(unsafe_code)]

mod axis;
mod budget;
pub mod capacity;
pub mod compare;
mod compared;
pub mod expect;
pub mod fleet;
pub mod journal;
mod judge;
pub mod launch;
mod ledger;
mod median;
pub mod number;
pub mod parent_memory;
pub mod pilot;
pub mod plan;
pub mod probe;
pub mod progress;
mod proof;
pub mod results;
pub mod run;
pub mod scaling;
pub mod settings;
pub mod simulated;
pub mod slot;
pub mod study;
#[cfg(test)]
mod testing;
mod words;
pub mod written;

pub use axis::{with_allocators, with_heap_pages, with_memory_policies};
pub use compare::compare;
pub use compared::{Compared, compared};
pub use expect::{Expectation, Judged};
pub use journal::{
    CaseEnd, Entry, Header, Journal, JournalError, ResumeOverrides, SCHEMA, SlotEntry,
};
pub use judge::with_rounds_for_intervals;
pub use launch::{Clock, Launch, LaunchError};
pub use parent_memory::AskedParentMemory;
pub use pilot::Chosen;
pub use probe::Probe;
pub use progress::{Event, Observer, Place, Silent, SlotPlace, Standing};
pub use results::{
    AtNumber, CaseResult, Cause, Choice, Effect, Finding, Law, Limit, OperationMatrix, Optimum,
    Phases, Quantity, QuantityFinding, Ratio, RawSlot, Results, Role, Scaling, ScalingPoint,
    SelfManaged, Shape, Shared, StudyResult, Throughput, Used, VariantSummary, Workers,
    detects_in_words, is_compared, latencies_in_words, latency_ns, load_in_words, rates_in_words,
};
pub use run::{RunError, check, cpus, run};
pub use scaling::{Spread, Topology};
pub use settings::{Preset, Sampling, Settings, Value};
pub use study::{
    BestOf, Case, Claim, Deciding, LabelledVariant, Metric, Origin, Ours, Published, Study,
    StudyError, SweepPoint, builtin, builtin_names, labelled, nearest,
};
pub use words::{listed, plural};
