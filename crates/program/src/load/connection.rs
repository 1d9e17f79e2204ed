//! One connection: it asks, and waits for the whole answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use measure::clock::now_ns;
use nix::errno::Errno;
use sha2::{Digest, Sha256};
use socket2::{Domain, SockAddr, Socket, Type};

use super::answer::{Answer, whole};
use super::said::Target;
use crate::pipe::first_word;

/// A connection, and the request whose answer it waits for.
#[derive(Debug)]
pub struct Connection {
    pub(super) stream: TcpStream,
    inbox: Vec<u8>,
    pub(super) opening_ns: Option<u64>,
    pub(super) asked: Option<Asked>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) target: usize,
    pub(super) planned_ns: u64,
    pub(super) able_ns: u64,
    pub(super) sent_ns: u64,
}

/// What reading brought.
#[derive(Debug)]
pub enum Got {
    /// Not all of an answer yet.
    Nothing,
    /// A whole answer.
    Whole {
        /// Its status and where it ends.
        answer: Answer,
        /// A number that stands for its body.
        body: u64,
        /// When it was there, in ns.
        at_ns: u64,
    },
    /// The connection was closed while no request waited.
    Closed,
}

impl Connection {
    /// Opens one and waits until it is open; fails if it is refused.
    pub fn connect(target: &Target) -> io::Result<Self> {
        let stream = TcpStream::connect(target.address)?;
        stream.set_nonblocking(true)?;
        Self::of(stream, None)
    }

    fn of(stream: TcpStream, opening_ns: Option<u64>) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            inbox: Vec::new(),
            opening_ns,
            asked: None,
        })
    }

    /// The socket, to be waited for.
    #[must_use]
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Number and time of the request that was answered, which no longer waits.
    pub fn take_asked(&mut self) -> Option<(usize, u64)> {
        let asked = self.asked.take()?;
        Some((asked.target, asked.planned_ns))
    }

    /// Does not wait until it is open.
    pub(super) fn open(target: &Target, now: u64) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(target.address), Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        match socket.connect(&SockAddr::from(target.address)) {
            Err(error) if error.raw_os_error() != Some(Errno::EINPROGRESS as i32) => {
                return Err(error);
            }
            _ => {}
        }
        Self::of(socket.into(), Some(now))
    }

    pub(super) fn is_open(&mut self) -> io::Result<bool> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        let open = self.stream.peer_addr().is_ok();
        self.opening_ns = self.opening_ns.filter(|_| !open);
        Ok(open)
    }

    /// Sends a request with its planned time and when it could be sent; now, if it has none.
    pub fn ask(
        &mut self,
        number: usize,
        target: &Target,
        plan: Option<(u64, u64)>,
    ) -> io::Result<()> {
        self.inbox.clear();
        let Target { host, path, .. } = target;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: flowgauge\r\nAccept: */*\r\n\r\n"
        );
        let sent_ns = now_ns();
        let (planned_ns, able_ns) = plan.unwrap_or((sent_ns, sent_ns));
        self.asked = Some(Asked {
            target: number,
            planned_ns,
            able_ns: able_ns.min(sent_ns),
            sent_ns,
        });
        self.stream.write_all(request.as_bytes())
    }

    /// Reads what has come, and the answers in it; fails if the connection broke, or it is no HTTP/1.1.
    pub fn read(
        &mut self,
        bytes: &mut [u8],
        of_body: impl FnOnce(&[u8]) -> u64,
    ) -> io::Result<Got> {
        loop {
            let closed = match self.stream.read(bytes) {
                Ok(0) => true,
                Ok(read) => {
                    self.inbox.extend_from_slice(&bytes[..read]);
                    false
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Got::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if self.asked.is_none() {
                return Ok(Got::Closed);
            }
            if let Some(answer) = whole(&self.inbox, closed)? {
                let at_ns = now_ns();
                let body = of_body(&self.inbox[answer.body..answer.end]);
                return Ok(Got::Whole {
                    answer,
                    body,
                    at_ns,
                });
            }
            if closed {
                let text = "the server closed a connection in the middle of an answer";
                return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
            }
        }
    }
}

pub(super) fn hash(body: &[u8]) -> u64 {
    first_word(&Sha256::digest(body))
}
