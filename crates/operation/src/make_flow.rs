//! `fork`, `vfork`, `clone-*`, `posix-spawn`, `pthread`: a flow is made and waited for.
//!
//! | operation | memory | file table | who runs |
//! |---|---|---|---|
//! | `fork` | copied | copied | both |
//! | `fork-shared-files` | copied | shared | both |
//! | `vfork` | lent until it ends | copied | the new one, then the old one |
//! | `clone-vm` | shared | copied | both |
//! | `clone-vm-files` | shared | shared | both |
//! | `posix-spawn` | lent until it runs a program | copied | the new one, then both |
//! | `pthread` | shared | shared | both |
//!
//! A new process only ends with an exit code, by calls allowed where other threads may hold any
//! lock. Under `thread` it is a child of the slot process, which listens for its own flows alone.

use std::io;

use crate::check::{must, same};
use crate::sys::child::{Child, Program, Stack, clone, fork_to_exit, thread};
use crate::{Facts, Operation, OperationContext, PerFlow};

const FAMILY: &str = "making flows";
const CODE: &str = "each exit code is the one that was asked for";

const CODES: u64 = 100;

/// Makes `ops` processes, each with its own exit code.
fn make(ops: u64, mut one: impl FnMut(u8) -> io::Result<Child>) -> u64 {
    (0..ops).fold(0, |checksum, op| {
        let code = op % CODES + 1;
        let child = must("make a process", one(code as u8));
        ends_with(child, code);
        checksum + code
    })
}

fn ends_with(child: Child, code: u64) {
    let came = must("wait for a process", child.wait());
    same("the exit code of a process", came, code);
}

#[derive(Debug)]
pub(crate) struct Fork;

impl PerFlow for Fork {
    const FACTS: Facts = Facts {
        name: "fork",
        family: FAMILY,
        does: "fork a process that ends at once, and wait for it",
        verified: CODE,
        ops: 24,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        make(ops, fork_to_exit)
    }
}

#[derive(Debug)]
pub(crate) struct Clone<const KIND: usize>(Stack);

pub(crate) type ForkSharedFiles = Clone<0>;
pub(crate) type Vfork = Clone<1>;
pub(crate) type CloneVm = Clone<2>;
pub(crate) type CloneVmFiles = Clone<3>;

/// Name, description, flags, operations.
const CLONES: [(&str, &str, libc::c_int, u64); 4] = [
    (
        "fork-shared-files",
        "make a process with the same file table that ends at once",
        libc::CLONE_FILES,
        24,
    ),
    (
        "vfork",
        "make a process in the same memory, asleep until it has ended",
        libc::CLONE_VM | libc::CLONE_VFORK,
        120,
    ),
    (
        "clone-vm",
        "make a process in the same memory that ends at once",
        libc::CLONE_VM,
        120,
    ),
    (
        "clone-vm-files",
        "make a process in the same memory with the same file table",
        libc::CLONE_VM | libc::CLONE_FILES,
        120,
    ),
];

impl<const KIND: usize> PerFlow for Clone<KIND> {
    const FACTS: Facts = Facts {
        name: CLONES[KIND].0,
        family: FAMILY,
        does: CLONES[KIND].1,
        verified: CODE,
        ops: CLONES[KIND].3,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(must("map a stack", Stack::new()))
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        make(ops, |code| clone(&self.0, CLONES[KIND].2, code))
    }
}

#[derive(Debug)]
pub(crate) struct Spawn {
    program: Program,
}

impl Operation for Spawn {
    const FACTS: Facts = Facts {
        name: "posix-spawn",
        family: FAMILY,
        does: "run the program true and wait for it",
        shares: "nothing but the program",
        verified: "each exit code is 0; a program that cannot be run is an error",
        ops: 6,
        ..Facts::USUAL
    };

    type State = ();

    fn prepare(_context: &OperationContext) -> io::Result<Self> {
        let program = Program::find("true")?;
        Ok(Self { program })
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        // The same sum as of processes that end with codes of their own: the work is the same.
        (0..ops).fold(0, |checksum, op| {
            ends_with(must("run a program", self.program.spawn()), 0);
            checksum + op % CODES + 1
        })
    }
}

#[derive(Debug)]
pub(crate) struct Thread;

impl PerFlow for Thread {
    const FACTS: Facts = Facts {
        name: "pthread",
        family: FAMILY,
        does: "make a thread that ends at once, and join it",
        verified: "each thread answers with its argument",
        ops: 150,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (1..=ops).fold(0, |checksum, told| {
            let answer = must("make a thread", thread(told as usize)) as u64;
            same("the answer of a thread", answer, told);
            checksum + answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the exit code of a process")]
    fn another_exit_code_is_found() {
        let stack = Stack::new().unwrap();
        ends_with(clone(&stack, libc::CLONE_VM, 3).unwrap(), 4);
    }

    #[test]
    fn a_program_that_is_missing_is_an_error() {
        let error = Program::find("no-such-program").unwrap_err().to_string();
        assert!(error.contains("no-such-program"), "{error}");
    }
}
