//! A program that is asked to end when the thread that started it is gone, however it went.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

/// Starts a program that gets SIGTERM when this thread ends, by whatever way.
///
/// # Errors
/// The program cannot be started.
pub fn spawn_tied(command: &mut Command) -> io::Result<Child> {
    // SAFETY: between fork and exec only what is async-signal-safe may run; this is one `prctl`,
    // and turning its error number into an `io::Error` allocates nothing.
    unsafe { command.pre_exec(|| Ok(set_pdeathsig(Signal::SIGTERM)?)) };
    command.spawn()
}
