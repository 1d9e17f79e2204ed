use std::io;
use std::os::fd::OwnedFd;

use super::answer;
use super::descriptor::owned;

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
        Self::of(ends)
    }

    /// Only one direction is used.
    pub(crate) fn of_sockets() -> io::Result<Self> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
        // SAFETY: the array has room for the two numbers.
        answer(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
        Self::of(ends)
    }

    fn of([reader, writer]: [libc::c_int; 2]) -> io::Result<Self> {
        let reader = owned(reader)?;
        let writer = owned(writer)?;
        Ok(Self { reader, writer })
    }
}
