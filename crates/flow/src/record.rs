//! What a slot leaves behind: raw values, in nanoseconds and bytes, and failures with
//! their reason. These types are the journal's schema (docs/results.md).

use measure::Measured;
use measure::memory::Reading;
use measure::usage::Usage;
use serde::{Deserialize, Serialize};

use crate::Proof;
use crate::sampler::Samples;

/// How a launch ended, as the launcher saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What the cell answered, or why there is no answer.
    pub answer: Answer,
    /// Wall time from before the launch to after the record was read, in ns.
    pub launch_ns: u64,
    /// What a sampler recorded beside the slot, where there was to be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Measured<Samples>>,
}

/// What a cell answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answer {
    /// Every repetition ran to its end.
    Done(SlotRecord),
    /// The slot is no data point.
    Failed {
        /// Why.
        reason: Failure,
        /// The repetition that failed, with what its other flows finished all the same
        /// (isolation at work); `None` when the whole slot was lost.
        kept: Option<Rep>,
    },
}

impl Answer {
    /// A slot that failed for want of something.
    #[must_use]
    pub fn from_error(error: &std::io::Error) -> Self {
        Self::Failed {
            reason: Failure::Error {
                what: error.to_string(),
            },
            kept: None,
        }
    }

    /// The record of a slot that is a data point.
    #[must_use]
    pub fn done(&self) -> Option<&SlotRecord> {
        match self {
            Self::Done(record) => Some(record),
            Self::Failed { .. } => None,
        }
    }
}

/// All that one slot measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotRecord {
    /// Repetitions that do not count.
    pub warmups: Vec<Rep>,
    /// Repetitions that count.
    pub reps: Vec<Rep>,
    /// Memory of the parent and all flows while every flow was alive and had done its
    /// work (the end gate of the last repetition).
    pub memory: Reading,
    /// Proof of one repetition, the same for all of them.
    pub proof: Proof,
}

/// One repetition: create, steady, tear-down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rep {
    /// From before the first flow is created until all of them wait at the gate.
    pub create_ns: u64,
    /// From the release until the last flow is done and the parent has all results.
    pub steady_ns: u64,
    /// From the second release until the last flow is joined or reaped.
    pub teardown_ns: u64,
    /// Latest minus earliest start after the release. With more flows than CPUs this is
    /// run-queue time.
    pub skew_ns: u64,
    /// The parent's own part.
    pub parent: ParentRecord,
    /// One entry for each of the kernel's flows, in flow order; user-level flows are in that
    /// of the thread that carried them.
    pub flows: Vec<FlowRecord>,
    /// Of flows that take turns: how many, and whether the switches happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
}

/// Turns that were taken, and what shows that each of them was followed by a switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Timed turns of all flows.
    pub taken: u64,
    /// Hand-overs in the span for which the kernel's counts are taken (the timed turns and
    /// some around them). 0 for user-level flows, whose switches it does not see.
    pub handed_over: u64,
    /// Voluntary and involuntary switches that the kernel counted in that span.
    pub switches: u64,
    /// Turns for which it was checked who had run since the same flow's turn before.
    pub checked: u64,
    /// Those of them between which every other flow had run.
    pub orderly: u64,
}

impl std::ops::AddAssign for Turns {
    fn add_assign(&mut self, other: Self) {
        self.taken += other.taken;
        self.handed_over += other.handed_over;
        self.switches += other.switches;
        self.checked += other.checked;
        self.orderly += other.orderly;
    }
}

impl Rep {
    /// Create, steady and tear-down together, in ns.
    #[must_use]
    pub fn total_ns(&self) -> u64 {
        self.create_ns + self.steady_ns + self.teardown_ns
    }

    /// Proof of the whole repetition.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.flows.iter().map(|flow| flow.proof).sum()
    }
}

/// What the parent did in one repetition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentRecord {
    /// Its process id.
    pub pid: i32,
    /// Usage while it created the flows.
    pub create: Usage,
    /// Usage while the flows ran.
    pub steady: Usage,
    /// Usage while it waited for their end.
    pub teardown: Usage,
    /// When it had taken the last result, after the release, in ns.
    pub end_ns: u64,
    /// How many result values it received.
    pub received: u64,
}

/// What one flow did in one repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Process id, and thread id (the same for a process's first thread).
    pub pid: i32,
    /// Thread id.
    pub tid: i32,
    /// How it ended.
    #[serde(flatten)]
    pub state: FlowState,
    /// Start and end of its work, after the release, in ns.
    pub start_ns: u64,
    /// End of its work, after the release, in ns.
    pub end_ns: u64,
    /// Usage from its birth to the gate.
    pub create: Usage,
    /// Usage while it worked.
    pub steady: Usage,
    /// Units it did.
    pub units: u64,
    /// Result values it sent.
    pub sent: u64,
    /// Proof of its work.
    pub proof: Proof,
    /// User-level flows that it carried; 0 for a flow of the kernel's own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub carried: u64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it skips by reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a flow ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FlowState {
    /// It did all its work.
    Done,
    /// Its process ended before its work was done.
    Died {
        /// `SIGSEGV`, `exit code 3`.
        how: String,
    },
    /// It was still at work at the deadline.
    Hung,
    /// It could not do its work.
    Error {
        /// What failed.
        what: String,
    },
}

/// Why a slot is no data point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum Failure {
    /// One or more flows died; those of other processes went on.
    #[error("{died} of {flows} flows died ({}); the results of the other {} are kept", one_line(how), flows - died)]
    FlowsDied {
        /// How many died.
        died: u32,
        /// Of how many.
        flows: u32,
        /// How the first one died.
        how: String,
    },
    /// The cell itself died, and with it every flow.
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
        "{hung} of {flows} flows {were} still at work at the deadline of {deadline_s} s and {were} killed",
        were = if *hung == 1 { "was" } else { "were" }
    )]
    Hung {
        /// How many.
        hung: u32,
        /// Of how many.
        flows: u32,
        /// The deadline, in seconds.
        deadline_s: String,
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
    /// Something the cell needed failed.
    #[error("{}", one_line(what))]
    Error {
        /// What failed, on what, and what to do.
        what: String,
    },
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; it said: {}", one_line(stderr))
    }
}

/// A text on one line, as every message is shown: panics and system tools write several.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_flow_that_hung_was_at_work() {
        let hung = |hung| Failure::Hung {
            hung,
            flows: 4,
            deadline_s: "10".to_owned(),
        };
        assert_eq!(
            hung(1).to_string(),
            "1 of 4 flows was still at work at the deadline of 10 s and was killed"
        );
        assert!(hung(2).to_string().starts_with("2 of 4 flows were still"));
    }

    #[test]
    fn what_a_panic_said_on_two_lines_is_shown_on_one() {
        let lost = Failure::SlotLost {
            flows: 1,
            how: "exit code 101".to_owned(),
            stderr: "thread 'main' panicked at a.rs:1:\nboom\n".to_owned(),
        };
        assert_eq!(
            lost.to_string(),
            "the whole slot is lost with its 1 flow: exit code 101; it said: thread 'main' panicked \
             at a.rs:1: boom"
        );
    }
}
