//! `lseek`: the position in an open file, a flow's own or the parent's, under one lock.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::check::{at_length, must, same};
use crate::sys::descriptor::{WORD, read_word, seek};
use crate::sys::own_file::OwnFile;
use crate::{Facts, Operation, OperationContext, PerFlow};

const WORDS: u64 = 512;

fn go(fd: BorrowedFd<'_>, ops: u64, check: impl Fn(u64)) -> u64 {
    (0..ops).fold(0, |checksum, op| {
        let word = op % WORDS;
        let place = word * WORD as u64;
        let at = must("seek in a file", seek(fd, place));
        same("the place in the file", at, place);
        if at_length(op) {
            check(word);
        }
        checksum + at
    })
}

#[derive(Debug)]
pub(crate) struct Own(OwnFile);

impl PerFlow for Own {
    const FACTS: Facts = Facts {
        name: "lseek",
        family: "file data",
        does: "go to a place in a file",
        shares: "nothing: each flow has its own file",
        verified: "the answer is the place; 1 in 64 is read from",
        ops: 18_000,
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        Self(context.flow_file(flow, WORDS))
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let fd = self.0.file.as_fd();
        go(fd, ops, |word| {
            let came = must("read a file", read_word(fd));
            same("a word of the file", came, self.0.tag + word);
        })
    }
}

#[derive(Debug)]
pub(crate) struct Same {
    file: OwnFile,
}

impl Operation for Same {
    const FACTS: Facts = Facts {
        name: "lseek-same",
        family: "file data",
        does: "go to a place in the one open file of all flows",
        shares: "the open file with its position",
        verified: "the answer is the place",
        ops: 12_000,
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = ();

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        let file = context.shared_file(WORDS)?;
        Ok(Self { file })
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        go(self.file.file.as_fd(), ops, |_| {})
    }
}
