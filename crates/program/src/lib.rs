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

use flow::{Answer, SlotProcess};

pub use command::Shell;
pub use environment_variants::{CpuChoice, Knobs};
pub use fill::Fill;
pub use judge::differs;
pub use layout::Layout;
pub use program::{CheckOutput, Copies, GRACE_S, OfVariant, Output, Program, is_here};
pub use runner::here;
pub use served::{Http, Load, Ready, Served};
pub use version::version;

/// The answer, when nothing runs any more: after an error something may.
fn ended(answer: io::Result<Answer>) -> Answer {
    tree::end_orphans(&[]);
    answer.unwrap_or_else(|error| Answer::from_error(&error))
}

impl Program {
    /// Runs the slot of `slot`.
    #[must_use]
    pub fn run<W>(&self, slot: &SlotProcess<W>) -> Answer {
        ended(self.try_run(slot))
    }

    fn try_run<W>(&self, slot: &SlotProcess<W>) -> io::Result<Answer> {
        let mut runner = runner::Runner::new(self, slot.spec(), slot.scratch())?;
        let answer = slot.run_self_managed(&mut runner);
        runner.end()?;
        Ok(answer)
    }
}

impl Served {
    /// Runs the slot of `slot`.
    #[must_use]
    pub fn run<W>(&self, slot: &SlotProcess<W>) -> Answer {
        ended(self.try_run(slot))
    }

    fn try_run<W>(&self, slot: &SlotProcess<W>) -> io::Result<Answer> {
        let mut runner = server::ServerRunner::new(self, slot.spec(), slot.scratch())?;
        let answer = slot.run_self_managed(&mut runner);
        runner.end()?;
        Ok(answer)
    }
}
