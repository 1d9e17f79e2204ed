use std::fmt;

use serde::{Deserialize, Serialize};

use crate::registry::all;

/// Description of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Name in studies (`open-same`).
    pub name: &'static str,
    /// Group of operations (`files: names`).
    pub family: &'static str,
    /// One operation, in one line.
    pub does: &'static str,
    /// What flows share under every model.
    pub shares: &'static str,
    /// How its effect is verified.
    pub verified: &'static str,
    /// Operations that take one flow about a millisecond if nobody makes it wait.
    pub ops: u64,
    /// Whether it needs a folder for files.
    pub needs_folder: bool,
    /// Whether flows wait for each other in the kernel: flows on one carrier would wait for ever.
    pub waits: bool,
}

impl Facts {
    pub(crate) const USUAL: Self = Self {
        name: "",
        family: "",
        does: "",
        shares: "nothing",
        verified: "",
        ops: 0,
        needs_folder: false,
        waits: false,
    };
}

pub(crate) const fn either(is_so: bool, one: &'static str, other: &'static str) -> &'static str {
    if is_so { one } else { other }
}

/// The name of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Name(&'static Facts);

impl Name {
    /// Description of the operation.
    #[must_use]
    pub fn facts(self) -> &'static Facts {
        self.0
    }

    /// The name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.name
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Name").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text names no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no operation: {}", advice(text))]
pub struct NameError {
    text: String,
}

fn advice(text: &str) -> String {
    let names = || all().iter().map(|facts| facts.name);
    match names::nearest(text, names()) {
        Some(name) => format!("did you mean '{name}'?"),
        None => format!("use {}", names().collect::<Vec<_>>().join(", ")),
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.as_str().to_owned()
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        let found = all().iter().find(|facts| facts.name == text);
        found.map(Self).ok_or(NameError { text })
    }
}
