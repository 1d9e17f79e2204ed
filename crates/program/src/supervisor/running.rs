use std::io;
use std::os::fd::{AsFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::pipe::Pipe;
use crate::sys::{self, Executable};
use crate::usage::{Used, forgets_children, moved};

#[derive(Debug)]
pub(crate) struct Order<'a> {
    pub(crate) executable: &'a Executable,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: Option<(Pipe, OwnedFd)>,
    /// It is what is measured, and has the quota of its variant.
    pub(crate) is_limited: bool,
}

#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) pid: i32,
    pub(crate) began_ns: u64,
    pub(crate) started_ns: u64,
    pub(super) pidfd: OwnedFd,
    pub(crate) ended: Option<End>,
    pub(crate) out: Option<Pipe>,
    pub(crate) err: Pipe,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) at_ns: u64,
    pub(crate) status: i32,
    pub(crate) used: Used,
}

impl Running {
    /// From `clone` to `execve`: the harness's time, and the wait for a first turn.
    pub(crate) fn launching_ns(&self) -> u64 {
        self.started_ns.saturating_sub(self.began_ns)
    }

    pub(crate) fn drain(&mut self) -> io::Result<()> {
        if let Some(out) = &mut self.out {
            out.drain()?;
        }
        self.err.drain()
    }

    pub(super) fn notice(&mut self, now_ns: u64) -> io::Result<()> {
        self.drain()?;
        if self.ended.is_some() {
            return Ok(());
        }
        let mut end = [PollFd::new(self.pidfd.as_fd(), PollFlags::POLLIN)];
        if poll(&mut end, PollTimeout::ZERO)? == 0 {
            return Ok(());
        }
        let Some((status, used)) = reap(self.pid)? else {
            return Err(io::Error::other(
                "a command has ended, and its exit status was taken already",
            ));
        };
        self.ended = Some(End {
            at_ns: now_ns,
            status,
            used,
        });
        // What it wrote last is still in the pipe.
        self.drain()
    }
}

pub(super) fn reap(pid: i32) -> io::Result<Option<(i32, Used)>> {
    let (bytes, forgets) = (moved(pid), forgets_children(pid));
    let reaped = sys::wait(pid, false)?.filter(|reaped| reaped.pid == pid);
    Ok(reaped.map(|reaped| {
        let used = Used::of(&reaped, bytes);
        (reaped.status, Used { forgets, ..used })
    }))
}
