//! Waiting until one of several files has something to read.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

pub(crate) fn readable(file: BorrowedFd<'_>) -> PollFd<'_> {
    PollFd::new(file, PollFlags::POLLIN)
}

/// Comes back as well on a signal, and a millisecond at the most after that time: never before.
pub(crate) fn wait(files: &mut [PollFd<'_>], left: Duration) -> io::Result<()> {
    let milliseconds = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
    let timeout = PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX);
    match poll(files, timeout) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
