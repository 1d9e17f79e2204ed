//! A fiber for each connection, over one event loop. Its code is that of a thread: where it would
//! have to wait it hands its kernel thread to the loop, which awakens it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Instant;

use fiber::{Config, Fiber, FiberId};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};

use super::events::{accept, read, until, wait};
use super::task::Task;

const STACK: usize = 64 << 10;
const EVENTS: usize = 64;
const LISTENER: u64 = u64::MAX;

struct Shared<'a> {
    watcher: Epoll,
    /// Who waits for a connection, by the number of its file.
    readers: RefCell<Vec<Option<FiberId>>>,
    /// Who waits for a time, in the order of times.
    sleepers: RefCell<VecDeque<(Instant, FiberId)>>,
    listener: &'a TcpListener,
    task: Task,
}

impl Shared<'_> {
    fn answer_all(&self, fiber: &mut Fiber, mut stream: &TcpStream) -> io::Result<()> {
        let at = stream.as_raw_fd() as usize;
        let mut request = Vec::new();
        loop {
            self.note(at, Some(fiber.id()));
            fiber.suspend();
            match read(stream, &mut request) {
                None => break,
                Some(false) => continue,
                Some(true) => {}
            }
            let answer = self.task.compute();
            if !self.task.wait.is_zero() {
                let due = Instant::now() + self.task.wait;
                self.sleepers.borrow_mut().push_back((due, fiber.id()));
                self.note(at, None);
                fiber.suspend();
            }
            stream.write_all(&answer)?;
        }
        self.note(at, None);
        Ok(())
    }

    fn note(&self, at: usize, who: Option<FiberId>) {
        let mut readers = self.readers.borrow_mut();
        if readers.len() <= at {
            readers.resize(at + 1, None);
        }
        readers[at] = who;
    }

    fn awaken_due(&self) {
        let now = Instant::now();
        let mut sleepers = self.sleepers.borrow_mut();
        while let Some((_, who)) = sleepers.pop_front_if(|(due, _)| *due <= now) {
            fiber::awaken(who);
        }
    }
}

pub(super) fn fibers(listener: &TcpListener, task: Task) -> io::Result<Infallible> {
    listener.set_nonblocking(true)?;
    let watcher = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    watcher.add(listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER))?;
    // For the life of the process: fibers keep it.
    let shared: &'static Shared<'static> = Box::leak(Box::new(Shared {
        watcher,
        readers: RefCell::default(),
        sleepers: RefCell::default(),
        listener: Box::leak(Box::new(listener.try_clone()?)),
        task,
    }));
    let scope = fiber::scope(Config::guarded(STACK), |scheduler| {
        let events = scheduler.spawn(move |fiber| event_loop(shared, fiber));
        let ended = events.map_err(io::Error::other)?.join();
        ended.map_err(|error| io::Error::other(error.to_string()))?
    });
    scope.map_err(io::Error::other)?
}

fn event_loop(shared: &'static Shared<'static>, own: &mut Fiber) -> io::Result<Infallible> {
    let mut events = [EpollEvent::empty(); EVENTS];
    loop {
        let due = shared.sleepers.borrow().front().map(|(due, _)| *due);
        let ready = wait(&shared.watcher, &mut events, until(due))?;
        for event in &events[..ready] {
            match event.data() {
                LISTENER => take(shared)?,
                at => {
                    let who = shared.readers.borrow().get(at as usize).copied().flatten();
                    who.map(fiber::awaken);
                }
            }
        }
        shared.awaken_due();
        // Who was awakened comes behind this fiber in the next round, and has run after that.
        own.yield_now();
        own.yield_now();
    }
}

fn take(shared: &'static Shared<'static>) -> io::Result<()> {
    let Some(stream) = accept(shared.listener)? else {
        return Ok(());
    };
    let at = stream.as_raw_fd() as u64;
    shared
        .watcher
        .add(&stream, EpollEvent::new(EpollFlags::EPOLLIN, at))?;
    let made = fiber::spawn(move |fiber| {
        let _a_client_may_go = shared.answer_all(fiber, &stream);
    });
    made.map(drop).map_err(io::Error::other)
}
