use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::getpid;
use serde::{Deserialize, Serialize};

use crate::stranded;

/// Starts a program that gets SIGTERM when this thread ends, by whatever way.
pub fn spawn_tied(command: &mut Command) -> io::Result<Child> {
    // SAFETY: one async-signal-safe `prctl`; an `io::Error` of a number allocates nothing.
    unsafe { command.pre_exec(|| Ok(set_pdeathsig(Signal::SIGTERM)?)) };
    command.spawn()
}

/// What a program says that is asked something and ends; killed when this thread ends.
pub fn output_tied(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    kill_with_this(command);
    stranded::spawn(command)?.wait_with_output()
}

/// Whether this process was started with that word before all others.
pub(crate) fn is_in_role(role: &str) -> bool {
    let first = std::env::args_os().nth(1);
    first.is_some_and(|first| first == role)
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task<S> {
    pub(crate) spec: S,
    pub(crate) parent: i32,
}

impl<S: Serialize> Task<S> {
    pub(crate) fn line(spec: S) -> io::Result<Vec<u8>> {
        let parent = getpid().as_raw();
        Ok(serde_json::to_vec(&Self { spec, parent })?)
    }
}

pub(crate) fn kill_with_this(command: &mut Command) {
    // SAFETY: one async-signal-safe `prctl`; an `io::Error` of a number allocates nothing.
    unsafe { command.pre_exec(|| Ok(set_pdeathsig(Signal::SIGKILL)?)) };
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::kill;
    use nix::sys::wait::waitpid;
    use nix::unistd::{ForkResult, Pid, fork};

    use super::*;
    use crate::ending::exit;

    /// `simulate` asked its emulator for a version, and left it stopped when both were attacked.
    #[test]
    fn a_program_that_is_asked_its_version_and_stopped_dies_with_who_asked() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("pid");
        // SAFETY: the copy starts a program and ends; the harness's locks are not asked for.
        let asks = match unsafe { fork() }.unwrap() {
            ForkResult::Child => {
                let script = format!(
                    "echo $$ > {0}.part; mv {0}.part {0}; kill -STOP $$",
                    told.display()
                );
                let _never_heard = output_tied(Command::new("sh").args(["-c", &script]));
                exit(1)
            }
            ForkResult::Parent { child } => child,
        };
        let asked = loop {
            if let Ok(text) = std::fs::read_to_string(&told) {
                break Pid::from_raw(text.trim().parse().unwrap());
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let is_there = || {
            let stat = std::fs::read_to_string(format!("/proc/{asked}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        assert!(is_there());
        kill(asks, Signal::SIGKILL).unwrap();
        waitpid(asks, None).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while is_there() {
            assert!(std::time::Instant::now() < until, "it is still there");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}
