use crate::data::JournalError;
use crate::plan::CaseError;
use crate::run::LaunchError;

/// Why a run ended without an end. All that was finished is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No slot can be launched.
    #[error("{0}")]
    Launch(String),
    /// A case cannot be run on this machine.
    #[error(transparent)]
    Case(#[from] CaseError),
}

pub(super) enum Stop {
    Interrupted(i32),
    Error(RunError),
}

impl From<JournalError> for Stop {
    fn from(error: JournalError) -> Self {
        Self::Error(error.into())
    }
}

impl From<LaunchError> for Stop {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Interrupted { signal } => Self::Interrupted(signal),
            LaunchError::Fatal(why) => Self::Error(RunError::Launch(why)),
        }
    }
}
