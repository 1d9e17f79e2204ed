//! What a run found: made from the journal's entries alone.
//!
//! * Ledger: the entries, case by case; [`judge`] compares a case while its rounds come in.
//! * [`Results`]: what is found, as values, made of the ledger alone.
//! * [`quantity`]: every quantity of every variant. Why: what explains a difference.
//! * [`answers`]: the rows that a person reads first.
//! * [`compare`](mod@compare): the results of several runs side by side. [`expect`]: bounds on what was
//!   found. [`fleet`]: the results of many machines laid over each other.

pub mod answers;
mod average;
mod blocks;
mod busy;
mod calibration;
mod caveats;
mod cheapest;
pub mod compare;
mod compared;
mod confirmed;
pub mod counted;
pub mod counts;
mod crossover;
mod ended;
pub mod expect;
mod fenced;
pub mod fleet;
mod flow_migration;
mod generator;
mod growth;
mod headline;
pub(crate) mod judge;
mod launching;
mod laws;
pub(crate) mod ledger;
pub(crate) mod levels;
mod limits;
mod load_targets;
mod make;
mod noisy;
mod operation_matrix;
mod optimum;
pub(crate) mod outlook;
mod paired;
mod predicted;
mod profile;
mod profiled;
pub mod quantity;
mod recommended;
mod remarks;
mod replayed;
mod requests;
mod results;
pub mod sampled;
mod scaling;
mod self_managed;
mod sentence;
mod series;
mod served;
mod shared;
pub mod simulated;
mod stack_switch_cost;
mod stopped;
mod sweep;
mod switched;
#[cfg(test)]
mod tests;
mod then;
mod tuning_effects;
mod unanswered;
mod why;
mod winner;
mod workers;

pub use answers::Answer;
pub use average::Average;
pub use blocks::{Block, Sweep};
pub use compared::{Compared, compared};
pub use confirmed::{Confirmation, Standing as CauseStanding, Tried};
pub use counts::Counts;
pub use ended::Launches;
pub use growth::Shape;
pub(crate) use headline::{headline, headline_case, headline_place};
pub use laws::Law;
pub use levels::Role;
pub use limits::{Limit, at_most};
pub use operation_matrix::{OperationMatrix, is_compared};
pub use optimum::{AtNumber, Choice, Optimum};
pub use predicted::{Predicted, Prediction};
pub use profile::Phases;
pub use profiled::{Frame, Profiled};
pub use quantity::{Amount, Basis, ByCpu, Contrast, Quantity, QuantityFinding, Unit, Word};
pub use requests::{Requests, latency_ns};
pub use results::{CaseResult, Finding, Results, Seen, StudyResult, VariantSummary};
pub use scaling::{Ratio, Scaling, ScalingPoint, Throughput, threads_over_processes};
pub use self_managed::SelfManaged;
pub use shared::{Cause, Effect, Shared};
pub use sweep::crossovers;
pub use then::{ByNumber, Standing, Then};
pub use workers::{Used, Workers};

pub use crate::data::RawSlot;
