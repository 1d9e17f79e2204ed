//! `getppid`, `sched_yield`: calls that ask for little and change nothing.

use std::io;
use std::os::unix::process::parent_id;

use crate::check::{must, same};
use crate::context::OperationContext;
use crate::facts::Facts;
use crate::repeat::Operation;
use crate::sys::child::sched_yield;

const FAMILY: &str = "calls";

/// Asks for the parent's id.
#[derive(Debug)]
pub(crate) struct Parent;

impl Operation for Parent {
    const FACTS: Facts = Facts {
        name: "getppid",
        family: FAMILY,
        does: "ask for the parent's id",
        shares: "nothing",
        verified: "each answer is the id known before",
        ops: 20_000,
        needs_folder: false,
        waits: false,
    };

    /// The parent's id as it was before.
    type State = u32;

    fn prepare(_site: &OperationContext<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) -> u32 {
        parent_id()
    }

    fn repeat(&self, own: &mut u32, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum: u64, op| {
            same("the parent's id", parent_id().into(), (*own).into());
            checksum.wrapping_add(op)
        })
    }
}

/// Lets another flow run, if one waits for this CPU.
#[derive(Debug)]
pub(crate) struct Yield;

impl Operation for Yield {
    const FACTS: Facts = Facts {
        name: "sched-yield",
        family: FAMILY,
        does: "let another flow run, if one waits for this CPU",
        shares: "nothing but the CPU, where flows share one",
        verified: "by the answer alone: nothing else tells of it",
        ops: 6_000,
        needs_folder: false,
        waits: false,
    };

    type State = ();

    fn prepare(_site: &OperationContext<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
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
        Parent.repeat(&mut 0, 1);
    }
}
