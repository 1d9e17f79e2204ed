//! The load generator as the slot process sees it: a process that loads at a message and reports.

mod run;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use flow::{Latencies, Proof};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use program::load::{ARGUMENT, IN_ROUNDS};
use serde::{Deserialize, Serialize};

pub use run::load_in_rounds;

const GO: &str = "go";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) address: SocketAddr,
    pub(super) cpu: Option<u32>,
    pub(super) connections: u64,
    pub(super) requests: u64,
    pub(super) seed: u64,
    pub(super) workers: u64,
    pub(super) pages: Vec<(String, u64)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Task<O> {
    order: O,
    parent: i32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) proof: Proof,
    pub(super) latencies: Latencies,
    pub(super) error: Option<String>,
}

#[derive(Debug)]
pub(super) struct Load {
    orders: File,
    reports: File,
}

impl Load {
    pub(super) fn start(order: &Order) -> io::Result<Self> {
        let failed = |error| io::Error::other(format!("cannot start the load generator: {error}"));
        let mut command = Command::new(flow::library::this_program());
        let command = command.arg0("flowgauge").arg(ARGUMENT);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = ends.ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        let load = Self {
            orders: OwnedFd::from(stdin).into(),
            reports: OwnedFd::from(stdout).into(),
        };
        let parent = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let task = serde_json::to_string(&Task { order, parent })?;
        let line = format!("{IN_ROUNDS}{task}\n");
        (&load.orders).write_all(line.as_bytes()).map_err(failed)?;
        Ok(load)
    }

    pub(super) fn go(&self) -> io::Result<()> {
        let told = (&self.orders).write_all(format!("{GO}\n").as_bytes());
        told.map_err(|error| io::Error::other(format!("the load generator has ended: {error}")))
    }

    pub(super) fn report(&self) -> io::Result<Report> {
        let mut line = String::new();
        BufReader::new(&self.reports).read_line(&mut line)?;
        if line.is_empty() {
            return Err(io::Error::other(
                "the load generator ended without a report",
            ));
        }
        let report: Report = serde_json::from_str(&line)?;
        match report.error {
            None => Ok(report),
            Some(error) => Err(io::Error::other(format!("the load generator: {error}"))),
        }
    }

    pub(super) fn is_there(&self) -> bool {
        let mut ends = [PollFd::new(self.reports.as_fd(), PollFlags::empty())];
        let polled = poll(&mut ends, PollTimeout::ZERO);
        let hung_up = ends[0]
            .revents()
            .is_some_and(|events| events.contains(PollFlags::POLLHUP));
        polled.is_err() || !hung_up
    }
}
