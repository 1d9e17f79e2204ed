//! `process-shared-files`: clone that copies the address space and shares file table and folder.

use std::io;

use nix::unistd::{ForkResult, Pid};
use sys::Alone;

use super::process::be_flow;
use crate::body::Body;
use crate::flow_run::Context;

/// The raw call skips fork handlers: one thread holds no lock and needs no cached id.
pub(super) fn start<B: Body>(
    context: &Context<'_, B>,
    index: usize,
    _alone: &Alone,
) -> io::Result<Pid> {
    // SAFETY: there is no other thread; the child never returns.
    match unsafe { sys::fork_sharing(libc::CLONE_FILES | libc::CLONE_FS) }? {
        ForkResult::Child => be_flow(context, index),
        ForkResult::Parent { child } => Ok(child),
    }
}
