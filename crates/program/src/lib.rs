//! The user's own command as a workload: launched, measured as a whole tree, checked, and ended
//! (docs/exec.md). A slot is one fresh process of this same binary (a cell). It makes no flows: it
//! launches the command, sleeps until that has ended, and takes over what is left.
//! ```text
//!  cell (subreaper)                          the command, in a session of its own
//!  ───────────────                           ────────────────────────────────────
//!  setup, launches of `true`
//!  prepare
//!  clone(VM|VFORK) ── create ──────────────▶ execve
//!  poll: end, output, SIGTERM   steady       … processes, threads, daemons …
//!  pidfd readable ◀───────────────────────── exit
//!  wait4: usage of the whole family; orphans; processes that are left are ended
//!  check, conclude
//! ```
//! It deliberately does not run a command for longer than it takes (a launch is the unit of
//! evidence), trace (`ptrace` would slow down each system call), or need a cgroup: descent finds
//! all that a program makes; see [`tree`] for what it cannot.

mod build_inputs;
pub mod command;
pub mod command_line;
pub mod environment_variants;
pub mod fill;
mod http;
mod judge;
pub mod layout;
mod listener;
pub mod load;
mod oom;
mod peak_sampling;
mod pipe;
pub mod program;
pub mod report;
mod runner;
pub mod serve;
pub mod served;
mod server;
mod supervisor;
mod sys;
#[cfg(test)]
mod testing;
pub mod tree;
mod usage;
mod version;

use std::io;

use flow::{Answer, SelfManaged, SlotProcess};

pub use command::Shell;
pub use environment_variants::{CpuChoice, Knobs};
pub use fill::Fill;
pub use http::Http;
pub use judge::differs;
pub use layout::Layout;
pub use program::{CheckOutput, Copies, GRACE_S, OfVariant, Output, Program, is_here};
use runner::Runner;
pub use runner::here;
pub use served::{Load, Ready, Served};
use server::ServerRunner;
pub use version::version;

/// The answer of a slot, when nothing runs any more: after an error something may.
fn run<W, R: SelfManaged>(
    slot: &SlotProcess<W>,
    runner: io::Result<R>,
    end: impl FnOnce(R) -> io::Result<()>,
) -> Answer {
    let answer = runner.and_then(|mut runner| {
        let answer = slot.run_self_managed(&mut runner);
        end(runner).map(|()| answer)
    });
    tree::end_orphans(&[]);
    answer.unwrap_or_else(|error| Answer::from_error(&error))
}

impl Program {
    /// Runs the slot of `slot`.
    #[must_use]
    pub fn run<W>(&self, slot: &SlotProcess<W>) -> Answer {
        let runner = Runner::new(self, slot.spec(), slot.scratch());
        run(slot, runner, Runner::end)
    }
}

impl Served {
    /// Runs the slot of `slot`.
    #[must_use]
    pub fn run<W>(&self, slot: &SlotProcess<W>) -> Answer {
        let runner = ServerRunner::new(self, slot.spec(), slot.scratch());
        run(slot, runner, ServerRunner::end)
    }
}
