use serde::{Deserialize, Serialize};

use crate::Proof;

/// Why a slot is no data point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum Failure {
    /// One or more flows died; those of other processes went on.
    #[error("{died} of {flows} flows died ({}){}", one_line(how), kept(flows.saturating_sub(*died)))]
    FlowsDied {
        /// How many died.
        died: u32,
        /// Of how many.
        flows: u32,
        /// How the first one died.
        how: String,
    },
    /// The slot process itself died, and with it every flow.
    #[error(
        "the whole slot is lost with its {flows} {}: {}{}",
        if *flows == 1 { "flow" } else { "flows" }, one_line(how), tail(stderr)
    )]
    SlotLost {
        /// How many flows it held.
        flows: u32,
        /// `SIGSEGV`, `exit code 3`.
        how: String,
        /// The last lines of its standard error.
        stderr: String,
    },
    /// Flows were still at work at the deadline.
    #[error(
        "{hung} of {flows} flows {were} still at work at the deadline of {deadline_s} s and {were} killed{}",
        place(at), were = if *hung == 1 { "was" } else { "were" }
    )]
    Hung {
        /// How many.
        hung: u32,
        /// Of how many.
        flows: u32,
        /// The deadline, in seconds.
        deadline_s: String,
        /// What they were doing, where the work can tell.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        at: String,
    },
    /// The slot was still at work at its deadline; of work that makes its own flows.
    #[error(
        "the slot was still at work at the deadline of {deadline_s} s and was ended{}{}",
        place(at),
        tail(said)
    )]
    Overdue {
        /// The deadline, in seconds.
        deadline_s: String,
        /// The last lines that it wrote, where they are known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
        /// What it was doing, where the work can tell.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        at: String,
    },
    /// What was worked on is not what it was before, so that there is nothing to compare.
    #[error("{what}")]
    InputChanged {
        /// What changed, how that shows, and what to do.
        what: String,
    },
    /// The work that was proved is not the work that was asked for.
    #[error("proved different work: expected {expected}, got {got}")]
    DifferentWork {
        /// What another repetition or variant proved, or what is known.
        expected: String,
        /// What this one proved.
        got: String,
    },
    /// Flows sent more or fewer results than the parent received.
    #[error("results were lost on the way: {sent} sent, {received} received")]
    ResultsLost {
        /// Values sent by flows.
        sent: u64,
        /// Values received by the parent.
        received: u64,
    },
    /// Flows handed over and the kernel did not switch.
    #[error(
        "{switches} switches were counted where {handed_over} hand-overs must cause as many: \
         the system ignored some, and a time for a switch would be unrealistically low"
    )]
    NotSwitched {
        /// Switches that the kernel counted.
        switches: u64,
        /// Hand-overs.
        handed_over: u64,
    },
    /// Flows did not run in the only order that is right.
    #[error(
        "flows did not take turns: of {checked} turns {orderly} came after one of every other flow"
    )]
    OutOfOrder {
        /// Turns between which every other flow had run.
        orderly: u64,
        /// Turns that were checked.
        checked: u64,
    },
    /// Something the slot process needed failed.
    #[error("{}", one_line(what))]
    Error {
        /// What failed, on what, and what to do.
        what: String,
    },
}

impl Failure {
    /// Other work than what was expected.
    #[must_use]
    pub fn different_work(expected: Proof, got: Proof) -> Self {
        Self::DifferentWork {
            expected: expected.to_string(),
            got: got.to_string(),
        }
    }

    /// Whether the two differ in nothing but their deadlines.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let kind = |one: &Self| {
            let mut kind = one.clone();
            if let Self::Hung { deadline_s, .. } | Self::Overdue { deadline_s, .. } = &mut kind {
                deadline_s.clear();
            }
            kind
        };
        kind(self) == kind(other)
    }

    /// As people read it, with what to do about it before what was said.
    #[must_use]
    pub fn with_advice(&self, advice: &str) -> String {
        match self {
            Self::Overdue { said, .. } => {
                let text = self.to_string();
                let said = tail(said);
                let text = text.strip_suffix(&said).unwrap_or(&text);
                format!("{text}; {advice}{said}")
            }
            other => format!("{other}; {advice}"),
        }
    }

    /// Whether a deadline ended the slot: with more time it could be a data point.
    #[must_use]
    pub fn is_of_time(&self) -> bool {
        matches!(self, Self::Hung { .. } | Self::Overdue { .. })
    }
}

/// How a text begins of what had to be killed; it is said of a command, and not by it.
pub const KILLED: &str = "it did not end when it was asked to (SIGTERM) and was killed";

fn kept(others: u32) -> String {
    match others {
        0 => String::new(),
        others => format!("; the results of the other {others} are kept"),
    }
}

fn place(at: &str) -> String {
    match at {
        "" => String::new(),
        at => format!(": {at}"),
    }
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else if stderr.starts_with(KILLED) {
        format!("; {}", one_line(stderr))
    } else {
        format!("; it said: {}", one_line(stderr))
    }
}

/// Text that several flows wrote alike stands once; a panic's place in the source is dropped.
fn one_line(text: &str) -> String {
    let of_panic = |line: &str| {
        let is_head = line.starts_with("thread '") && line.contains("panicked at ");
        is_head || line.starts_with("note: run with `RUST_BACKTRACE")
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let said = lines.iter().copied().filter(|line| !of_panic(line));
    let said: Vec<&str> = said.collect();
    match said.is_empty() {
        true => lines.join(" "),
        false => said.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_panic_was_is_not_said_and_what_it_said_is() {
        let panic = "thread 'main' (7) panicked at crates/x/src/y.rs:325:13:\n\
                     cannot accept connections\nnote: run with `RUST_BACKTRACE=1` to see";
        assert_eq!(one_line(panic), "cannot accept connections");
        assert_eq!(tail(KILLED), format!("; {KILLED}"));
    }

    #[test]
    fn one_flow_that_hung_was_at_work() {
        let hung = |hung| Failure::Hung {
            hung,
            flows: 4,
            deadline_s: "10".to_owned(),
            at: String::new(),
        };
        let one = "1 of 4 flows was still at work at the deadline of 10 s and was killed";
        assert_eq!(hung(1).to_string(), one);
        assert!(hung(2).to_string().starts_with("2 of 4 flows were still"));
    }

    /// What to do stood behind what a command said, as if the command had said it.
    #[test]
    fn advice_stands_before_what_was_said() {
        let late = |deadline_s: &str| Failure::Overdue {
            deadline_s: deadline_s.to_owned(),
            said: "loading".to_owned(),
            at: String::new(),
        };
        let end = "and was ended; allow more time; it said: loading";
        assert!(late("7.5").with_advice("allow more time").ends_with(end));
        assert!(late("7.5").is_like(&late("10")));
        let other = Failure::Error {
            what: String::new(),
        };
        assert!(!late("10").is_like(&other));
    }

    /// Four workers that ended for one cause said it four times.
    #[test]
    fn what_several_flows_said_alike_stands_once() {
        let said = "panicked at a.rs:1:\nboom\npanicked at a.rs:1:\nboom\nbang\n";
        let lost = Failure::SlotLost {
            flows: 4,
            how: "exit code 101".to_owned(),
            stderr: said.to_owned(),
        };
        let end = "; it said: panicked at a.rs:1: boom bang";
        assert!(lost.to_string().ends_with(end), "{lost}");
    }

    #[test]
    fn what_a_panic_said_on_several_lines_is_shown_on_one() {
        let lost = Failure::SlotLost {
            flows: 1,
            how: "exit code 101".to_owned(),
            stderr: "thread 'main' panicked at a.rs:1:\nboom:\n  4\n".to_owned(),
        };
        assert_eq!(
            lost.to_string(),
            "the whole slot is lost with its 1 flow: exit code 101; it said: boom: 4"
        );
    }
}
