//! `PxT`: a forked process whose first thread is a flow and which makes T - 1 more.

use std::io;

use nix::unistd::{ForkResult, Pid, fork};
use sys::Alone;

use super::process::{become_child, leave};
use super::thread::Threads;
use crate::body::Body;
use crate::flow_run::Context;

const EXIT_NO_THREAD: i32 = 98;

pub(super) fn start<B: Body>(
    context: &Context<'_, B>,
    (first, count): (usize, usize),
    _alone: &Alone,
) -> io::Result<Pid> {
    // SAFETY: there is no other thread, so none holds a lock. The child never returns.
    match unsafe { fork() }? {
        ForkResult::Child => {
            become_child(context.parent);
            let mut threads = Threads::new(context, first + 1, count - 1);
            if threads.create().is_err() {
                leave(EXIT_NO_THREAD);
            }
            super::live::live(context, first);
            let joined = threads.join();
            leave(i32::from(joined.is_err()))
        }
        ForkResult::Parent { child } => Ok(child),
    }
}
