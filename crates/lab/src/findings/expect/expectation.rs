use serde::{Deserialize, Serialize};

/// A bound on something that a run finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    pub(super) text: String,
    pub(super) path: String,
    pub(super) against: Option<String>,
    pub(super) bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    pub(super) side: Side,
    pub(super) value: f64,
    pub(super) unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Below { too: bool },
    Above { too: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// In ns.
    Time,
    /// In bytes.
    Size,
    Ratio,
}

/// What came of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// The whole interval keeps to the bound.
    Holds,
    /// The whole interval is beyond the bound.
    Fails,
    /// The bound lies within the interval, or there is none.
    Undecided,
}

/// An expectation and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// What came of it.
    pub judged: Judged,
    /// Expectation, finding and judgement in one sentence.
    pub sentence: String,
}

/// Why an expectation means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpectError {
    /// No variant has this name.
    #[error(
        "--expect '{text}': there is no '{path}' in these results: {}",
        hint(nearest)
    )]
    Nothing {
        /// The expectation.
        text: String,
        /// The name.
        path: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// More than one has.
    #[error("--expect '{text}': '{path}' names several: name one of {}", candidates.join(", "))]
    Several {
        /// The expectation.
        text: String,
        /// The name.
        path: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// It divides a variant by itself.
    #[error(
        "--expect '{text}': {label} against itself is always 1: name another variant behind vs"
    )]
    Itself {
        /// The expectation.
        text: String,
        /// The variant.
        label: String,
    },
    /// The bound is of another kind than the quantity.
    #[error("--expect '{text}': {message}")]
    Unit {
        /// The expectation.
        text: String,
        /// What does not fit.
        message: String,
    },
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => "they hold no variant".to_owned(),
        [one] => format!("did you mean {one}?"),
        more => format!("did you mean one of {}?", more.join(", ")),
    }
}
