use serde::{Deserialize, Serialize};

/// A finding of the source with ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Then {
    /// What was found, in our words.
    pub finding: String,
    /// The figure or words of the source; where it is from, if not from its text.
    pub theirs: String,
    /// Ours, with its interval.
    pub ours: String,
    /// Where in the source's text that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The words of that text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
    /// What came of it.
    pub verdict: Standing,
    /// Why it is not possible, or is not known; or what the reader must know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What explains ours, where a cause was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The command that answers it.
    pub command: String,
    /// Figures by a number, where the source has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_number: Option<ByNumber>,
}

/// Figures of the source and of this run by a number of workers or of flows, or by which worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByNumber {
    /// Each number and its figure, in the unit of the source.
    pub theirs: Vec<[f64; 2]>,
    /// The same of this run, in our unit.
    pub ours: Vec<[f64; 2]>,
    /// Both are ratios of two variants, and mean the same.
    pub are_ratios: bool,
    /// What the number is of: `flows`, `worker`.
    pub of: String,
    /// What is over what, where they are ratios.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ratio: String,
}

/// What came of a finding of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Ours says the same.
    Reproduced,
    /// Ours says the same, by more or less, or under other conditions.
    SameDirection,
    /// Ours says the opposite.
    Refuted,
    /// Ours says something else.
    Differs,
    /// Ours does not settle it.
    CannotTell,
    /// This run did not measure it.
    NotRun,
    /// This machine or version cannot measure it.
    NotPossible,
    /// Two figures of two machines, without a claim.
    SideBySide,
}

impl Standing {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::SameDirection => "same direction",
            Self::Refuted => "refuted",
            Self::Differs => "differs",
            Self::CannotTell => crate::findings::Word::CannotTell.in_words(),
            Self::NotRun => "not run",
            Self::NotPossible => "not possible here",
            Self::SideBySide => "side by side",
        }
    }
}
