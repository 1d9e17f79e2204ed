use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::{BATCH_WORDS, HEAD_WORDS};
use crate::notify::Notify;
use crate::shared_memory::SharedMemory;

/// A flow's end: a system call in [`BATCH_VALUES`](super::BATCH_VALUES) results.
#[derive(Debug)]
pub struct Outlet<'a> {
    words: Box<[u64; BATCH_WORDS]>,
    used: usize,
    unit: u64,
    next: u64,
    sent: u64,
    error: Option<io::Error>,
    failure: Option<io::Error>,
    way: Way<'a>,
}

#[derive(Debug)]
pub(super) enum Way<'a> {
    None,
    Own(File),
    Inherited(&'a OwnedFd),
    Ring(&'a SharedMemory, usize, &'a Notify),
}

impl<'a> Outlet<'a> {
    pub(super) fn new(way: Way<'a>) -> Self {
        Self {
            words: Box::new([0; BATCH_WORDS]),
            used: HEAD_WORDS,
            unit: 0,
            next: 0,
            sent: 0,
            error: None,
            failure: None,
            way,
        }
    }

    /// An outlet for bodies that send nothing; pushing into it is an error of the flow.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::new(Way::None)
    }

    /// Sends `value` as the next result of the current unit.
    #[inline]
    pub fn push(&mut self, value: u64) {
        if self.used == BATCH_WORDS {
            self.flush();
        }
        self.words[self.used] = value;
        self.used += 1;
    }

    /// Fails the flow with the first such error; its errno reaches the user.
    #[cold]
    pub fn fail(&mut self, error: io::Error) {
        self.failure.get_or_insert(error);
    }

    /// Takes the first error of a unit.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    pub(crate) fn begin(&mut self, unit: u64) {
        self.flush();
        (self.unit, self.next) = (unit, 0);
    }

    /// The first error is kept for [`Outlet::finish`]; later results are dropped.
    #[cold]
    fn flush(&mut self) {
        let count = (self.used - HEAD_WORDS) as u64;
        if count == 0 || self.error.is_some() {
            self.used = HEAD_WORDS;
            return;
        }
        self.words[..HEAD_WORDS].copy_from_slice(&[count, self.unit, self.next]);
        match self.way.send(&self.words[..self.used]) {
            Ok(()) => self.sent += count,
            Err(error) => self.error = Some(error),
        }
        self.next += count;
        self.used = HEAD_WORDS;
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Way<'_> {
    fn send(&mut self, words: &[u64]) -> io::Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        match self {
            Self::None => Err(io::Error::other("this workload has no channel for results")),
            Self::Own(file) => file.write_all(bytes),
            Self::Inherited(pipe) => write_whole(pipe.as_fd(), bytes),
            Self::Ring(shared, index, notify) => {
                shared.ring(*index).push(words);
                notify.wake_if_asleep(shared);
                Ok(())
            }
        }
    }
}

fn write_whole(pipe: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    loop {
        match nix::unistd::write(pipe, bytes) {
            Err(nix::errno::Errno::EINTR) => {}
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::Error::other("a pipe took part of an atomic write")),
            Err(errno) => return Err(errno.into()),
        }
    }
}
