use std::io;

/// Why there is no search at all; single paths have a [`Problem`](crate::Problem) instead.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A glob filter makes no sense.
    #[error("the glob '{glob}' makes no sense: {reason}")]
    Glob {
        /// As it was given.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// This way of reading is not to be had here.
    #[error("--io {io} is not to be had here: {reason}; use --io read")]
    Io {
        /// The way of reading.
        io: crate::Io,
        /// Who denies it, and why.
        reason: String,
    },
    /// This model is not to be had here, or not with these settings.
    #[error("model {model} is not to be had: {reason}")]
    Model {
        /// The model.
        model: crate::Model,
        /// Why.
        reason: String,
    },
    /// The kernel refused something that every search needs.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
}
