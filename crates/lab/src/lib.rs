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

pub mod journal;
pub mod results;
pub mod settings;
pub mod study;

pub use journal::{Entry, Header, SCHEMA};
pub use results::{CaseResult, Finding, Phases, Results, StudyResult, VariantSummary};
pub use settings::{Preset, Settings, Value};
pub use study::{Case, LabelledVariant, Metric, Origin, OriginRow, Study, SweepPoint};
