use measure::usage::Usage;
use serde::{Deserialize, Serialize};

use super::is_default;
use crate::Proof;

/// What one flow did in one repetition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
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
    #[serde(default, skip_serializing_if = "is_default")]
    pub carried: u64,
}

/// How a flow ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FlowState {
    /// It did all its work.
    #[default]
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

/// A record with its state's fields. Derived code for flattened fields would hold each in memory.
#[derive(Deserialize)]
struct Written {
    pid: i32,
    tid: i32,
    state: StateName,
    how: Option<String>,
    what: Option<String>,
    start_ns: u64,
    end_ns: u64,
    create: Usage,
    steady: Usage,
    units: u64,
    sent: u64,
    proof: Proof,
    #[serde(default)]
    carried: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StateName {
    Done,
    Died,
    Hung,
    Error,
}

impl TryFrom<Written> for FlowRecord {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let state = match written.state {
            StateName::Done => FlowState::Done,
            StateName::Hung => FlowState::Hung,
            StateName::Died => FlowState::Died {
                how: written.how.ok_or("missing field `how`")?,
            },
            StateName::Error => FlowState::Error {
                what: written.what.ok_or("missing field `what`")?,
            },
        };
        Ok(Self {
            pid: written.pid,
            tid: written.tid,
            state,
            start_ns: written.start_ns,
            end_ns: written.end_ns,
            create: written.create,
            steady: written.steady,
            units: written.units,
            sent: written.sent,
            proof: written.proof,
            carried: written.carried,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_however_the_flow_ended() {
        let record = |state| FlowRecord {
            pid: 1,
            tid: 2,
            state,
            start_ns: 3,
            end_ns: 4,
            units: 5,
            sent: 6,
            ..FlowRecord::default()
        };
        let how = "SIGSEGV".to_owned();
        let what = "it was full".to_owned();
        for state in [
            FlowState::Done,
            FlowState::Hung,
            FlowState::Died { how },
            FlowState::Error { what },
        ] {
            let written = serde_json::to_string(&record(state.clone())).unwrap();
            let read: FlowRecord = serde_json::from_str(&written).unwrap();
            assert_eq!(read, record(state));
        }
        let died = serde_json::to_string(&record(FlowState::Done)).unwrap();
        let died = died.replace("\"done\"", "\"died\"");
        let error = serde_json::from_str::<FlowRecord>(&died).unwrap_err();
        assert!(error.to_string().contains("missing field `how`"), "{error}");
    }
}
