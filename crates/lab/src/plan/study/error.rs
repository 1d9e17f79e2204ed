/// A study that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file as it was named.
        file: String,
        /// The system's answer.
        reason: String,
    },
    /// The file says something that it may not say.
    #[error("{file}:{line}: {message}")]
    File {
        /// The file as it was named.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong and what is accepted.
        message: String,
    },
    /// There is no built-in study, or no decision, of that name.
    #[error("unknown {what} '{name}': {advice}")]
    Unknown {
        /// `study` or `decision`.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The one that looks most like it, or every name there is.
        advice: String,
    },
}
