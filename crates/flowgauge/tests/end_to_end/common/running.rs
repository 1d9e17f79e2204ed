//! A command that runs while the test does something to it.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::within;

/// A command in a process group of its own.
pub(crate) struct Running {
    child: Child,
    output: PathBuf,
    errors: PathBuf,
    ended: bool,
}

impl Running {
    pub(super) fn start(mut command: Command, folder: &Path) -> Self {
        let (output, errors) = (folder.join("stdout"), folder.join("stderr"));
        let child = command
            .process_group(0)
            .stdout(File::create(&output).unwrap())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        Self {
            child,
            output,
            errors,
            ended: false,
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }

    /// A signal to this one process.
    pub(crate) fn send(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// A signal to its whole group, as a terminal sends it.
    pub(crate) fn send_to_group(&self, signal: Signal) {
        killpg(self.pid(), signal).unwrap();
    }

    /// Its end, which must come within a minute.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let status = within(60, "the command ends", || self.child.try_wait().unwrap());
        self.ended = true;
        status
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.ended = self.child.try_wait().unwrap().is_some();
        self.ended
    }

    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.errors).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            let _gone_is_fine = self.child.kill();
            let _gone_is_fine = self.child.wait();
        }
    }
}
