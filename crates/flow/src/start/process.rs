//! Processes: how they are forked, what those of each model do, and how they end.

use std::io;

use ::fiber::ConfigError;
use ::fiber::movable::{Region, Way};
use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, getppid};
use sys::Alone;

use super::fiber::config;
use super::thread::Threads;
use crate::context::Context;
use crate::ending::exit;
use crate::model::Stacks;

/// A process with a copy of the memory and of the table of files.
pub(super) fn fork(_alone: &Alone) -> io::Result<ForkResult> {
    // SAFETY: no lock is held by another thread: there is none, as was counted just before this
    // phase.
    Ok(unsafe { nix::unistd::fork() }?)
}

/// One that shares file table and folder. The raw call skips fork handlers: one thread holds no
/// lock and needs no cached id.
pub(super) fn fork_sharing_files(_alone: &Alone) -> io::Result<ForkResult> {
    // SAFETY: there is no other thread.
    unsafe { sys::fork_sharing(libc::CLONE_FILES | libc::CLONE_FS) }
}

const EXIT_NO_THREAD: i32 = 98;

/// The first thread of a process of a mix is a flow, and makes `count` - 1 more.
pub(super) fn mix(context: &Context<'_>, first: usize, count: usize) -> i32 {
    let mut threads = Threads::new(context, first + 1, count - 1);
    if threads.create().is_err() {
        exit(EXIT_NO_THREAD);
    }
    context.body.live(context, first);
    i32::from(threads.join().is_err())
}

/// For fibers that could go on in another process, each of which carries every P-th: reserved before
/// the first fork, at the same place in all. None moves unless its body says so.
pub(super) fn region(context: &Context<'_>, way: Way) -> io::Result<Region> {
    let processes = context.variant.carriers() as usize;
    let each = (context.variant.flows as usize).div_ceil(processes.max(1));
    let config = config(Stacks::Movable(way), context.facts.stack_bytes);
    Region::reserve(config.capacity(each), processes).map_err(|error| match error {
        // So that its remedy is found.
        ConfigError::Memory { source, .. } => source,
        other => io::Error::other(other),
    })
}

pub(crate) fn become_child(parent: Pid) {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    if tied.is_err() || getppid() != parent {
        exit(EXIT_ORPHAN);
    }
    let _cannot_fail = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None);
}

const EXIT_ORPHAN: i32 = 97;

pub(crate) fn reap(child: Pid) -> io::Result<()> {
    loop {
        match waitpid(child, None) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(_) => return Ok(()),
        }
    }
}

pub(crate) fn reap_now(child: Pid) -> Option<String> {
    match waitpid(child, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(_, code)) => Some(format!("exit code {code}")),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(signal.to_string()),
        _ => None,
    }
}
