//! One connection of the load generator.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use measure::clock::now_ns;

use super::super::http::{Head, head, push_request};

#[derive(Debug)]
pub(super) struct Client {
    pub(super) stream: TcpStream,
    inbox: Vec<u8>,
    head: Option<Head>,
    pub(super) page: usize,
    begun_ns: u64,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) latency_ns: u64,
    pub(super) closes: bool,
}

impl Client {
    /// Connects and asks; the time counts from before the connection.
    pub(super) fn connect(to: SocketAddr, page: usize, title: &str) -> io::Result<Self> {
        let begun_ns = now_ns();
        let stream = TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut client = Self {
            stream,
            inbox: Vec::new(),
            head: None,
            page,
            begun_ns,
        };
        client.send(title)?;
        Ok(client)
    }

    pub(super) fn ask(&mut self, page: usize, title: &str) -> io::Result<()> {
        self.begun_ns = now_ns();
        self.page = page;
        self.send(title)
    }

    fn send(&mut self, title: &str) -> io::Result<()> {
        self.inbox.clear();
        self.head = None;
        let mut request = Vec::with_capacity(128);
        push_request(&mut request, title);
        self.stream.write_all(&request)
    }

    /// Reads what is there; the answer, if it is whole.
    pub(super) fn read(&mut self) -> io::Result<Option<Answer>> {
        let mut bytes = [0; 32 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => {
                    let text = "the server closed a connection in the middle of an answer";
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
                }
                Ok(read) => self.inbox.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if let Some(answer) = self.whole()? {
                return Ok(Some(answer));
            }
        }
    }

    fn whole(&mut self) -> io::Result<Option<Answer>> {
        if self.head.is_none() {
            self.head = head(&self.inbox)?;
        }
        let Some(head) = &self.head else {
            return Ok(None);
        };
        if self.inbox.len() < head.head + head.body {
            return Ok(None);
        }
        let latency_ns = now_ns() - self.begun_ns;
        if head.status != 200 {
            let text = format!("an answer with status {}", head.status);
            return Err(io::Error::new(ErrorKind::InvalidData, text));
        }
        Ok(Some(Answer {
            latency_ns,
            closes: head.closes,
        }))
    }

    pub(super) fn body(&self) -> &[u8] {
        let from = self.head.as_ref().map_or(0, |head| head.head);
        &self.inbox[from..]
    }
}
