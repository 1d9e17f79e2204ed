//! The way to the keeper of a node ([`mpi::keeper`]): it is started there, heard line by line, and ended.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use mpi::nodes::ssh_needs;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::de::DeserializeOwned;

use crate::whole_file;

const MOST: usize = 4 << 20;
const SAID: usize = 400;

#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) name: String,
    pub(super) child: Child,
    output: ChildStdout,
    heard: Vec<u8>,
    said: File,
}

impl Keeper {
    pub(super) fn start(name: &str, mut command: Command) -> Result<Self> {
        let said = tempfile::tempfile().context("cannot make a temporary file")?;
        let errors = said.try_clone().context("cannot copy a descriptor")?;
        // A signal of the terminal is for the run, which then ends its keepers.
        command.process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        let program = command.get_program().display().to_string();
        let mut child = flow::spawn_tied(&mut command)
            .with_context(|| format!("{program} cannot be started"))?;
        Ok(Self {
            name: name.to_owned(),
            output: child.stdout.take().context("a keeper has no output")?,
            child,
            heard: Vec::new(),
            said,
        })
    }

    /// For what it will be heard to say; where it is gone, for the reason.
    pub(super) fn ask(&mut self, journal: &Path) {
        let line = format!("{}\n", journal.display());
        let input = self.child.stdin.as_mut();
        let _gone_is_heard = input.map(|input| input.write_all(line.as_bytes()));
    }

    pub(super) fn hear<T: DeserializeOwned>(&mut self, until: Instant) -> Result<T> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                // A shell may greet first.
                if let Ok(said) = serde_json::from_slice(&line) {
                    return Ok(said);
                }
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            let time = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
            let ready = poll(
                &mut [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)],
                time,
            );
            ensure!(ready != Ok(0), "it did not answer in time");
            let mut piece = [0; 8 << 10];
            let count = self.output.read(&mut piece).unwrap_or(0);
            ensure!(count > 0, "{}", self.last_words());
            self.heard.extend_from_slice(&piece[..count]);
            ensure!(self.heard.len() < MOST, "it says what no node says");
        }
    }

    fn last_words(&mut self) -> String {
        let said = whole_file::end_of(&mut self.said, SAID).unwrap_or_default();
        let ended = self.child.wait();
        match said.trim() {
            "" => {
                let how = ended.map_or_else(|error| error.to_string(), |ended| ended.to_string());
                format!("its connection ended without a word ({how})")
            }
            text => {
                let needs = ssh_needs(text).map(|needs| format!("{needs}: "));
                let lines: Vec<&str> = text.lines().map(str::trim).collect();
                needs.unwrap_or_default() + &lines.join("; ")
            }
        }
    }
}

impl Drop for Keeper {
    /// Where it did not end, its connection does: then it has end of file.
    fn drop(&mut self) {
        self.child.stdin = None;
        let until = Instant::now() + Duration::from_secs(1);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Ok(None) = self.child.try_wait() {
            let _gone_is_fine = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}
