//! A process of this program beside a slot, spoken to in lines.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use super::slot_output::Stream;
use crate::polled::{readable, wait};
use crate::stranded;

#[derive(Debug)]
pub(super) struct Beside {
    child: Child,
    input: Option<ChildStdin>,
    output: Stream,
}

impl Beside {
    /// Returns when it says `ready`, or after `patience`.
    pub(super) fn start(
        argument: &str,
        task: Vec<u8>,
        ready: &str,
        patience: Duration,
    ) -> io::Result<Self> {
        let mut command = Command::new(crate::library::this_program());
        command
            .arg0("flowgauge")
            .arg(argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = stranded::spawn(&mut command)?;
        let output = Stream::new(child.stdout.take().map(OwnedFd::from))?;
        let mut beside = Self {
            input: child.stdin.take(),
            child,
            output,
        };
        beside.tell(task)?;
        let line = beside.line(patience)?;
        match line == ready.as_bytes() {
            true => Ok(beside),
            false => Err(io::Error::other(match line.is_empty() {
                true => "it ended at once".into(),
                false => String::from_utf8_lossy(&line),
            })),
        }
    }

    pub(super) fn tell(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.input
            .as_mut()
            .map_or(Ok(()), |input| input.write_all(&line))
    }

    pub(super) fn close(&mut self) {
        drop(self.input.take());
    }

    /// Without its end; or the part that it said before it ended.
    pub(super) fn line(&mut self, patience: Duration) -> io::Result<Vec<u8>> {
        let deadline = Instant::now() + patience;
        let end = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n');
        while let Some(file) = &self.output.file
            && end(&self.output.bytes).is_none()
        {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::other("it does not answer"));
            }
            wait(&mut [readable(file.as_fd())], left)?;
            self.output.read_some(usize::MAX)?;
        }
        let bytes = &mut self.output.bytes;
        let line = end(bytes).map_or(bytes.len(), |end| end + 1);
        let mut line: Vec<u8> = bytes.drain(..line).collect();
        line.pop_if(|byte| *byte == b'\n');
        Ok(line)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _gone_is_fine = self.child.kill();
        let _gone_is_fine = self.child.wait();
    }
}
