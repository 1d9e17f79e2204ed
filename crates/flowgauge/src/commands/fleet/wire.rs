//! The connection to a machine, none of whose words is trusted. A machine, ssh, or a process that
//! still holds its pipes may hang, flood, or take nothing in. So pipes do not block, and every wait
//! is a [`Wire::turn`] of at most [`LOOK`], in which
//! ```text
//!   the deadline of the step is compared      late: ssh is killed with all that it started
//!   a signal to this program is looked for    the machine's input ends, and it has PARTING to end
//!   standard error is taken, its end kept     so a machine that fills it does not stop itself
//!   the machine is reminded, now and then     an empty line: somebody is still here
//! ```
//! What is read is paid from an [`Allowance`]: the memory of a piece and the disk of a journal.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use flow::Interrupt;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::limits::{Allowance, shown};

/// Milliseconds.
const LOOK: u8 = 50;
pub(super) const REMIND: Duration = Duration::from_secs(15);
/// Of a running machine, which sends an empty line every [`REMIND`].
const SILENCE: Duration = Duration::from_secs(90);
const PARTING: Duration = Duration::from_secs(40);
/// While it keeps taking some.
const SENDING: Duration = Duration::from_secs(600);
const PIECE: usize = 64 << 10;
const SAID: usize = 8 << 10;
/// Ignored at most: standard error, and words while it ends.
const PASSED_OVER: u64 = 4 << 20;

pub(super) const INTERRUPTED: &str = "it was not begun: this run was interrupted";

pub(super) struct Wire<'a> {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    heard: Vec<u8>,
    said: Vec<u8>,
    errors_left: Allowance,
    step: (&'static str, Duration),
    deadline: Instant,
    reminded: Instant,
    interrupt: &'a Interrupt,
}

impl<'a> Wire<'a> {
    pub(super) fn open(mut command: Command, interrupt: &'a Interrupt) -> Result<Self> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("{} cannot be started", command.get_program().display()))?;
        let output = child.stdout.take().context("ssh has no output")?;
        let wire = Self {
            input: child.stdin.take(),
            errors: child.stderr.take(),
            child,
            output,
            heard: Vec::new(),
            said: Vec::new(),
            errors_left: Allowance::of(PASSED_OVER),
            step: ("begin", Duration::ZERO),
            deadline: Instant::now(),
            reminded: Instant::now(),
            interrupt,
        };
        wire.input.as_ref().map_or(Ok(()), never_wait)?;
        wire.errors.as_ref().map_or(Ok(()), never_wait)?;
        never_wait(&wire.output)?;
        Ok(wire)
    }

    pub(super) fn allow(&mut self, step: &'static str, time: Duration) {
        self.step = (step, time);
        let now = Instant::now();
        self.deadline = now.checked_add(time).unwrap_or(now + SILENCE);
    }

    pub(super) fn line(&mut self, allowance: &mut Allowance) -> Result<Option<String>> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()));
            }
            if !self.hear(allowance)? {
                return Ok(None);
            }
            self.is_wanted()?;
        }
    }

    /// Without empty lines, until the machine ends.
    pub(super) fn copy(&mut self, file: &mut File, allowance: &mut Allowance) -> Result<()> {
        let (mut last, mut heard) = (b'\n', Instant::now());
        loop {
            self.remind();
            let more = self.hear(allowance)?;
            if !self.heard.is_empty() {
                heard = Instant::now();
            }
            self.heard.retain(|byte| {
                let is_empty_line = (last, *byte) == (b'\n', b'\n');
                last = *byte;
                !is_empty_line
            });
            file.write_all(&self.heard)
                .context("cannot write its journal")?;
            self.heard.clear();
            if !more {
                return Ok(());
            }
            ensure!(
                heard.elapsed() < SILENCE,
                "it did not answer in time: nothing was heard of it for {}",
                spelled(SILENCE)
            );
        }
    }

    /// The machine has `patience` for each piece, and [`SENDING`] for all in proportion.
    pub(super) fn send(
        &mut self,
        mut from: impl Read,
        size: u64,
        (step, patience): (&'static str, Duration),
    ) -> Result<()> {
        let (began, mut sent) = (Instant::now(), 0);
        let mut piece = vec![0; PIECE];
        self.allow(step, patience);
        loop {
            let count = from.read(&mut piece)?;
            let mut rest = &piece[..count];
            while !rest.is_empty() {
                self.turn(Some(PollFlags::POLLOUT))?;
                let input = self.input.as_mut().context(INTERRUPTED)?;
                match input.write(rest) {
                    Ok(taken) => {
                        (rest, sent) = (&rest[taken..], sent + taken as u64);
                        let part = (sent as f64 / size.max(1) as f64).min(1.0);
                        let earned = patience + SENDING.mul_f64(part);
                        let left = earned.saturating_sub(began.elapsed());
                        self.allow(step, left.min(patience));
                    }
                    Err(error) if is_for_later(&error) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if count == 0 {
                return Ok(());
            }
        }
    }

    /// Nothing is asked of the machine meanwhile.
    pub(super) fn rest(&mut self) -> Result<()> {
        self.allow("wait", SILENCE);
        self.remind();
        self.turn(None)?;
        self.is_wanted()
    }

    fn is_wanted(&self) -> Result<()> {
        ensure!(self.input.is_some(), INTERRUPTED);
        Ok(())
    }

    /// How ssh ended, or why it was killed; and the last words.
    pub(super) fn end(mut self) -> (Result<ExitStatus>, String) {
        self.input = None;
        let parting = self.deadline.saturating_duration_since(Instant::now());
        self.allow("end", parting.min(PARTING));
        let ended = self.ended();
        let _there_was_enough = self.take_errors();
        (ended, last_lines(&self.said))
    }

    fn ended(&mut self) -> Result<ExitStatus> {
        let mut nothing = Allowance::of(PASSED_OVER);
        loop {
            let more = self.hear(&mut nothing)?;
            self.heard.clear();
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if !more {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Reads one turn. False once ssh has ended, even if another process holds its pipe.
    fn hear(&mut self, allowance: &mut Allowance) -> Result<bool> {
        self.turn(Some(PollFlags::POLLIN))?;
        let has_ended = !matches!(self.child.try_wait(), Ok(None));
        let before = self.heard.len();
        self.heard.resize(before + PIECE, 0);
        let read = self.output.read(&mut self.heard[before..]);
        self.heard
            .truncate(before + read.as_ref().copied().unwrap_or(0));
        match read {
            Ok(count) => {
                allowance.spend(count)?;
                Ok(count > 0)
            }
            Err(error) if is_for_later(&error) => Ok(!has_ended),
            Err(error) => Err(error).context("it cannot be heard"),
        }
    }

    fn turn(&mut self, want: Option<PollFlags>) -> Result<()> {
        if Instant::now() > self.deadline {
            self.kill();
            let (step, time) = self.step;
            bail!("it did not answer in time: {} to {step}", spelled(time));
        }
        if self.interrupt.signal().is_some() && self.input.take().is_some() {
            self.deadline = self.deadline.min(Instant::now() + PARTING);
        }
        let mut ready = Vec::with_capacity(2);
        match (want, &self.input) {
            (Some(PollFlags::POLLOUT), Some(input)) => {
                ready.push(PollFd::new(input.as_fd(), PollFlags::POLLOUT));
            }
            (Some(PollFlags::POLLIN), _) => {
                ready.push(PollFd::new(self.output.as_fd(), PollFlags::POLLIN));
            }
            _ => {}
        }
        if let Some(errors) = &self.errors {
            ready.push(PollFd::new(errors.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut ready, PollTimeout::from(LOOK)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error).context("ssh cannot be waited for"),
        }
        self.take_errors()
    }

    fn remind(&mut self) {
        if self.reminded.elapsed() > REMIND
            && let Some(input) = &mut self.input
        {
            self.reminded = Instant::now();
            let _full_or_gone_is_seen_elsewhere = input.write(b"\n");
        }
    }

    fn take_errors(&mut self) -> Result<()> {
        let Some(errors) = &mut self.errors else {
            return Ok(());
        };
        let mut piece = vec![0; PIECE];
        match errors.read(&mut piece) {
            Ok(count) if count > 0 => {
                self.said.extend_from_slice(&piece[..count]);
                let over = self.said.len().saturating_sub(SAID);
                self.said.drain(..over);
                self.errors_left
                    .spend(count)
                    .context("its standard error has no end")?;
            }
            Err(error) if is_for_later(&error) => {}
            _ => self.errors = None,
        }
        Ok(())
    }

    fn kill(&mut self) {
        if let (Ok(None), Ok(group)) = (self.child.try_wait(), i32::try_from(self.child.id())) {
            let _gone_is_fine = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}

impl Drop for Wire<'_> {
    fn drop(&mut self) {
        self.kill();
        let _gone_is_fine = self.child.wait();
    }
}

fn never_wait(pipe: &impl AsFd) -> Result<()> {
    fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).context("a pipe cannot be prepared")?;
    Ok(())
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn spelled(time: Duration) -> String {
    let whole = Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    humantime::format_duration(whole).to_string()
}

fn last_lines(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(4)..].join(" · ");
    shown(&last).to_owned()
}
