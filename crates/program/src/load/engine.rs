//! The loop of a load generator: all connections and the plan in one thread.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use measure::clock::now_ns;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::connection::{Asked, Connection, Got};
use super::{Report, Task};

/// Events that are taken at once.
const EVENTS: usize = 256;
/// The event of the timer.
const TIMER: u64 = u64::MAX;
/// How long a connection that failed waits before it is tried again, in ns.
const PAUSE_NS: u64 = 20_000_000;
/// How often the time of requests is looked at, in ms.
const GLANCE_MS: u16 = 20;

/// Asks for as long as the task says.
pub(super) fn run(task: &Task) -> io::Result<Report> {
    let mut engine = Engine::new(task)?;
    engine.all()?;
    Ok(engine.report)
}

struct Engine<'a> {
    task: &'a Task,
    report: Report,
    epoll: Epoll,
    timer: TimerFd,
    connections: Vec<Option<Connection>>,
    /// Connections that wait for nothing, the one that has done so the longest first.
    free: Vec<usize>,
    /// Since when each of them does.
    freed_ns: Vec<u64>,
    /// Connections that are not there, with the time from which they may be tried again.
    broken: Vec<(usize, u64)>,
    /// Planned requests that have not been sent.
    queue: VecDeque<u64>,
    began_ns: u64,
    /// Requests that were planned so far, and all that were asked.
    planned: u64,
    asked: u64,
    /// What the first answer of each URL was.
    bodies: Vec<Option<u64>>,
}

impl<'a> Engine<'a> {
    fn new(task: &'a Task) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        let count = task.connections.max(1) as usize;
        Ok(Self {
            task,
            report: Report::default(),
            epoll,
            timer,
            connections: (0..count).map(|_| None).collect(),
            free: Vec::new(),
            freed_ns: vec![0; count],
            broken: (0..count).map(|place| (place, 0)).collect(),
            queue: VecDeque::new(),
            began_ns: now_ns(),
            planned: 0,
            asked: 0,
            bodies: vec![None; task.targets.len()],
        })
    }

    fn ns(seconds: f64) -> u64 {
        Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_nanos() as u64
    }

    /// When measuring begins and ends.
    fn span(&self) -> (u64, u64) {
        let from = self.began_ns + Self::ns(self.task.warm_s);
        (from, from + Self::ns(self.task.seconds))
    }

    fn all(&mut self) -> io::Result<()> {
        self.mend(now_ns());
        self.began_ns = now_ns();
        let (from, until) = self.span();
        let patience = Self::ns(self.task.timeout_s);
        let mut events = [EpollEvent::empty(); EVENTS];
        let mut glance = 0;
        loop {
            let now = now_ns();
            if now >= until && (self.is_idle() || now >= until + patience) {
                break;
            }
            self.plan(now.min(until));
            if now >= glance {
                self.expire(now);
                glance = now + u64::from(GLANCE_MS) * 1_000_000;
            }
            // What was planned is sent, also by a server that closes each connection.
            if now < until || !self.queue.is_empty() {
                self.mend(now);
            }
            self.send(now, until);
            self.set_timer(until)?;
            let ready = match self.epoll.wait(&mut events, EpollTimeout::from(GLANCE_MS)) {
                Err(nix::errno::Errno::EINTR) => 0,
                ready => ready?,
            };
            for event in &events[..ready] {
                match event.data() {
                    TIMER => self.timer.wait().or_else(|errno| match errno {
                        nix::errno::Errno::EAGAIN => Ok(()),
                        errno => Err(errno),
                    })?,
                    place => self.ready(place as usize),
                }
            }
        }
        self.leave(now_ns());
        self.report.ns = until - from;
        self.report.answering_ns = self.report.answering_ns.max(self.report.ns);
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty()
            && self
                .connections
                .iter()
                .flatten()
                .all(|one| one.asked.is_none())
    }

    /// Puts what was planned until now into the queue.
    fn plan(&mut self, now: u64) {
        let Some(rate) = self.task.rate else { return };
        loop {
            let at = self.began_ns + (self.planned as f64 * 1e9 / rate) as u64;
            if at > now {
                return;
            }
            self.queue.push_back(at);
            self.planned += 1;
        }
    }

    /// Sets the timer to the next planned request.
    fn set_timer(&mut self, until: u64) -> io::Result<()> {
        let Some(rate) = self.task.rate else {
            return Ok(());
        };
        let at = self.began_ns + (self.planned as f64 * 1e9 / rate) as u64;
        let wait = at.min(until).saturating_sub(now_ns()).max(1);
        let wait = Expiration::OneShot(TimeSpec::from_duration(Duration::from_nanos(wait)));
        Ok(self.timer.set(wait, TimerSetTimeFlags::empty())?)
    }

    /// Sends what may be sent: what is planned, or in a closed loop one on each free connection.
    fn send(&mut self, now: u64, until: u64) {
        while !self.free.is_empty() {
            let idle_ns = self.free.first().map_or(now, |&place| self.freed_ns[place]);
            let planned = match self.task.rate {
                Some(_) => match self.queue.pop_front() {
                    Some(planned) => Some((planned, planned.max(idle_ns))),
                    None => return,
                },
                None if now < until => None,
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

    /// Opens the connections that are not there.
    fn mend(&mut self, now: u64) {
        let (due, later): (Vec<_>, Vec<_>) =
            self.broken.drain(..).partition(|(_, from)| *from <= now);
        self.broken = later;
        for (place, _) in due {
            // All URLs are of one server; a connection asks for each of them.
            let opened = Connection::open(&self.task.targets[0]).and_then(|connection| {
                let event =
                    EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP, place as u64);
                self.epoll.add(&connection.stream, event)?;
                Ok(connection)
            });
            match opened {
                Ok(connection) => {
                    self.connections[place] = Some(connection);
                    self.is_free(place);
                }
                Err(error) => self.fail(place, &error),
            }
        }
    }

    /// Reads what is there for a connection.
    fn ready(&mut self, place: usize) {
        let Some(connection) = self.connections.get_mut(place).and_then(Option::as_mut) else {
            return;
        };
        let asked = connection.asked;
        match (connection.read(self.task.same_body), asked) {
            (Ok(Got::Nothing), _) => {}
            (Ok(Got::Closed), _) | (Ok(Got::Whole { .. }), None) => self.drop_quietly(place),
            (Ok(Got::Whole { answer, body }), Some(asked)) => {
                connection.asked = None;
                self.take(asked, answer.status, (answer.end as u64, body));
                match answer.closes {
                    true => self.drop_quietly(place),
                    false => self.is_free(place),
                }
            }
            (Err(error), _) => self.fail(place, &error),
        }
    }

    /// A connection waits for nothing from now on.
    fn is_free(&mut self, place: usize) {
        self.freed_ns[place] = now_ns();
        self.free.push(place);
    }

    /// A connection that was closed in order is opened again at once.
    fn drop_quietly(&mut self, place: usize) {
        self.connections[place] = None;
        self.free.retain(|&free| free != place);
        self.broken.push((place, 0));
    }

    /// Whether a request belongs to what is measured.
    fn counts(&self, asked: &Asked) -> bool {
        let (from, until) = self.span();
        (from..until).contains(&asked.planned_ns)
    }

    fn take(&mut self, asked: Asked, status: u16, (bytes, body): (u64, u64)) {
        let now = now_ns();
        let first = *self.bodies[asked.target].get_or_insert(body);
        if !self.counts(&asked) {
            return;
        }
        let wrong = match status {
            200..=399 if !self.task.same_body || first == body => None,
            200..=399 => Some("an answer that is not what the first one was".to_owned()),
            status => Some(format!("an answer with status {status}")),
        };
        if let Some(wrong) = wrong {
            return self.error(wrong);
        }
        self.report.answered += 1;
        self.report.bytes += bytes;
        self.report.latencies.add(now - asked.planned_ns);
        self.report.service.add(now - asked.sent_ns);
        self.report.lateness.add(asked.sent_ns - asked.able_ns);
        self.report
            .queued
            .add(asked.able_ns.saturating_sub(asked.planned_ns));
        let (from, _) = self.span();
        self.report.answering_ns = self.report.answering_ns.max(now.saturating_sub(from));
    }

    fn error(&mut self, what: String) {
        self.report.errors += 1;
        self.report.first_error.get_or_insert(what);
    }

    fn fail(&mut self, place: usize, error: &io::Error) {
        let asked = self.connections[place]
            .take()
            .and_then(|connection| connection.asked);
        self.free.retain(|&free| free != place);
        match asked {
            Some(asked) if self.counts(&asked) => self.error(error.to_string()),
            Some(_) => {}
            // No request is lost: those that were planned wait for a connection, and count that.
            None => {
                self.report.refused += 1;
                let said = error.to_string();
                self.report.first_error.get_or_insert(said);
            }
        }
        let now = now_ns();
        self.broken.push((place, now + PAUSE_NS));
    }

    /// Requests whose time is over count with that time, and their connections are given up.
    fn expire(&mut self, now: u64) {
        let patience = Self::ns(self.task.timeout_s);
        let late = |connection: &Connection| {
            connection
                .asked
                .is_some_and(|asked| now.saturating_sub(asked.sent_ns) > patience)
        };
        let places = self.connections.iter().enumerate();
        let over: Vec<usize> = places
            .filter(|(_, one)| one.as_ref().is_some_and(late))
            .map(|(place, _)| place)
            .collect();
        for place in over {
            let asked = self.connections[place]
                .take()
                .and_then(|connection| connection.asked);
            self.time_out(asked, now);
            self.broken.push((place, 0));
        }
    }

    fn time_out(&mut self, asked: Option<Asked>, now: u64) {
        if let Some(asked) = asked.filter(|asked| self.counts(asked)) {
            self.report.timeouts += 1;
            self.report.latencies.add(now - asked.planned_ns);
        }
    }

    /// What has no answer and what was not sent when all is over.
    fn leave(&mut self, now: u64) {
        let (from, until) = self.span();
        let left: Vec<Option<Asked>> = self
            .connections
            .iter()
            .flatten()
            .map(|one| one.asked)
            .collect();
        for asked in left {
            self.time_out(asked, now);
        }
        for planned in std::mem::take(&mut self.queue) {
            if (from..until).contains(&planned) {
                self.report.unsent += 1;
                self.report.latencies.add(now - planned);
            }
        }
    }
}
