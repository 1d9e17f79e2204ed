use std::fmt::Display;

use serde::{Deserialize, Serialize};

/// Facts that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Heading.
    pub title: String,
    /// The facts, in order.
    pub rows: Vec<Fact>,
}

/// A row of the listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// How it is here, with its unit; or `not available: reason (remedy)`.
    pub value: String,
    /// What it means; empty when that is plain.
    pub note: String,
}

pub(super) fn fact(name: impl Into<String>, value: impl Display, note: impl Into<String>) -> Fact {
    Fact {
        name: name.into(),
        value: value.to_string(),
        note: note.into(),
    }
}
