//! `process-shared-files`: clone that copies the address space and shares the file table, and
//! the working folder with it.

use std::io;

use nix::unistd::{ForkResult, Pid};

use super::process::be_flow;
use crate::body::Body;
use crate::flow_run::Context;

/// Clones a process that is flow `index` and shares the slot process's file table and working
/// folder.
///
/// The raw call skips the C library's fork handlers (allocator locks, the cached thread
/// id). With one thread in the slot process no lock can be held; and the flow uses no call that
/// relies on the cached id (`gettid` asks the kernel).
pub(super) fn start<B: Body>(context: &Context<'_, B>, index: usize) -> io::Result<Pid> {
    // SAFETY: the slot process has one thread; the child never returns.
    match unsafe { sys::fork_sharing(libc::CLONE_FILES | libc::CLONE_FS) }? {
        ForkResult::Child => be_flow(context, index),
        ForkResult::Parent { child } => Ok(child),
    }
}
