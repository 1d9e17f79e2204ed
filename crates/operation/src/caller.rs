//! `getppid`, `sched_yield`: calls that ask for little and change nothing.

use std::os::unix::process::parent_id;

use crate::check::{must, same};
use crate::sys::child::sched_yield;
use crate::{Facts, OperationContext, PerFlow};

const FAMILY: &str = "calls";

#[derive(Debug)]
pub(crate) struct Parent {
    id: u32,
}

impl PerFlow for Parent {
    const FACTS: Facts = Facts {
        name: "getppid",
        family: FAMILY,
        does: "ask for the parent's id",
        verified: "each answer is the id known before",
        ops: 20_000,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self { id: parent_id() }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum: u64, op| {
            same("the parent's id", parent_id().into(), self.id.into());
            checksum.wrapping_add(op)
        })
    }
}

#[derive(Debug)]
pub(crate) struct Yield;

impl PerFlow for Yield {
    const FACTS: Facts = Facts {
        name: "sched-yield",
        family: FAMILY,
        does: "let another flow run, if one waits for this CPU",
        shares: "nothing but the CPU, where flows share one",
        verified: "by the answer alone: nothing else tells of it",
        ops: 6_000,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum, op| {
            must("give up the CPU", sched_yield());
            checksum + op
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the parent's id")]
    fn another_parent_is_found() {
        Parent { id: 0 }.repeat(1);
    }
}
