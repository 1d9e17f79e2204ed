//! A flow's partner: another flow, made by it, of the same kind, that only answers it. It inherits
//! the flow's CPUs: bound, both share one, and a message is a switch.
//!
//! | the flow's model | its partner |
//! |---|---|
//! | `process` | forked |
//! | `process-shared-files` | cloned with `CLONE_FILES \| CLONE_FS` |
//! | `thread-private-files` | a thread that takes a file table of its own |
//! | all others | a thread |
//!
//! A message ends a partner, not an end of file, which an inherited descriptor would keep away. One
//! whose flow died is killed with the slot's process group.

use std::io;
use std::thread::JoinHandle;

use flow::Model;

use crate::check::must;
use crate::sys::child::{self, Child};

pub(crate) const END: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) enum Partner {
    Process(Child),
    Thread(JoinHandle<()>),
}

impl Partner {
    /// It does `work` until it gets [`END`].
    pub(crate) fn start(model: Model, work: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        match model {
            // SAFETY: a flow of this model is a process of one thread, which `flow` forked.
            Model::Process => unsafe { child::fork(work, 0) }.map(Self::Process),
            Model::ProcessSharedFiles => {
                let shared = libc::CLONE_FILES | libc::CLONE_FS;
                // SAFETY: as above.
                unsafe { child::fork(work, shared) }.map(Self::Process)
            }
            Model::ThreadPrivateFiles => thread(move || {
                must("take a file table", child::unshare_files());
                work();
            }),
            Model::Thread
            | Model::Mix { .. }
            | Model::Fiber { .. }
            | Model::Migratable { .. }
            | Model::Task => thread(work),
        }
    }

    /// The partner must have got [`END`].
    pub(crate) fn join(self) {
        match self {
            Self::Process(child) => {
                crate::check::same("a partner's exit code", must("wait", child.wait()), 0);
            }
            Self::Thread(handle) => assert!(handle.join().is_ok(), "a partner panicked"),
        }
    }
}

fn thread(work: impl FnOnce() + Send + 'static) -> io::Result<Partner> {
    let builder = std::thread::Builder::new().stack_size(64 << 10);
    builder.spawn(work).map(Partner::Thread)
}
