//! Processes that a search forks: made, listened to, reaped. Each has a pipe to its maker, which
//! alone writes results; the pipe's end is the process's end. Its counts are the last thing it
//! leaves in its slot of the shared memory; otherwise it died. A process asks the kernel to be
//! killed when its maker dies; at a signal they are killed first ([`crate::interrupted`]). One
//! stopped before it could ask bears its maker's name ([`sys::MakerName`]), for the next run.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};

use measure::clock;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, getpid, getppid};
use sys::MakerName;

use crate::file::FileSearch;
use crate::interrupted::{ChildRegistry, SignalsBlocked};
use crate::models::census::Census;
use crate::models::frame::{Receiver, Sender};
use crate::models::{FlowSet, Totals};
use crate::outlet::Here;
use crate::plan::Io;
use crate::problem::Problem;

const FOLDER_AND_FILE: usize = 2;
const RING: usize = 1;
const PIPE_BYTES: usize = 64 << 10;

struct Child {
    pid: Pid,
    slot: usize,
    pipe: File,
    frames: Receiver,
}

pub(crate) struct Children<'c, 'o> {
    set: &'c FlowSet<'c, 'o>,
    here: Here<'c, 'o>,
    _known: ChildRegistry,
    live: Vec<Child>,
    free: Vec<usize>,
    heard: Option<Pid>,
    buffer: Vec<u8>,
    pub(crate) died: u64,
    pub(crate) census: Census,
}

impl<'c, 'o> Children<'c, 'o> {
    pub(crate) fn new(set: &'c FlowSet<'c, 'o>) -> Children<'c, 'o> {
        Children {
            set,
            here: Here::new(set.outlet),
            _known: ChildRegistry::of(set.shared),
            live: Vec::new(),
            free: (0..set.shared.slots()).rev().collect(),
            heard: None,
            buffer: vec![0; PIPE_BYTES],
            died: 0,
            census: Census::default(),
        }
    }

    pub(crate) fn live(&self) -> usize {
        self.live.len()
    }

    /// A child is in the middle of a file: the outlet belongs to it.
    pub(crate) fn is_hearing(&self) -> bool {
        self.heard.is_some()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        self.live.iter().map(|child| child.slot)
    }

    /// A new process inherits this one's descriptors, except others' pipes.
    pub(crate) fn leaves_room(&self) -> io::Result<()> {
        let own_pipe = io::pipe()?;
        let needed = match self.set.job.io {
            Io::Read | Io::Mmap => FOLDER_AND_FILE,
            Io::Uring => FOLDER_AND_FILE + RING,
        };
        // It keeps one end of its pipe and closes all others.
        let freed = self.live.len() + 1;
        let mut kept = Vec::new();
        for _ in freed..needed {
            kept.push(own_pipe.0.try_clone()?);
        }
        Ok(())
    }

    pub(crate) fn make(
        &mut self,
        work: impl FnOnce(FileSearch<'c, 'static>, usize) -> Totals,
    ) -> io::Result<()> {
        let slot = self.free.pop().ok_or(Errno::EAGAIN)?;
        match self.fork(slot, work) {
            Ok(child) => {
                self.live.push(child);
                self.census.enter();
                Ok(())
            }
            Err(error) => {
                self.free.push(slot);
                Err(error)
            }
        }
    }

    fn fork(
        &mut self,
        slot: usize,
        work: impl FnOnce(FileSearch<'c, 'static>, usize) -> Totals,
    ) -> io::Result<Child> {
        let (from, to) = io::pipe()?;
        let (from, to) = (OwnedFd::from(from), OwnedFd::from(to));
        self.set.shared.slot(slot).begin();
        let parent = getpid();
        // A signal between its birth and its entry would strand it.
        let held = SignalsBlocked::now();
        let _as_a_maker = MakerName::bear()?;
        let alone = self.set.alone.as_ref().ok_or(Errno::EPERM)?;
        match alone.fork()? {
            ForkResult::Parent { child } => {
                self.set.shared.slot(slot).made(child.as_raw());
                drop(held);
                Ok(Child {
                    pid: child,
                    slot,
                    pipe: File::from(from),
                    frames: Receiver::default(),
                })
            }
            ForkResult::Child => {
                drop(held);
                drop(from);
                self.live.clear();
                self.be_child(parent, slot, File::from(to), work)
            }
        }
    }

    fn be_child(
        &self,
        parent: Pid,
        slot: usize,
        pipe: File,
        work: impl FnOnce(FileSearch<'c, 'static>, usize) -> Totals,
    ) -> ! {
        let asked = prctl::set_pdeathsig(Signal::SIGKILL);
        if asked.is_ok() && getppid() == parent {
            let files = FileSearch::new(self.set.job, Box::new(Sender::new(pipe)));
            let totals = work(files, slot);
            self.set.shared.slot(slot).leave(&totals, clock::now_ns());
        }
        // SAFETY: ends this process at once; the kernel frees what it holds, and nothing of the
        // parent's is flushed or dropped twice.
        unsafe { libc::_exit(0) }
    }

    /// Until one ends or sends, or `patience` is over; true if any ended.
    pub(crate) fn listen(&mut self, patience: PollTimeout) -> bool {
        let heard = self.heard;
        let listens = |child: &&Child| heard.is_none_or(|pid| pid == child.pid);
        let listened: Vec<&Child> = self.live.iter().filter(listens).collect();
        let mut asked: Vec<PollFd<'_>> = listened
            .iter()
            .map(|child| PollFd::new(child.pipe.as_fd(), PollFlags::POLLIN))
            .collect();
        if poll(&mut asked, patience).is_err() {
            return false;
        }
        let answered = listened
            .iter()
            .zip(&asked)
            .filter(|(_, asked)| asked.any() == Some(true));
        let answered: Vec<Pid> = answered.map(|(child, _)| child.pid).collect();
        let mut ended = false;
        for pid in answered {
            if self.heard.is_none_or(|heard| heard == pid) {
                ended |= self.hear(pid);
            }
        }
        ended
    }

    fn hear(&mut self, pid: Pid) -> bool {
        let Some(index) = self.live.iter().position(|child| child.pid == pid) else {
            return false;
        };
        let child = &mut self.live[index];
        match child.pipe.read(&mut self.buffer) {
            Ok(0) => {
                self.ended(index);
                true
            }
            Ok(length) => {
                let more = self.heard == Some(pid);
                let more = child
                    .frames
                    .take(&self.buffer[..length], &mut self.here, more);
                self.heard = more.then_some(pid);
                false
            }
            Err(_) => false,
        }
    }

    fn ended(&mut self, index: usize) {
        let child = self.live.swap_remove(index);
        if self.heard.take_if(|pid| *pid == child.pid).is_some() {
            crate::outlet::Deliver::text(&mut self.here, b"", false);
        }
        self.set.shared.slot(child.slot).ending();
        let status = waitpid(child.pid, None);
        self.set.shared.slot(child.slot).ended();
        match self.set.shared.slot(child.slot).left() {
            Some((totals, done_ns)) => {
                self.census.totals.add(totals);
                self.census.leave(Some(done_ns));
            }
            None => {
                self.census.leave(None);
                self.tell_died(status);
            }
        }
        self.free.push(child.slot);
    }

    fn tell_died(&mut self, status: nix::Result<WaitStatus>) {
        self.died += 1;
        let how = match status {
            Ok(WaitStatus::Signaled(_, signal, _)) => format!("by {signal}"),
            Ok(WaitStatus::Exited(_, code)) => format!("with exit code {code}"),
            _ => "in a way that the kernel does not tell".to_owned(),
        };
        let what = format!(
            "a searching process ended early, {how}: what it had before it was not searched"
        );
        self.set.outlet.tell(&Problem::error(what));
    }
}

impl Drop for Children<'_, '_> {
    fn drop(&mut self) {
        for child in self.live.drain(..) {
            let _ = nix::sys::signal::kill(child.pid, Signal::SIGKILL);
            let _ = waitpid(child.pid, None);
        }
    }
}
