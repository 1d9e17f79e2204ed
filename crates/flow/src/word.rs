//! Words of a fixed set, as people and files write them.

/// A word that is none of the accepted ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no {what}: use {accepted}")]
pub struct WordError {
    pub(crate) text: String,
    pub(crate) what: &'static str,
    pub(crate) accepted: &'static str,
}
