//! The loop of a load generator: all connections and the plan in one thread. Generator and server
//! often share CPUs, so a turn of the loop has a cause: a connection that can be read or was
//! opened, the timer, or the glance every 20 ms at what took too long. The timer is set only while
//! a connection is free and the next request lies ahead; what falls due while all are busy is sent
//! when an answer frees one, oldest first (`plan.rs`). So turns are bounded by events and requests
//! sent, not by the rate or the backlog.
//!
//! No call waits but `epoll_wait`: a server whose queue is full would hold up the answers of all
//! others. In an open loop a connection is opened when a request is due and no open one is free:
//! one that asks nothing would hold up a server that sees to one at a time. After the end of what
//! is measured, requests planned for it are still sent and waited for.

use std::io;
use std::time::Duration;

use measure::clock::now_ns;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::connection::{Connection, Got, hash};
use super::plan::Plan;
use super::said::{Report, Task};
use super::tally::Tally;

const EVENTS: usize = 256;
const TIMER: u64 = u64::MAX;
const PAUSE_NS: u64 = 20_000_000;
/// Time in which a local server accepts, unless its queue is full.
const OPENS_NS: u64 = 200_000_000;
/// The same for each of many.
const OPENS_EACH_NS: u64 = 100_000;
/// Connections that are opened at one time: more than a queue holds would wait for a second.
const OPENING: usize = 128;
const GLANCE_MS: u16 = 20;
const READS: usize = 64 << 10;

pub(super) fn run(task: &Task) -> io::Result<Report> {
    run_then(task, |report| report)
}

/// As [`run`]; `then` has the report while the connections are still open.
pub(super) fn run_then<T>(task: &Task, then: impl FnOnce(Report) -> T) -> io::Result<T> {
    let mut engine = Engine::new(task)?;
    engine.all()?;
    Ok(then(std::mem::take(&mut engine.tally.report)))
}

struct Engine<'a> {
    task: &'a Task,
    tally: Tally,
    epoll: Epoll,
    timer: TimerFd,
    timer_ns: u64,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    freed_ns: Vec<u64>,
    /// Missing connections, with the time of their next try.
    broken: Vec<(usize, u64)>,
    from_ns: u64,
    until_ns: u64,
    plan: Option<Plan>,
    asked: u64,
    glanced_ns: u64,
    bytes: Vec<u8>,
}

fn ns(seconds: f64) -> u64 {
    Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_nanos() as u64
}

impl<'a> Engine<'a> {
    fn new(task: &'a Task) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        let count = task.how.connections.max(1) as usize;
        Ok(Self {
            task,
            tally: Tally::new(task.targets.len(), task.how.same_body),
            epoll,
            timer,
            timer_ns: 0,
            connections: (0..count).map(|_| None).collect(),
            free: Vec::new(),
            freed_ns: vec![0; count],
            broken: (0..count).map(|place| (place, 0)).collect(),
            from_ns: 0,
            until_ns: 0,
            plan: None,
            asked: 0,
            glanced_ns: 0,
            bytes: vec![0; READS],
        })
    }

    fn all(&mut self) -> io::Result<()> {
        let opened = now_ns();
        let patience = OPENS_NS.max(self.connections.len() as u64 * OPENS_EACH_NS);
        self.open(opened);
        while self.opening() > 0 && now_ns() < opened + patience {
            self.turn()?;
            self.open(now_ns());
        }
        self.begin(now_ns());
        let patience = ns(self.task.how.timeout_s);
        loop {
            let now = now_ns();
            if now >= self.until_ns && (self.is_idle() || now >= self.until_ns + patience) {
                break;
            }
            self.glance(now, patience);
            // Planned requests are sent also by new connections to a server that closes each.
            if now < self.until_ns || self.next_ns().is_some() {
                self.open(now);
            }
            self.send(now);
            self.set_timer()?;
            self.turn()?;
        }
        self.leave(now_ns());
        Ok(())
    }

    fn begin(&mut self, now: u64) {
        self.from_ns = now + ns(self.task.how.warm_s);
        self.until_ns = self.from_ns + ns(self.task.how.seconds);
        self.tally.measure(self.from_ns, self.until_ns);
        let rate = self.task.how.rate;
        self.plan = rate.map(|rate| Plan::new(rate, now, self.until_ns));
    }

    fn turn(&mut self) -> io::Result<()> {
        self.tally.report.turns += 1;
        let mut events = [EpollEvent::empty(); EVENTS];
        let ready = match self.epoll.wait(&mut events, EpollTimeout::from(GLANCE_MS)) {
            Err(nix::errno::Errno::EINTR) => 0,
            ready => ready?,
        };
        for event in &events[..ready] {
            match event.data() {
                TIMER => self.timer_rang()?,
                place => self.ready(place as usize)?,
            }
        }
        Ok(())
    }

    fn timer_rang(&mut self) -> io::Result<()> {
        self.timer_ns = 0;
        match self.timer.wait() {
            Err(nix::errno::Errno::EAGAIN) => Ok(()),
            waited => Ok(waited?),
        }
    }

    fn opening(&self) -> usize {
        let connections = self.connections.iter().flatten();
        connections.filter(|one| one.opening_ns.is_some()).count()
    }

    fn is_idle(&self) -> bool {
        let mut connections = self.connections.iter().flatten();
        self.next_ns().is_none() && connections.all(|one| one.asked.is_none())
    }

    fn next_ns(&self) -> Option<u64> {
        self.plan.as_ref().and_then(Plan::next_ns)
    }

    /// To the next planned request, if it could be sent or a connection opened for it.
    fn set_timer(&mut self) -> io::Result<()> {
        let can_open = |at: u64| self.broken.iter().any(|&(_, from)| from <= at);
        let is_needed = |at: &u64| !self.free.is_empty() || (can_open(*at) && self.opening() == 0);
        let next = self.next_ns().filter(is_needed);
        let Some(next) = next.filter(|&next| next != self.timer_ns) else {
            return Ok(());
        };
        self.timer_ns = next;
        let wait = Duration::from_nanos(next.saturating_sub(now_ns()).max(1));
        let wait = Expiration::OneShot(TimeSpec::from_duration(wait));
        Ok(self.timer.set(wait, TimerSetTimeFlags::empty())?)
    }

    fn send(&mut self, now: u64) {
        if let Some(plan) = self.plan.as_mut().filter(|_| now >= self.from_ns) {
            plan.skip_to(self.from_ns);
        }
        while let Some(&longest) = self.free.first() {
            let planned = match &mut self.plan {
                Some(plan) => match plan.take(now) {
                    Some(planned) => Some((planned, planned.max(self.freed_ns[longest]))),
                    None => return,
                },
                None if now < self.until_ns => None,
                None => return,
            };
            let Some(place) = self.free.pop() else { return };
            let number = (self.asked % self.task.targets.len() as u64) as usize;
            self.asked += 1;
            let sent = match &mut self.connections[place] {
                Some(connection) => connection.ask(number, &self.task.targets[number], planned),
                None => Err(io::ErrorKind::NotConnected.into()),
            };
            if let Err(error) = sent {
                self.fail(place, &error);
            }
        }
    }

    /// Connections wanted beside free and opening ones: all in a closed loop.
    fn wanted(&self, now: u64) -> usize {
        if self.task.how.rate.is_none() {
            return usize::MAX;
        }
        let due = self.plan.as_ref().map_or(0, |plan| plan.due(now)) as usize;
        due.saturating_sub(self.free.len() + self.opening())
    }

    fn open(&mut self, now: u64) {
        if self.broken.iter().all(|&(_, from)| from > now) {
            return;
        }
        let mut left = OPENING.saturating_sub(self.opening()).min(self.wanted(now));
        let all = self.broken.drain(..);
        let (due, later): (Vec<_>, Vec<_>) = all.partition(|(_, from)| {
            let is_next = left > 0 && *from <= now;
            left -= usize::from(is_next);
            is_next
        });
        self.broken = later;
        for (place, _) in due {
            // All URLs are of one server; a connection asks for each of them.
            let opening = Connection::open(&self.task.targets[0], now).and_then(|connection| {
                let event = EpollEvent::new(EpollFlags::EPOLLOUT, place as u64);
                self.epoll.add(&connection.stream, event)?;
                Ok(connection)
            });
            match opening {
                Ok(connection) => self.connections[place] = Some(connection),
                Err(error) => self.fail(place, &error),
            }
        }
    }

    fn ready(&mut self, place: usize) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(place).and_then(Option::as_mut) else {
            return Ok(());
        };
        if connection.opening_ns.is_none() {
            self.read(place);
            return Ok(());
        }
        match connection.is_open() {
            Ok(false) => {}
            Ok(true) => {
                let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP;
                let mut event = EpollEvent::new(flags, place as u64);
                self.epoll.modify(&connection.stream, &mut event)?;
                self.is_free(place);
            }
            Err(error) => self.fail(place, &error),
        }
        Ok(())
    }

    fn read(&mut self, place: usize) {
        let Some(connection) = &mut self.connections[place] else {
            return;
        };
        let asked = connection.asked;
        let got = match self.task.how.same_body {
            true => connection.read(&mut self.bytes, hash),
            false => connection.read(&mut self.bytes, |body| body.len() as u64),
        };
        match (got, asked) {
            (Ok(Got::Nothing), _) => {}
            (Ok(Got::Closed), _) | (Ok(Got::Whole { .. }), None) => {
                self.free.retain(|&free| free != place);
                self.reopen(place, 0);
            }
            (
                Ok(Got::Whole {
                    answer,
                    body,
                    at_ns,
                }),
                Some(asked),
            ) => {
                connection.asked = None;
                let size = (answer.end as u64, body);
                self.tally.answer(at_ns, asked, answer.status, size);
                match answer.closes {
                    true => self.reopen(place, 0),
                    false => self.is_free(place),
                }
            }
            (Err(error), _) => self.fail(place, &error),
        }
    }

    fn is_free(&mut self, place: usize) {
        self.freed_ns[place] = now_ns();
        self.free.push(place);
    }

    fn reopen(&mut self, place: usize, from_ns: u64) {
        self.connections[place] = None;
        self.broken.push((place, from_ns));
    }

    fn fail(&mut self, place: usize, error: &io::Error) {
        let connection = self.connections[place].as_ref();
        match connection.and_then(|connection| connection.asked) {
            Some(asked) => self.tally.error(&asked, &error.to_string()),
            None => self.tally.refuse(&error.to_string()),
        }
        self.free.retain(|&free| free != place);
        self.reopen(place, now_ns() + PAUSE_NS);
    }

    /// Overdue requests count with their time; connections that do not open are given up too.
    fn glance(&mut self, now: u64, patience: u64) {
        if now < self.glanced_ns + u64::from(GLANCE_MS) * 1_000_000 {
            return;
        }
        self.glanced_ns = now;
        for place in 0..self.connections.len() {
            let Some(connection) = &self.connections[place] else {
                continue;
            };
            let over = |since: u64, most: u64| now.saturating_sub(since) > most;
            match (connection.asked, connection.opening_ns) {
                (Some(asked), _) if over(asked.sent_ns, patience) => {
                    self.tally.time_out(now, &asked);
                    self.reopen(place, 0);
                }
                (None, Some(since)) if over(since, OPENS_NS) => {
                    self.fail(place, &io::ErrorKind::TimedOut.into());
                }
                _ => {}
            }
        }
    }

    fn leave(&mut self, now: u64) {
        let connections = self.connections.iter().flatten();
        for asked in connections.filter_map(|one| one.asked) {
            self.tally.time_out(now, &asked);
        }
        if let Some(plan) = &mut self.plan {
            plan.skip_to(self.from_ns);
            let report = &mut self.tally.report;
            report.unsent = plan.note_waits(now, &mut report.latencies);
        }
    }
}

#[cfg(test)]
mod tests;
