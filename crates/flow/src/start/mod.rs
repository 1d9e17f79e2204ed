//! Making flows. All models come down to `clone` with more or fewer things shared:
//!
//! | model                  | made by                       | address space | file table |
//! |------------------------|-------------------------------|---------------|------------|
//! | `process`              | `fork`                        | own (copied)  | own        |
//! | `process-shared-files` | `clone(CLONE_FILES \| CLONE_FS)` | own (copied) | shared   |
//! | `thread-private-files` | pthread + `unshare(CLONE_FILES \| CLONE_FS)` | shared | own |
//! | `thread`               | pthread                       | shared        | shared     |
//! | `PxT`                  | P x `fork`, then T-1 pthreads | T share one   | T share one |
//! | `fiber`, `fiber-packed`, `task` | by its carrier, a pthread | shared    | shared     |
//! | `migratable`           | by its carrier, a pthread     | shared        | shared     |
//! | `migratable/P`         | by its carrier, P x `fork`    | one range shared | P share none |
//!
//! With the file table goes `fs` (working folder, root, umask), with memory the signal handlers.
//!
//! Each forked flow asks for its end and looks at its parent again ([`crate::slot_process`]). It
//! leaves by `_exit`: no buffers or exit handlers of the slot process run twice. The slot process
//! has one thread when it forks ([`Alone`], counted before the clock starts), so the child may go
//! on in Rust: no lock can be held by a thread that does not exist there.

mod carried;
pub(crate) mod fiber;
mod live;
mod process;
pub(crate) mod task;
#[cfg(test)]
mod tests;
mod thread;

use std::io;

pub use fiber::guarded_bytes;
use nix::errno::Errno;
use nix::unistd::{ForkResult, Pid};
use sys::Alone;

use crate::body::Body;
use crate::context::Context;
use crate::ending::exit;
use crate::{Model, Variant};

pub(crate) use process::{become_child, reap, reap_now};
use thread::Threads;

pub(crate) struct FlowSet<'a> {
    /// Processes not reaped yet, with the index of their first flow.
    pub(crate) children: Vec<(Pid, usize)>,
    threads: Option<Threads<'a>>,
    alone: Option<Alone>,
}

impl<'a> FlowSet<'a> {
    /// Flows that are forked need a process of one thread.
    pub(crate) fn new(variant: &Variant) -> io::Result<Self> {
        let forks = variant.model.shape(variant.flows).processes > 0;
        Ok(Self {
            children: Vec::new(),
            threads: None,
            alone: forks.then(Alone::now).transpose()?,
        })
    }

    /// On an error the flows already made wait at the start gate: [`FlowSet::kill`] them and exit.
    pub(crate) fn create(&mut self, context: &'a Context<'a>) -> io::Result<()> {
        let shape = context.variant.model.shape(context.variant.flows);
        let lives = |flow| {
            context.body.live(context, flow);
            0
        };
        match context.variant.model {
            Model::Process => self.fork_all(context, process::fork, lives),
            Model::ProcessSharedFiles => self.fork_all(context, process::fork_sharing_files, lives),
            Model::Mix { threads, .. } => self.fork_all(context, process::fork, |first| {
                process::mix(context, first, threads as usize)
            }),
            Model::Migratable { way, processes } if processes > 1 => {
                let region = process::region(context, way)?;
                self.fork_all(context, process::fork, |process| {
                    context.body.live_in(context, &region, process);
                    0
                })
            }
            Model::Thread
            | Model::ThreadPrivateFiles
            | Model::Fiber { .. }
            | Model::Migratable { .. }
            | Model::Task => self
                .threads
                .insert(Threads::new(context, 0, shape.flows_in_each as usize))
                .create(),
        }
    }

    /// Each does what `life` says of its first flow, and leaves with that code.
    fn fork_all(
        &mut self,
        context: &'a Context<'a>,
        fork: fn(&Alone) -> io::Result<ForkResult>,
        life: impl Fn(usize) -> i32,
    ) -> io::Result<()> {
        let alone = self.alone.as_ref().ok_or(Errno::EPERM)?;
        let shape = context.variant.model.shape(context.variant.flows);
        self.children.reserve(shape.processes as usize);
        for index in 0..shape.processes as usize {
            let first = index * shape.flows_in_each as usize;
            match fork(alone)? {
                ForkResult::Child => {
                    become_child(context.parent);
                    exit(life(first))
                }
                ForkResult::Parent { child } => self.children.push((child, first)),
            }
        }
        Ok(())
    }

    /// Both gates must be open.
    pub(crate) fn join(&mut self) -> io::Result<()> {
        for (child, _) in self.children.drain(..) {
            process::reap(child)?;
        }
        self.threads.take().map_or(Ok(()), Threads::join)
    }

    pub(crate) fn kill(&mut self) {
        for (child, _) in self.children.drain(..) {
            let _gone_is_fine = nix::sys::signal::kill(child, nix::sys::signal::Signal::SIGKILL);
            let _gone_is_fine = process::reap(child);
        }
    }
}

/// Address space of such fibers in bytes: of each, and of all besides; else `None`.
#[must_use]
pub fn address_bytes(model: Model, stack: u64) -> Option<(u64, u64)> {
    model
        .stacks()
        .map(|stacks| fiber::address_bytes(stacks, stack))
}

/// Address space of `flows` fibers beyond [`address_bytes`], in whole pages; 0 for other models.
#[must_use]
pub fn rounded_bytes(model: Model, stack: u64, flows: u64) -> u64 {
    let stacks = model.stacks();
    stacks.map_or(0, |stacks| fiber::rounded_bytes(stacks, stack, flows))
}

/// Bytes of a task with that body.
#[must_use]
pub fn task_bytes<B: Body>(_body: &B) -> u64 {
    task::bytes_each::<B>() as u64
}

pub(crate) fn not_created(model: Model, error: &io::Error) -> io::Error {
    let way_out = match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            "; a limit on processes and threads was reached, or, with threads, on address space \
             (ulimit -v): use fewer flows, or see `flowgauge machine` for the limits and how \
             to raise them"
        }
        Some(libc::ENOMEM) => "; memory ran out: use fewer flows",
        _ => "",
    };
    io::Error::other(format!(
        "cannot create another flow of model {model}: {error}{way_out}"
    ))
}
