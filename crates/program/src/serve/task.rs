//! What every form of server has: the work for a request, and the flows that do it.

use std::io;
use std::str::FromStr;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) steps: u64,
    pub(super) wait: Duration,
}

impl Task {
    /// The answer, after the work and before the wait.
    pub(super) fn compute(self) -> Vec<u8> {
        let step = |value: u64| {
            value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1)
        };
        let value = (0..self.steps).fold(7, |value, _| step(std::hint::black_box(value)));
        let body = format!("{value:020}\n");
        let length = body.len();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
    }

    pub(super) fn sleep(self) {
        if !self.wait.is_zero() {
            std::thread::sleep(self.wait);
        }
    }
}

pub(super) fn is_whole(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\r\n\r\n")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flows {
    pub(super) processes: u32,
    pub(super) threads: u32,
}

impl FromStr for Flows {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (processes, threads) = text.split_once('x').unwrap_or(("1", text));
        Ok(Self {
            processes: processes.parse()?,
            threads: threads.parse()?,
        })
    }
}

/// An accept that says what to do where it fails for want of something.
pub(super) fn accepted<T>(accept: io::Result<T>) -> io::Result<T> {
    accept.map_err(|error| match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => io::Error::other(format!(
            "{error}: a connection takes an open file; raise the limit (ulimit -Hn) or use fewer"
        )),
        _ => error,
    })
}
