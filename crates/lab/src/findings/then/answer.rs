//! What ours says of a claim, as a value.

use super::row::Standing;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) ours: String,
    pub(super) verdict: Standing,
    pub(super) because: Option<String>,
    pub(super) cause: Option<String>,
    /// Ours by the number that the source has figures for.
    pub(super) points: Vec<[f64; 2]>,
    pub(super) are_ratios: bool,
    /// Too few rounds for an interval: then it is none of the claims that share a level.
    pub(super) too_few: bool,
}

impl Answer {
    pub(super) fn new(ours: impl Into<String>, verdict: Standing) -> Self {
        Self {
            ours: ours.into(),
            verdict,
            because: None,
            cause: None,
            points: Vec::new(),
            are_ratios: false,
            too_few: false,
        }
    }

    pub(super) fn since(self, because: Option<String>) -> Self {
        Self { because, ..self }
    }

    pub(super) fn by_number(self, points: Vec<[f64; 2]>, are_ratios: bool) -> Self {
        Self {
            points,
            are_ratios,
            ..self
        }
    }

    pub(super) fn not_run(because: impl Into<String>) -> Self {
        Self::new("", Standing::NotRun).since(Some(because.into()))
    }

    pub(super) fn unknown(because: impl Into<String>) -> Self {
        Self::new("", Standing::CannotTell).since(Some(because.into()))
    }

    pub(super) fn impossible(because: impl Into<String>) -> Self {
        Self::new("", Standing::NotPossible).since(Some(because.into()))
    }
}
