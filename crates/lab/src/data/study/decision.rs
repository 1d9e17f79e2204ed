use serde::{Deserialize, Serialize};

/// A question that people argue about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// In one sentence.
    pub question: String,
    /// What decides it, in ten lines at the most.
    pub theory: Vec<String>,
    /// What it needs beside the programs of its cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// Where it was argued about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
}

/// A public thread, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// Its address.
    pub url: String,
    /// In a few words.
    pub says: String,
}
