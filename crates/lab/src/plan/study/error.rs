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
    /// There is no decision of that name.
    #[error("unknown decision '{name}': {}", of_decisions(nearest.as_deref(), known))]
    UnknownDecision {
        /// The name that was given.
        name: String,
        /// The one that looks most like it, if one does.
        nearest: Option<String>,
        /// Every name there is.
        known: Vec<String>,
    },
    /// There is no built-in study of that name.
    #[error("unknown study '{name}': {}", advice(nearest.as_deref(), known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The one that looks most like it, if one does.
        nearest: Option<String>,
        /// Every name there is.
        known: Vec<String>,
    },
}

fn of_decisions(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("use {}", known.join(", ")),
    }
}

fn advice(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!(
            "built in are {}; a file is named by its path, such as ./mine.toml",
            known.join(", ")
        ),
    }
}
