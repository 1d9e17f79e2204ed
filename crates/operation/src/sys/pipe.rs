//! Pipes.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use super::answer;

/// A pipe with both its ends.
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) reader: OwnedFd,
    pub(crate) writer: OwnedFd,
}

impl Pipe {
    pub(crate) fn new() -> io::Result<Self> {
        let mut ends = [0; 2];
        // SAFETY: the array has room for the two numbers.
        answer(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
        // SAFETY: the call just gave this descriptor to us alone.
        let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
        // SAFETY: as above.
        let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
        Ok(Self { reader, writer })
    }
}
