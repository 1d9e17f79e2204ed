//! A user's program in the emulator, whose accesses are recorded. It has this process's
//! standard input, unless that is a terminal (which another process group may not read), and writes
//! to its standard error: standard output is the answer's. It leads a process group, which is
//! killed when it has ended. The first trace is counted while it is written ([`Growing`]), and that
//! count dropped where there are more threads or the window was too small.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::files::Files;
use super::growing::Growing;
use super::{LaunchError, Launcher};
use crate::recording::keep_traces;
use crate::stranded;
use crate::tied::kill_with_this;
use crate::{Emulator, Recording};

const LOOK: Duration = Duration::from_millis(10);

/// A program of the user's.
#[derive(Debug, Clone)]
pub struct UserProgram {
    /// Its file.
    pub file: PathBuf,
    /// Its name and arguments, as they were typed.
    pub words: Vec<OsString>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct RecordedProgram<T> {
    /// How it ended.
    pub status: ExitStatus,
    /// What was counted.
    pub counted: T,
    /// Running and recording; the first flow is counted meanwhile.
    pub recording: Duration,
    /// Counting what is left.
    pub counting: Duration,
}

impl Launcher {
    /// Runs a program in the emulator. `first` counts its first trace while that is written; `all`
    /// gets that count and counts the traces in a folder. Both can ask whether to stop. Errors: it
    /// cannot be started, recorded or counted, or a signal came.
    pub fn record<K, T>(
        &mut self,
        emulator: &Emulator,
        program: &UserProgram,
        recording: &Recording,
        first: impl FnOnce(&mut dyn Read, &dyn Fn() -> bool) -> K,
        all: impl FnOnce(&Path, K, &dyn Fn() -> bool) -> io::Result<T>,
    ) -> Result<RecordedProgram<T>, LaunchError> {
        self.interrupt.begin();
        let files = Files::make(&self.folder, None, true, &mut self.janitor)
            .map_err(|source| LaunchError::Files { source })?;
        let recorded = self.run_recorded((emulator, recording), program, &files, first, all);
        files.remove(&mut self.janitor);
        self.finish();
        self.is_to_go_on()?;
        recorded.map_err(|source| LaunchError::Start { source })
    }

    fn run_recorded<K, T>(
        &self,
        (emulator, recording): (&Emulator, &Recording),
        program: &UserProgram,
        files: &Files,
        first: impl FnOnce(&mut dyn Read, &dyn Fn() -> bool) -> K,
        all: impl FnOnce(&Path, K, &dyn Fn() -> bool) -> io::Result<T>,
    ) -> io::Result<RecordedProgram<T>> {
        let traces = files.traces.as_ref().ok_or_else(no_folder)?.path();
        let name = program.words.first().cloned().unwrap_or_default();
        let mut command = emulator.program(&program.file, &name, traces, recording.window);
        command.args(program.words.iter().skip(1));
        let began = Instant::now();
        let mut process = started(command)?;
        let stopped = || self.interrupt.signal().is_some();
        let known = first(&mut Growing::new(traces, &mut process, &stopped), &stopped);
        let status = self.wait(&mut process)?;
        let took = began.elapsed();
        if let Some(keep) = &recording.keep {
            keep_traces(traces, keep, "program")?;
        }
        let began = Instant::now();
        let counted = all(traces, known, &stopped);
        Ok(RecordedProgram {
            status,
            counted: counted.map_err(|error| ended_early(status, error))?,
            recording: took,
            counting: began.elapsed(),
        })
    }

    fn wait(&self, process: &mut Child) -> io::Result<ExitStatus> {
        let group = Pid::from_raw(i32::try_from(process.id()).map_err(io::Error::other)?);
        while process.try_wait()?.is_none() && self.interrupt.signal().is_none() {
            std::thread::sleep(LOOK);
        }
        let _gone_is_fine = killpg(group, Signal::SIGKILL);
        process.wait()
    }
}

/// The last records of a program killed by a signal are lost: the signal is the cause to name.
fn ended_early(status: ExitStatus, error: io::Error) -> io::Error {
    match status.signal().map(Signal::try_from) {
        Some(Ok(signal)) => io::Error::other(format!(
            "it was ended by {signal}, and what it had recorded by then went with it: {error}"
        )),
        _ => error,
    }
}

fn no_folder() -> io::Error {
    io::Error::other("there is no folder for traces")
}

fn started(mut command: Command) -> io::Result<Child> {
    let input = match io::stdin().is_terminal() {
        true => Stdio::null(),
        false => Stdio::inherit(),
    };
    let output = io::stderr().as_fd().try_clone_to_owned()?;
    command.stdin(input).stdout(output).process_group(0);
    kill_with_this(&mut command);
    stranded::spawn(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that a signal ended was said to have "ended before its flows began".
    #[test]
    fn a_program_that_a_signal_ended_is_named_with_it() {
        let nothing = || io::Error::other("no flow was recorded");
        let said = |status| ended_early(ExitStatus::from_raw(status), nothing()).to_string();
        assert!(said(libc::SIGSEGV).starts_with("it was ended by SIGSEGV"));
        assert_eq!(said(0), "no flow was recorded");
    }
}
