//! One connection: it asks, and waits for the whole answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use measure::clock::now_ns;
use nix::errno::Errno;
use sha2::{Digest, Sha256};
use socket2::{Domain, SockAddr, Socket, Type};

use super::Target;
use super::answer::{Answer, whole};

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    inbox: Vec<u8>,
    /// Since when it is being opened, until it is open.
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

#[derive(Debug)]
pub(super) enum Got {
    Nothing,
    Whole {
        answer: Answer,
        body: u64,
    },
    /// The connection was closed while no request waited.
    Closed,
}

impl Connection {
    /// Begins to open one, and does not wait until it is open.
    pub(super) fn open(target: &Target, now: u64) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(target.address), Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        match socket.connect(&SockAddr::from(target.address)) {
            Err(error) if error.raw_os_error() != Some(Errno::EINPROGRESS as i32) => {
                return Err(error);
            }
            _ => {}
        }
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            inbox: Vec::new(),
            opening_ns: Some(now),
            asked: None,
        })
    }

    pub(super) fn is_open(&mut self) -> io::Result<bool> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        let open = self.stream.peer_addr().is_ok();
        self.opening_ns = self.opening_ns.filter(|_| !open);
        Ok(open)
    }

    /// Sends a request that was planned for a time, and could be sent from another one on; now, if
    /// for no time.
    pub(super) fn ask(
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

    pub(super) fn read(&mut self, bytes: &mut [u8], hashed: bool) -> io::Result<Got> {
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
                let body = match hashed {
                    true => hash(&self.inbox[answer.body..answer.end]),
                    false => (answer.end - answer.body) as u64,
                };
                return Ok(Got::Whole { answer, body });
            }
            if closed {
                let text = "the server closed a connection in the middle of an answer";
                return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
            }
        }
    }
}

fn hash(body: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&Sha256::digest(body)[..8]);
    u64::from_be_bytes(first)
}
