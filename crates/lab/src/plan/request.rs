use machine::Machine;
use serde_json::Value;

use super::study::asked::Flags;
use crate::data::{Settings, Study};

#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) settings: &'a Settings,
    pub(super) machine: &'a Machine,
}

/// What a command wants to run.
#[derive(Debug, Default)]
pub struct Request<'a> {
    /// The studies.
    pub wanted: Vec<Wanted<'a>>,
    /// The cases that are run, by their names; all where there are none.
    pub cases: &'a [String],
    /// Parameters of work that is for any study which has them.
    pub work: Vec<LaidWork>,
    /// Whether the number of rounds was asked for: then no case has its own.
    pub rounds_asked: bool,
}

/// A study that is wanted.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// As it was read or made.
    pub study: Study,
    /// The flags of its own command, where it is run by that.
    pub flags: Option<Flags<'a>>,
    /// Whether it is fitted to the machine; else it is run as it is written, or refused.
    pub is_fitted: bool,
}

impl Wanted<'_> {
    /// A study that is run as it is written, or refused.
    #[must_use]
    pub fn as_written(study: Study) -> Self {
        Self {
            study,
            flags: None,
            is_fitted: false,
        }
    }

    /// A study that is fitted to the machine.
    #[must_use]
    pub fn fitted(study: Study) -> Self {
        Self {
            is_fitted: true,
            ..Self::as_written(study)
        }
    }
}

/// A parameter that a flag sets in all work which has it.
#[derive(Debug, Clone, PartialEq)]
pub struct LaidWork {
    /// The flag, without the two hyphens.
    pub flag: &'static str,
    /// The parameter.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// What is said where no work has it.
    pub otherwise: &'static str,
}

/// What is run, and what of it is not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The studies, as the journal's first line has them.
    pub studies: Vec<Study>,
    /// What is left out here, and why.
    pub left_out: Vec<LeftOut>,
    /// What has no effect here; for the journal.
    pub notes: Vec<String>,
    /// What flags do that one might not expect of them; for those who wait.
    pub hints: Vec<String>,
}

/// A part of a study that is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The study.
    pub study: String,
    /// What it is, and why.
    pub why: String,
}

/// Why nothing is run; in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub(super) String);

impl From<String> for PlanError {
    fn from(message: String) -> Self {
        Self(message)
    }
}
