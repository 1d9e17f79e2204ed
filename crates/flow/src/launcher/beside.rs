//! A process of this program beside a slot, spoken to in lines.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::slot_output::Stream;
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
        while self.output.file.is_some() && end(&self.output.bytes).is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::other("it does not answer"));
            }
            sleep(&self.output, left)?;
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
