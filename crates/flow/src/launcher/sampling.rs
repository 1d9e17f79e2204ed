use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use measure::Measured;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Onlooker;
use super::slot_output::Stream;
use crate::sampler::{ARGUMENT, READY, Task};
use crate::samples::{SampleSpec, Samples};
use crate::stranded;

/// For its beginning and its answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running sampler, or why there is none.
#[derive(Debug)]
pub(crate) struct Sampler {
    running: Option<Running>,
    samples: Measured<Samples>,
}

/// Dropping this ends the process.
#[derive(Debug)]
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Stream,
}

impl Sampler {
    /// Waits until it is ready.
    pub(crate) fn start(spec: &SampleSpec) -> Self {
        let (running, error) = match Running::start(spec) {
            Ok(running) => (Some(running), String::new()),
            Err(error) => (None, format!("no sampler could be started: {error}")),
        };
        Self {
            running,
            samples: Measured::not_available(error, ""),
        }
    }

    /// To be asked after the slot's end.
    pub(crate) fn samples(self) -> Measured<Samples> {
        self.samples
    }
}

impl Onlooker for Sampler {
    fn slot_began(&mut self, group: i32) {
        if let Some(running) = &mut self.running {
            // A dead sampler is reported at the end.
            let _has_died = running.tell(format!("{group}\n").as_bytes());
        }
    }

    fn slot_ends(&mut self) {
        if let Some(running) = self.running.take() {
            let lost =
                |error| Measured::not_available(format!("the sampler was lost: {error}"), "");
            self.samples = running.samples().unwrap_or_else(lost);
        }
    }
}

impl Running {
    fn start(spec: &SampleSpec) -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("flowgauge")
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = stranded::spawn(&mut command)?;
        let output = Stream::new(child.stdout.take().map(OwnedFd::from))?;
        let mut running = Self {
            input: child.stdin.take(),
            child,
            output,
        };
        let parent = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let mut task = serde_json::to_vec(&Task { spec, parent })?;
        task.push(b'\n');
        running.tell(&task)?;
        let line = running.line()?;
        match line.trim_ascii() == READY.as_bytes() {
            true => Ok(running),
            false => Err(why_not(&line)),
        }
    }

    fn tell(&mut self, text: &[u8]) -> io::Result<()> {
        self.input
            .as_mut()
            .map_or(Ok(()), |input| input.write_all(text))
    }

    fn samples(mut self) -> io::Result<Measured<Samples>> {
        drop(self.input.take());
        Ok(serde_json::from_slice(&self.line()?)?)
    }

    /// A line, or its part when the sampler ends.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let deadline = Instant::now() + PATIENCE;
        while self.output.file.is_some() && !self.output.bytes.contains(&b'\n') {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::other("it does not answer"));
            }
            sleep(&self.output, left)?;
            self.output.read_some(usize::MAX)?;
        }
        Ok(std::mem::take(&mut self.output.bytes))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone_is_fine = self.child.kill();
        let _gone_is_fine = self.child.wait();
    }
}

fn sleep(output: &Stream, left: Duration) -> io::Result<()> {
    let Some(file) = &output.file else {
        return Ok(());
    };
    let milliseconds = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
    let timeout = PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX);
    match poll(&mut [PollFd::new(file.as_fd(), PollFlags::POLLIN)], timeout) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn why_not(line: &[u8]) -> io::Error {
    match serde_json::from_slice::<Measured<Samples>>(line) {
        Ok(Measured::NotAvailable { reason, .. }) => io::Error::other(reason),
        _ => io::Error::other("it ended at once"),
    }
}
