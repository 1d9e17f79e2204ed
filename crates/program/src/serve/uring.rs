//! One loop by completions: accept, read, wait and write are given to a ring, and a call tells which are done.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, squeue, types};

use super::task::{Task, accepted, is_whole};

const ENTRIES: u32 = 1_024;
const BYTES: usize = 2_048;

/// What was given to the ring, in the low bits of its number; the connection is above them.
const ACCEPT: u64 = 0;
const READ: u64 = 1;
const WAIT: u64 = 2;
const WRITE: u64 = 3;
const KINDS: u32 = 2;

/// What the ring reads and writes stays where it is while the ring has it.
#[derive(Default)]
struct Client {
    bytes: Box<[u8]>,
    len: usize,
    answer: Vec<u8>,
}

struct Ring {
    ring: IoUring,
    listener: types::Fd,
    task: Task,
    wait: types::Timespec,
    clients: Vec<Client>,
}

pub(super) fn uring(listener: &TcpListener, task: Task) -> io::Result<Infallible> {
    let ring = IoUring::new(ENTRIES).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("io_uring is not available here ({error}): see kernel.io_uring_disabled"),
        )
    })?;
    // Boxed: timeouts that are under way read it.
    let mut own = Box::new(Ring {
        ring,
        listener: types::Fd(listener.as_raw_fd()),
        task,
        wait: types::Timespec::from(task.wait),
        clients: Vec::new(),
    });
    own.accept()?;
    own.run()
}

impl Ring {
    fn run(&mut self) -> io::Result<Infallible> {
        let mut done = Vec::new();
        loop {
            match self.ring.submit_and_wait(1) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                submitted => drop(submitted?),
            }
            let completed = self.ring.completion();
            done.extend(completed.map(|entry| (entry.user_data(), entry.result())));
            for (what, result) in done.drain(..) {
                self.done(what & ((1 << KINDS) - 1), (what >> KINDS) as usize, result)?;
            }
        }
    }

    fn done(&mut self, kind: u64, at: usize, result: i32) -> io::Result<()> {
        match (kind, result) {
            (ACCEPT, fd @ 0..) => {
                let at = fd as usize;
                if self.clients.len() <= at {
                    self.clients.resize_with(at + 1, Client::default);
                }
                self.clients[at] = Client {
                    bytes: vec![0; BYTES].into(),
                    ..Client::default()
                };
                self.read(at)?;
                self.accept()
            }
            (ACCEPT, errno) => accepted(Err(io::Error::from_raw_os_error(-errno))),
            (READ, 1..) => self.got(at, result as usize),
            (WAIT, _) => self.write(at),
            (WRITE, 1..) => self.read(at),
            _ => {
                // SAFETY: the number is that of a connection of this loop, of which nothing is under way.
                unsafe { libc::close(at as i32) };
                Ok(())
            }
        }
    }

    fn got(&mut self, at: usize, read: usize) -> io::Result<()> {
        let client = &mut self.clients[at];
        client.len += read;
        if !is_whole(&client.bytes[..client.len]) {
            return self.read(at);
        }
        client.len = 0;
        client.answer = self.task.compute();
        match self.task.wait.is_zero() {
            true => self.write(at),
            false => {
                let timeout = opcode::Timeout::new(&raw const self.wait).build();
                self.push(timeout, WAIT, at)
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        let (address, length) = (std::ptr::null_mut(), std::ptr::null_mut());
        let accept = opcode::Accept::new(self.listener, address, length).build();
        self.push(accept, ACCEPT, 0)
    }

    fn read(&mut self, at: usize) -> io::Result<()> {
        let client = &mut self.clients[at];
        let room = &mut client.bytes[client.len..];
        let fd = types::Fd(at as i32);
        let read = opcode::Recv::new(fd, room.as_mut_ptr(), room.len() as u32).build();
        self.push(read, READ, at)
    }

    fn write(&mut self, at: usize) -> io::Result<()> {
        let answer = &self.clients[at].answer;
        let fd = types::Fd(at as i32);
        let write = opcode::Send::new(fd, answer.as_ptr(), answer.len() as u32).build();
        self.push(write, WRITE, at)
    }

    fn push(&mut self, entry: squeue::Entry, kind: u64, at: usize) -> io::Result<()> {
        let entry = entry.user_data(((at as u64) << KINDS) | kind);
        // SAFETY: what the entry names is a buffer on the heap that its client keeps until the next of its entries is
        // made, when this one is done; or the time of waiting, which this boxed ring keeps.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.ring.submit()?;
        }
        Ok(())
    }
}
