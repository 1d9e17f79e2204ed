//! Study to plan to rounds of slots to journal to findings.
//!
//! ```text
//! Study (TOML or flags) ─▶ Plan: the order of every slot, from the seed
//!        │
//!        ▼
//! run ─▶ Launch (a fresh process for each slot; a mock in tests) ─▶ Outcome
//!        │                                                            │
//!        │                     Journal: one line a slot, flushed ◀────┘
//!        ▼                                  │
//! stats: looks, verdict                     ▼
//!                            Results: findings, made again from the journal alone
//! ```

#![forbid(unsafe_code)]

mod budget;
pub mod journal;
mod judge;
pub mod launch;
mod ledger;
mod median;
pub mod pilot;
pub mod plan;
pub mod progress;
mod proof;
pub mod results;
pub mod room;
pub mod run;
pub mod settings;
pub mod slot;
pub mod study;
#[cfg(test)]
mod testing;
mod words;

pub use journal::{CaseEnd, Entry, Header, Journal, JournalError, SCHEMA};
pub use launch::{Clock, Launch, LaunchError};
pub use pilot::Chosen;
pub use progress::{Event, Observer, Place, Silent, SlotPlace, Standing};
pub use results::{CaseResult, Finding, Phases, RawSlot, Results, StudyResult, VariantSummary};
pub use run::{RunError, run};
pub use settings::{Preset, Settings, Value};
pub use study::{
    Case, LabelledVariant, Metric, Origin, OriginRow, Study, StudyError, SweepPoint, builtin,
    builtin_names, labelled, nearest,
};
