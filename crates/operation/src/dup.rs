//! `dup`: another number for an open file. It changes the file table alone: no name is looked up.

use std::os::fd::{AsFd, AsRawFd};

use crate::check::{Recurrence, at_length, must, same};
use crate::sys::descriptor::{close, dup, pread_word};
use crate::sys::own_file::OwnFile;
use crate::{Facts, OperationContext, PerFlow};

#[derive(Debug)]
pub(crate) struct Dup {
    file: OwnFile,
    flows: u64,
}

impl PerFlow for Dup {
    const FACTS: Facts = Facts {
        name: "dup",
        family: "file table",
        does: "give an open file another number and close that",
        shares: "nothing: each flow has its own file",
        verified: "numbers come again; 1 in 64 holds the words of its file",
        ops: 7_000,
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        Self {
            file: context.flow_file(flow, 1),
            flows: context.flows,
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let mut numbers = Recurrence::new(self.flows);
        let mut checksum = 0;
        for op in 0..ops {
            let another = must("duplicate a descriptor", dup(self.file.file.as_fd()));
            numbers.up(another.as_raw_fd() as u64);
            if at_length(op) {
                let word = must("read a file", pread_word(another.as_fd(), 0));
                same("the first word of the file", word, self.file.tag);
                checksum += op + 1;
            }
            must("close a descriptor", close(another));
        }
        numbers.check("numbers of files");
        checksum
    }
}
