//! Study to plan to rounds of slots to journal to findings, in four rooms.
//! ```text
//!         run ───────────▶ findings          a room knows those that its arrows lead to
//!          │ ╲               ╱ │
//!          │  ╲─▶  plan  ◀╌╌╱  │             ╌╌ one question: what a command of a built-in study is
//!          ▼        ▼          ▼
//!          ╰─────▶ data ◀──────╯
//!
//! Study (TOML or flags) ─▶ Header ─▶ Journal::create, or Journal::resume
//!                                        │
//!        ┌───────────────────────────────┘
//!        ▼
//! run ─▶ what is left? ─▶ order ─▶ Launch (a fresh process a slot; a mock in tests)
//!        ▲                                        │ Outcome
//!        │         Journal: one line a slot ◀─────┘
//!        └── ledger ◀─┘ every entry, just made or read again
//!               ▼
//!            Results: findings and sentences, made from the ledger alone
//! ```
//! Nothing here touches the machine but the journal's file and counted traces; the rest is traits.

#![forbid(unsafe_code)]

pub mod data;
pub mod findings;
pub mod plan;
pub mod run;
#[cfg(test)]
mod testing;

pub use data::{
    AskedParentMemory, BestOf, Case, CaseEnd, Chosen, Claim, Confirming, Deciding, Decision, Entry,
    Header, JournalError, LabelledVariant, Metric, Origin, Ours, Outcome, Predicting, Preset,
    Probe, Profiling, Published, RawSlot, SCHEMA, Sampling, Settings, Simulated, Simulation,
    SlotEntry, Study, SweepPoint, Topology, Value, has_whole_header, journal, knob, labelled,
    listed, number, plural,
};
pub use findings::compare::compare;
pub use findings::expect::{Expectation, Judged};
pub use findings::judge::Standing;
pub use findings::{
    Answer, AtNumber, Block, CaseResult, Cause, Choice, Compared, Effect, Finding, Law, Limit,
    OperationMatrix, Optimum, Phases, Quantity, QuantityFinding, Ratio, Results, Role, Scaling,
    ScalingPoint, SelfManaged, Shape, Shared, StudyResult, Sweep, Throughput, Used, VariantSummary,
    Workers, compare, compared, expect, fleet, is_compared, latency_ns,
};
pub use plan::study::{StudyError, builtin, builtin_names, decision, decision_names, nearest};
pub use plan::{
    CaseError, LaidWork, LeftOut, Plan, PlanError, Request, Spread, Wanted, capacity, check, cpus,
    fitted, lay_out, machine_limits, scaling, simulated, study, written,
};
pub use run::progress::{Event, Observer, Place, Silent, SlotPlace};
pub use run::run;
pub use run::{Clock, Journal, Launch, LaunchError, ResumeOverrides, RunError, probe};

/// Compiles the code of pages of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/quantity.md")]
    mod quantity {}
    #[doc = include_str!("../../../docs/guide/analysis.md")]
    mod analysis {}
}
