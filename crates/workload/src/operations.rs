//! `operation`: every flow repeats one operation of the kernel ([`operation`]).

use flow::{Answer, SlotProcess, Variant};
use operation::Name;
use serde::{Deserialize, Serialize};

use crate::handoff::unsuited_to_wait;
use crate::work::require;
use crate::workload::Files;
use crate::{Work, WorkError, Workload};

/// Parameters of `operation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operations {
    /// The operation.
    pub operation: Name,
    /// Flows that repeat it.
    pub flows: u64,
    /// Repetitions of each flow; if not given, as many as take `ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops: Option<u64>,
    /// Busy milliseconds of each flow; 1 if not given. In longer ones flows work alone for less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

impl Operations {
    /// Repetitions of each flow.
    #[must_use]
    pub fn ops(&self) -> u64 {
        let a_ms = self.operation.facts().ops;
        let usual = a_ms.saturating_mul(self.ms.unwrap_or(1));
        self.ops.unwrap_or(usual)
    }
}

/// The names of all operations, family by family.
pub fn names() -> impl Iterator<Item = &'static str> {
    operation::all().iter().map(|facts| facts.name)
}

impl Workload for Operations {
    flows_are!(flows);

    fn check(&self) -> Result<(), WorkError> {
        let is_some = self.flows > 0 && self.ops != Some(0) && self.ms != Some(0);
        require(
            is_some,
            || "an operation needs flows, ops and ms of at least 1",
        )?;
        require(
            self.ops.is_none() || self.ms.is_none(),
            || "ops and ms both say how often an operation is repeated: give one of them",
        )
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        operation::run(slot, self.operation, self.flows, self.ops())
    }

    fn is_even(&self) -> bool {
        true
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        let waits = self.operation.facts().waits;
        waits.then(|| unsuited_to_wait(self.operation.as_str(), variant))?
    }

    fn files(&self) -> Option<Files<'_>> {
        self.operation.facts().needs_folder.then_some(Files::SMALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn read(text: &str) -> Operations {
        testing::read(text)
    }

    #[test]
    fn an_operation_knows_how_often_it_is_repeated() {
        let usual = read(r#"{"operation": "mmap", "flows": 2}"#);
        assert_eq!(usual.ops(), usual.operation.facts().ops);
        let few = read(r#"{"operation": "mmap", "flows": 2, "ops": 7}"#);
        assert_eq!(few.ops(), 7);
        let longer = read(r#"{"operation": "mmap", "flows": 2, "ms": 12}"#);
        assert_eq!(longer.ops(), 12 * usual.ops());
    }

    #[test]
    fn an_unknown_operation_is_refused_with_the_names_there_are() {
        let unknown = r#"{"operation": "mmp", "flows": 2}"#;
        let error = serde_json::from_str::<Operations>(unknown)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("'mmp' is no operation") && error.contains("mmap"),
            "{error}"
        );
    }

    #[test]
    fn nothing_to_do_and_two_answers_are_refused() {
        testing::refused(
            &read(r#"{"operation": "mmap", "flows": 1, "ops": 1}"#),
            &[
                (|work| work.flows = 0, "of at least 1"),
                (|work| work.ops = Some(0), "of at least 1"),
                (|work| work.ms = Some(0), "of at least 1"),
                (|work| work.ms = Some(1), "give one of them"),
            ],
        );
    }
}
