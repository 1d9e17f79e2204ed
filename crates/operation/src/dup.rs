//! `dup`: another number for an open file.
//!
//! The file table alone is changed: no name is looked up and no file is opened.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

use crate::check::{Recurrence, at_length, must, same};
use crate::context::OperationContext;
use crate::facts::Facts;
use crate::repeat::Operation;
use crate::sys::descriptor::{close, dup, pread_word};
use crate::sys::own_file::OwnFile;

/// Gives a file another number and takes it back.
#[derive(Debug)]
pub(crate) struct Dup {
    folder: PathBuf,
    flows: u64,
}

impl Operation for Dup {
    const FACTS: Facts = Facts {
        name: "dup",
        family: "file table",
        does: "give an open file another number and close that",
        shares: "nothing: each flow has its own file",
        verified: "numbers come again; 1 in 64 holds the words of its file",
        ops: 7_000,
        needs_folder: true,
        waits: false,
    };

    type State = OwnFile;

    fn prepare(context: &OperationContext<'_>) -> io::Result<Self> {
        Ok(Self {
            folder: context.folder()?.to_owned(),
            flows: context.flows,
        })
    }

    fn own(&self, flow: usize) -> OwnFile {
        must("make a file", OwnFile::of_flow(&self.folder, flow, 1))
    }

    fn repeat(&self, own: &mut OwnFile, ops: u64) -> u64 {
        let mut numbers = Recurrence::new(self.flows);
        let mut checksum = 0;
        for op in 0..ops {
            let another = must("duplicate a descriptor", dup(own.file.as_fd()));
            numbers.up(another.as_raw_fd() as u64);
            if at_length(op) {
                let word = must("read a file", pread_word(another.as_fd(), 0));
                same("the first word of the file", word, own.tag);
                checksum += op + 1;
            }
            must("close a descriptor", close(another));
        }
        numbers.check("numbers of files");
        checksum
    }
}
