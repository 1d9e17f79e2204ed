//! Event loops: one, or one for each of several threads or processes. The wait of a request is a time at which its
//! answer is sent: all wait for the same span, so a queue holds those times in order.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Instant;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::processes::each_process;
use super::task::{Flows, Task, accepted, is_whole};

const EVENTS: usize = 64;
const LISTENER: u64 = u64::MAX;

pub(super) fn wait(
    watcher: &Epoll,
    events: &mut [EpollEvent],
    timeout: EpollTimeout,
) -> io::Result<usize> {
    loop {
        match watcher.wait(events, timeout) {
            Err(Errno::EINTR) => {}
            ready => return Ok(ready?),
        }
    }
}

pub(super) fn until(due: Option<Instant>) -> EpollTimeout {
    due.map_or(EpollTimeout::NONE, |due| {
        let left = due.saturating_duration_since(Instant::now());
        let ms = u16::try_from(left.as_micros().div_ceil(1_000)).unwrap_or(u16::MAX);
        EpollTimeout::from(ms)
    })
}

/// A new connection, if there is one: another loop may have been faster.
pub(super) fn accept(listener: &TcpListener) -> io::Result<Option<TcpStream>> {
    match listener.accept() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        accept => {
            let (stream, _) = accepted(accept)?;
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            Ok(Some(stream))
        }
    }
}

pub(super) fn read(mut stream: &TcpStream, request: &mut Vec<u8>) -> Option<bool> {
    let mut bytes = [0; 2_048];
    match stream.read(&mut bytes) {
        Ok(0) => None,
        Ok(read) => {
            request.extend_from_slice(&bytes[..read]);
            let whole = is_whole(request);
            if whole {
                request.clear();
            }
            Some(whole)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Some(false),
        Err(_) => None,
    }
}

struct Client {
    stream: TcpStream,
    request: Vec<u8>,
}

struct Loop<'a> {
    listener: &'a TcpListener,
    watcher: Epoll,
    task: Task,
    clients: Vec<Option<Client>>,
    later: VecDeque<(Instant, usize, Vec<u8>)>,
}

impl Loop<'_> {
    fn take(&mut self) -> io::Result<()> {
        let Some(stream) = accept(self.listener)? else {
            return Ok(());
        };
        let at = usize::try_from(stream.as_raw_fd()).map_err(io::Error::other)?;
        self.watcher
            .add(&stream, EpollEvent::new(EpollFlags::EPOLLIN, at as u64))?;
        if self.clients.len() <= at {
            self.clients.resize_with(at + 1, || None);
        }
        self.clients[at] = Some(Client {
            stream,
            request: Vec::new(),
        });
        Ok(())
    }

    fn serve(&mut self, at: usize) {
        let Some(client) = self.clients.get_mut(at).and_then(Option::as_mut) else {
            return;
        };
        match read(&client.stream, &mut client.request) {
            Some(false) => {}
            None => self.clients[at] = None,
            Some(true) if self.task.wait.is_zero() => self.send(at, &self.task.compute()),
            Some(true) => {
                let answer = self.task.compute();
                self.later
                    .push_back((Instant::now() + self.task.wait, at, answer));
            }
        }
    }

    /// An answer fits the buffer of a connection that waits for it.
    fn send(&mut self, at: usize, answer: &[u8]) {
        let client = self.clients.get_mut(at).and_then(Option::as_mut);
        let sent = client.map(|client| client.stream.write_all(answer));
        if !matches!(sent, Some(Ok(()))) {
            self.clients[at] = None;
        }
    }

    fn send_due(&mut self) {
        let now = Instant::now();
        while let Some((_, at, answer)) = self.later.pop_front_if(|(due, ..)| *due <= now) {
            self.send(at, &answer);
        }
    }

    fn run(&mut self) -> io::Result<Infallible> {
        let mut events = [EpollEvent::empty(); EVENTS];
        loop {
            let due = self.later.front().map(|(due, ..)| *due);
            let ready = wait(&self.watcher, &mut events, until(due))?;
            for event in &events[..ready] {
                match event.data() {
                    LISTENER => self.take()?,
                    at => self.serve(at as usize),
                }
            }
            self.send_due();
        }
    }
}

pub(super) fn event_loop(listener: &TcpListener, task: Task) -> io::Result<Infallible> {
    listener.set_nonblocking(true)?;
    let watcher = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    // One of several loops is woken for a new connection.
    let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLEXCLUSIVE;
    watcher.add(listener, EpollEvent::new(flags, LISTENER))?;
    let mut own = Loop {
        listener,
        watcher,
        task,
        clients: Vec::new(),
        later: VecDeque::new(),
    };
    own.run()
}

pub(super) fn event_loops(
    listener: &TcpListener,
    flows: Flows,
    task: Task,
) -> io::Result<Infallible> {
    each_process(flows.processes, || {
        for _ in 1..flows.threads {
            let own = listener.try_clone()?;
            std::thread::spawn(move || event_loop(&own, task).map(drop));
        }
        event_loop(listener, task).map(drop)
    })
}
