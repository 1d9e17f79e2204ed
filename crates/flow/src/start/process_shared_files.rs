//! `process-shared-files`: clone that copies the address space and shares the file table, and
//! the working folder with it.

use std::io;

use nix::unistd::Pid;

use super::process::{be_flow, parent_side};
use crate::body::Body;
use crate::flow_run::Context;

/// Clones a process that is flow `index` and shares the slot process's file table and working
/// folder.
///
/// The raw call skips the C library's fork handlers (allocator locks, the cached thread
/// id). With one thread in the slot process no lock can be held; and the flow uses no call that
/// relies on the cached id (`gettid` asks the kernel).
pub(super) fn start<B: Body>(context: &Context<'_, B>, index: usize) -> io::Result<Pid> {
    let shared = libc::CLONE_FILES | libc::CLONE_FS;
    let flags = libc::c_long::from(shared | libc::SIGCHLD);
    // SAFETY: with a null stack and no CLONE_VM the child runs on its own copy of this
    // stack, as after fork; the slot process has one thread; the child never returns.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        0 => be_flow(context, index),
        pid => parent_side(pid),
    }
}
