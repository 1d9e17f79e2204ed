//! What a command says that measures itself: one that runs on several nodes takes longer to launch than a repetition.
//! It repeats the work itself and writes one line to its standard output: a [`Said`] as JSON. A slot is still one
//! launch; its repetitions are those of the report. *Create* is the time from the launch until the command was ready,
//! *tear-down* that from its last repetition until it had ended: the same for all. A command that finds that nothing
//! may be measured says why instead, and the slot fails with that reason.

use std::collections::BTreeMap;

use flow::Proof;
use measure::memory::Memory;
use measure::usage::Usage;
use serde::{Deserialize, Serialize};

/// What a command says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// What it measured.
    Report(Report),
    /// Why it measured nothing.
    Refused(String),
}

/// What a command measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When it was ready, by the clock of the machine (`CLOCK_MONOTONIC`).
    pub ready_ns: u64,
    /// When it had done the last repetition.
    pub done_ns: u64,
    /// The repetitions.
    pub reps: Vec<Reported>,
    /// What processes used and hold that are no descendants of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
}

/// What processes used and hold that a daemon started for the command. Nobody but they can say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// CPU time of their own code, in ns.
    pub user_ns: u64,
    /// CPU time of the kernel for them, in ns.
    pub system_ns: u64,
    /// The most RSS of one of them, in bytes.
    pub most_rss: u64,
    /// What they hold while all of them are there; `None` where the kernel does not tell it.
    pub memory: Option<Memory>,
}

/// A repetition as a command reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// How long it took.
    pub steady_ns: u64,
    /// Units of work.
    pub units: u64,
    /// Proof of the work.
    pub proof: Proof,
    /// What all flows used in it.
    pub usage: Usage,
    /// What else was counted, by name.
    pub counts: BTreeMap<String, u64>,
}

impl Said {
    /// What is said in an output: the last line that says something.
    #[must_use]
    pub fn of(output: &[u8]) -> Option<Self> {
        let lines = output.rsplit(|byte| *byte == b'\n');
        let mut said = lines.filter(|line| line.starts_with(b"{"));
        said.find_map(|line| serde_json::from_slice(line).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_is_one_counts_and_no_other() {
        let report = Said::Report(Report {
            reps: vec![Reported::default()],
            ..Report::default()
        });
        let text = serde_json::to_string(&report).unwrap();
        let output = format!("a warning\n{text}\n{{\"other\": 1}}\n\n");
        assert_eq!(Said::of(output.as_bytes()), Some(report));
        assert_eq!(Said::of(b"nothing\n{}\n"), None);
        let refused = Said::of(b"{\"refused\":\"no\"}");
        assert_eq!(refused, Some(Said::Refused("no".to_owned())));
    }
}
