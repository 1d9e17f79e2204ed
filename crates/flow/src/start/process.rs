//! `process`: fork.

use std::io;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};

use crate::body::Body;
use crate::flow_run::Context;

/// Forks a process that is flow `index`.
pub(super) fn start<B: Body>(context: &Context<'_, B>, index: usize) -> io::Result<Pid> {
    // SAFETY: the slot process has one thread (flows of an earlier repetition are joined), so no
    // lock is held by anyone else; the child never returns from `be_flow`.
    match unsafe { fork() }? {
        ForkResult::Child => be_flow(context, index),
        ForkResult::Parent { child } => Ok(child),
    }
}

/// The life of a forked flow.
pub(super) fn be_flow<B: Body>(context: &Context<'_, B>, index: usize) -> ! {
    become_child(context.parent);
    super::live(context, index);
    leave(0)
}

/// Puts a new child in order: it dies with its parent, and no signal is blocked.
pub(crate) fn become_child(parent: Pid) {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    if tied.is_err() || getppid() != parent {
        leave(EXIT_ORPHAN);
    }
    let _cannot_fail = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None);
}

/// Exit code of a child whose parent was gone at its birth.
const EXIT_ORPHAN: i32 = 97;

/// Ends this process without running anything of its parent's.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Waits for `child` to end.
pub(crate) fn reap(child: Pid) -> io::Result<()> {
    loop {
        match waitpid(child, None) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(_) => return Ok(()),
        }
    }
}

/// How `child` ended, if it has.
pub(crate) fn reap_now(child: Pid) -> Option<String> {
    match waitpid(child, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(_, code)) => Some(format!("exit code {code}")),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(signal.to_string()),
        _ => None,
    }
}
