//! What the other rooms hand each other: values, and the journal's lines. Nothing here knows them.

pub mod axis;
pub mod gathered;
pub mod journal;
pub mod knob;
mod median;
pub mod number;
mod probe;
pub(crate) mod quantity;
pub mod room;
mod settings;
pub mod simulation;
mod slot;
mod study;
pub(crate) mod words;

pub use journal::{
    CaseEnd, ConfirmEntry, Entry, Header, JournalError, PredictEntry, SCHEMA, SlotEntry, Try,
    has_whole_header,
};
pub(crate) use median::median;
pub use probe::Probe;
pub use settings::{
    AskedParentMemory, Confirming, Predicting, Preset, Profiling, Sampling, Settings, Value,
};
pub use simulation::{Outcome, Simulated, Simulation};
pub(crate) use slot::failure;
pub use slot::{Chosen, RawSlot, slot_value};
pub use study::{
    BestOf, Case, Claim, Deciding, Decision, Half, LabelledVariant, Metric, OfCase, OfModel,
    OfPair, OfSweep, OfVariant, OfWork, Origin, Ours, Pair, Published, Step, Study, SweepPoint,
    Thread, TimeIn, Topology, along, base, labelled,
};
pub(crate) use study::{Questions, differ_in_flows_alone, parameters_of, unique, with_parameters};
pub use words::{listed, plural};
