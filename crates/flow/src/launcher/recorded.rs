//! A user's program in the emulator, whose accesses are recorded and counted. It has this process's
//! standard input, unless that is a terminal (which another process group may not read), and writes
//! to its standard error: standard output is the answer's. It leads a process group, which is
//! killed when it has ended. The first trace is counted while it is written ([`Growing`]), and that
//! count dropped where there are more threads or the window was too small.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use simulate::Merged;

use super::files::Files;
use super::growing::Growing;
use super::{LaunchError, Launcher};
use crate::simulation::keep_traces;
use crate::stranded;
use crate::tied::kill_with_this;
use crate::{Emulator, Simulated, Simulation};

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
pub struct RecordedProgram {
    /// How it ended.
    pub status: ExitStatus,
    /// What the model counted.
    pub counted: Simulated,
    /// Running and recording; the first flow is counted meanwhile.
    pub recording: Duration,
    /// Counting what is left.
    pub counting: Duration,
}

impl Launcher {
    /// Runs a program in the emulator, its threads on these hardware threads in the order of their
    /// birth. Errors: it cannot be started or recorded, or a signal came.
    pub fn record(
        &mut self,
        emulator: &Emulator,
        program: &UserProgram,
        simulation: &Simulation,
        on: &[u32],
    ) -> Result<RecordedProgram, LaunchError> {
        self.interrupt.begin();
        let start = |source| LaunchError::Start { source };
        let files = Files::make(&self.folder, None, true, &mut self.janitor)
            .map_err(|source| LaunchError::Files { source })?;
        let recorded = self.run_recorded(emulator, program, simulation, on, &files);
        files.remove(&mut self.janitor);
        self.finish();
        match self.interrupt.signal() {
            Some(signal) => Err(LaunchError::Interrupted(signal)),
            None => recorded.map_err(start),
        }
    }

    fn run_recorded(
        &self,
        emulator: &Emulator,
        program: &UserProgram,
        simulation: &Simulation,
        on: &[u32],
        files: &Files,
    ) -> io::Result<RecordedProgram> {
        let traces = files.traces.as_ref().ok_or_else(no_folder)?.path();
        let name = program.words.first().cloned().unwrap_or_default();
        let mut command = emulator.program(&program.file, &name, traces, simulation.window);
        command.args(program.words.iter().skip(1));
        let began = Instant::now();
        let mut process = started(command)?;
        let known = self.count_meanwhile(simulation, on, Growing::new(traces, &mut process));
        let status = self.wait(&mut process)?;
        let recording = began.elapsed();
        if let Some(keep) = &simulation.keep {
            keep_traces(traces, keep, "program")?;
        }
        let stopped = || self.interrupt.signal().is_some();
        let began = Instant::now();
        let counted = simulation.of_program_known(traces, on, known, &stopped);
        Ok(RecordedProgram {
            status,
            counted: counted.map_err(|error| ended_early(status, error))?,
            recording,
            counting: began.elapsed(),
        })
    }

    fn count_meanwhile(
        &self,
        simulation: &Simulation,
        on: &[u32],
        trace: Growing<'_>,
    ) -> Option<Merged> {
        let stopped = || self.interrupt.signal().is_some();
        let trace = trace.until(&stopped);
        simulation.of_one_flow(trace, on, &stopped).ok()
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
