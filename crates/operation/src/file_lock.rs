//! `flock`, `record-lock`: locks on files. A `flock` belongs to the open file, so each flow opens
//! the file for itself. A record lock belongs to the *file table*: flows that share one never wait
//! for each other. So each flow locks its own byte; common is the file's list of locks.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use crate::check::{at_length, must, same};
use crate::ledger::Ledger;
use crate::sys::descriptor::open;
use crate::sys::file::{byte_is_locked, flock, lock_byte};
use crate::sys::own_file::OwnFile;
use crate::{Facts, Operation, OperationContext, either};

const FAMILY: &str = "file locks";
const OWN: &str = "nothing: each flow has its own file";

#[derive(Debug)]
pub(crate) struct Twice {
    file: File,
    /// Another open file: the locks of `file` are not its own.
    other: File,
    byte: u64,
}

impl Twice {
    fn open(path: &CString, byte: u64) -> io::Result<Self> {
        Ok(Self {
            file: File::from(open(path, libc::O_RDWR)?),
            other: File::from(open(path, libc::O_RDWR)?),
            byte,
        })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    fn is_locked_whole(&self) {
        let locked = flock(self.other.as_fd(), libc::LOCK_EX | libc::LOCK_NB);
        let refused = locked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        assert!(refused, "a file that is locked can be locked again");
    }

    fn byte_is_locked(&self, expected: bool) {
        let locked = must(
            "look at a lock",
            byte_is_locked(self.other.as_fd(), self.byte),
        );
        same("the state of a lock", locked.into(), expected.into());
    }
}

#[derive(Debug)]
struct Files {
    folder: PathBuf,
    same: Option<CString>,
}

impl Files {
    fn prepare(context: &OperationContext, one: bool) -> io::Result<Self> {
        let same = one.then(|| context.shared_file(1)).transpose()?;
        Ok(Self {
            folder: context.folder()?.to_owned(),
            same: same.map(|file| file.path),
        })
    }

    fn own(&self, flow: usize) -> Twice {
        let twice = match &self.same {
            Some(path) => Twice::open(path, flow as u64),
            None => {
                OwnFile::of_flow(&self.folder, flow, 1).and_then(|own| Twice::open(&own.path, 0))
            }
        };
        must("make a file", twice)
    }
}

#[derive(Debug)]
pub(crate) struct Flock<const SAME: bool> {
    files: Files,
    ledger: Ledger,
}

pub(crate) type OwnFlock = Flock<false>;
pub(crate) type SameFlock = Flock<true>;

impl<const SAME: bool> Operation for Flock<SAME> {
    const FACTS: Facts = Facts {
        name: either(SAME, "flock-same", "flock"),
        family: FAMILY,
        does: "lock a file and let it go",
        shares: either(SAME, "the file, opened by each flow", OWN),
        verified: "1 in 64 cannot be locked again; steps under the one lock are not lost",
        ops: if SAME { 1_000 } else { 4_000 },
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = Twice;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            files: Files::prepare(context, SAME)?,
            ledger: Ledger::new(context.flows)?,
        })
    }

    fn own(&self, flow: usize) -> Twice {
        self.files.own(flow)
    }

    fn repeat(&self, own: &mut Twice, ops: u64) -> u64 {
        for op in 0..ops {
            must("lock a file", flock(own.fd(), libc::LOCK_EX));
            if SAME {
                self.ledger.step();
            }
            if at_length(op) {
                own.is_locked_whole();
            }
            must("let a file go", flock(own.fd(), libc::LOCK_UN));
        }
        if SAME {
            self.ledger.done(ops);
        }
        ops
    }
}

#[derive(Debug)]
pub(crate) struct Record<const SAME: bool> {
    files: Files,
}

pub(crate) type OwnRecord = Record<false>;
pub(crate) type SameRecord = Record<true>;

impl<const SAME: bool> Operation for Record<SAME> {
    const FACTS: Facts = Facts {
        name: either(SAME, "record-lock-same", "record-lock"),
        family: FAMILY,
        does: "lock a byte of a file (fcntl) and let it go",
        shares: either(SAME, "the file; each flow has its own byte", OWN),
        verified: "1 in 64 is seen by another open file, and then no more",
        ops: 2_500,
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = Twice;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        let files = Files::prepare(context, SAME)?;
        Ok(Self { files })
    }

    fn own(&self, flow: usize) -> Twice {
        self.files.own(flow)
    }

    fn repeat(&self, own: &mut Twice, ops: u64) -> u64 {
        for op in 0..ops {
            must("lock a byte", lock_byte(own.fd(), own.byte, true));
            if at_length(op) {
                own.byte_is_locked(true);
            }
            must("let a byte go", lock_byte(own.fd(), own.byte, false));
            if at_length(op) {
                own.byte_is_locked(false);
            }
        }
        ops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice() -> (tempfile::TempDir, Twice) {
        let folder = tempfile::tempdir().unwrap();
        let own = OwnFile::of_flow(folder.path(), 0, 1).unwrap();
        let twice = Twice::open(&own.path, 0).unwrap();
        (folder, twice)
    }

    #[test]
    #[should_panic(expected = "can be locked again")]
    fn a_file_that_is_not_locked_is_found() {
        twice().1.is_locked_whole();
    }

    #[test]
    #[should_panic(expected = "the state of a lock")]
    fn a_byte_that_is_not_locked_is_found() {
        twice().1.byte_is_locked(true);
    }
}
