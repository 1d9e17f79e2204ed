//! Forms whose flows sleep in reads: one for each connection, a pool, and prefork.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

use super::processes::{each_process, forked};
use super::task::{Flows, Task, accepted, is_whole};

const STACK: usize = 128 << 10;
const EVENTS: usize = 64;

fn answer_all(mut stream: &TcpStream, task: Task) -> io::Result<()> {
    stream.set_nodelay(true)?;
    while read_request(stream)? {
        let answer = task.compute();
        task.sleep();
        stream.write_all(&answer)?;
    }
    Ok(())
}

fn read_request(mut stream: &TcpStream) -> io::Result<bool> {
    let mut bytes = [0; 2_048];
    let mut len = 0;
    loop {
        match stream.read(&mut bytes[len..])? {
            0 => return Ok(false),
            read => len += read,
        }
        if is_whole(&bytes[..len]) {
            return Ok(true);
        }
    }
}

fn reap() {
    while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
    {
    }
}

pub(super) fn process_each(listener: &TcpListener, task: Task) -> io::Result<Infallible> {
    loop {
        let (stream, _) = accepted(listener.accept())?;
        forked(|| answer_all(&stream, task))?;
        reap();
    }
}

fn thread(run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().stack_size(STACK).spawn(run).map(drop)
}

pub(super) fn thread_each(listener: &TcpListener, task: Task) -> io::Result<Infallible> {
    loop {
        let (stream, _) = accepted(listener.accept())?;
        thread(move || {
            let _a_client_may_go = answer_all(&stream, task);
        })?;
    }
}

/// Each flow takes a connection, and another one when that is closed.
fn take_turns(listener: &TcpListener, task: Task) -> io::Result<()> {
    loop {
        let (stream, _) = accepted(listener.accept())?;
        let _a_client_may_go = answer_all(&stream, task);
    }
}

pub(super) fn prefork(listener: &TcpListener, flows: Flows, task: Task) -> io::Result<Infallible> {
    each_process(flows.processes, || {
        for _ in 1..flows.threads {
            let own = listener.try_clone()?;
            thread(move || drop(take_turns(&own, task)))?;
        }
        take_turns(listener, task)
    })
}

struct Watched {
    watcher: Epoll,
    task: Task,
}

impl Watched {
    const ONCE: EpollFlags = EpollFlags::EPOLLIN.union(EpollFlags::EPOLLONESHOT);

    /// Answers one request and has the connection watched again; at its end it is closed.
    fn answer_one(&self, stream: TcpStream) -> io::Result<()> {
        if !read_request(&stream)? {
            return Ok(());
        }
        let answer = self.task.compute();
        self.task.sleep();
        (&stream).write_all(&answer)?;
        let mut again = EpollEvent::new(Self::ONCE, token(stream.as_raw_fd()));
        self.watcher.modify(&stream, &mut again)?;
        // It is open while it is watched, and its number is its name.
        let _kept = std::os::fd::IntoRawFd::into_raw_fd(stream);
        Ok(())
    }

    fn work(&self, queue: &Mutex<Receiver<TcpStream>>) {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(stream) = next else { return };
            let _a_client_may_go = self.answer_one(stream);
        }
    }
}

fn token(fd: RawFd) -> u64 {
    u64::from(fd.cast_unsigned())
}

pub(super) fn pool(listener: &TcpListener, threads: u32, task: Task) -> io::Result<Infallible> {
    let watched = Arc::new(Watched {
        watcher: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
        task,
    });
    let (queue, queued) = channel();
    let queued = Arc::new(Mutex::new(queued));
    for _ in 0..threads {
        let (watched, queued) = (Arc::clone(&watched), Arc::clone(&queued));
        thread(move || watched.work(&queued))?;
    }
    let own = token(listener.as_raw_fd());
    let readable = EpollEvent::new(EpollFlags::EPOLLIN, own);
    watched.watcher.add(listener, readable)?;
    let mut events = [EpollEvent::empty(); EVENTS];
    loop {
        let ready = super::events::wait(&watched.watcher, &mut events, EpollTimeout::NONE)?;
        for event in &events[..ready] {
            if event.data() == own {
                let (stream, _) = accepted(listener.accept())?;
                stream.set_nodelay(true)?;
                let once = EpollEvent::new(Watched::ONCE, token(stream.as_raw_fd()));
                watched.watcher.add(&stream, once)?;
                let _watched = std::os::fd::IntoRawFd::into_raw_fd(stream);
                continue;
            }
            let fd = event.data() as RawFd;
            // SAFETY: the number is that of a connection which was given up to the watcher, and it says so once before
            // a flow takes the connection.
            let stream = unsafe { <TcpStream as std::os::fd::FromRawFd>::from_raw_fd(fd) };
            queue.send(stream).map_err(io::Error::other)?;
        }
    }
}
