use std::io;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};
use sys::Alone;

use crate::body::Body;
use crate::flow_run::Context;

pub(super) fn start<B: Body>(
    context: &Context<'_, B>,
    index: usize,
    _alone: &Alone,
) -> io::Result<Pid> {
    // SAFETY: no lock is held by another thread: there is none, as was counted just before this
    // phase. The child never returns from `be_flow`.
    match unsafe { fork() }? {
        ForkResult::Child => be_flow(context, index),
        ForkResult::Parent { child } => Ok(child),
    }
}

pub(super) fn be_flow<B: Body>(context: &Context<'_, B>, index: usize) -> ! {
    become_child(context.parent);
    super::live::live(context, index);
    leave(0)
}

pub(crate) fn become_child(parent: Pid) {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    if tied.is_err() || getppid() != parent {
        leave(EXIT_ORPHAN);
    }
    let _cannot_fail = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None);
}

const EXIT_ORPHAN: i32 = 97;

pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(code) }
}

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
