//! A repetition of the load generator: connections in one thread that ask again at each answer.

use std::io::{self, BufRead, Write};

use flow::{Latencies, Proof};
use measure::clock::now_ns;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use program::load::{Connection, Got, Target};

use super::super::http::path_of;
use super::super::listener::say_goodbye;
use super::{Order, Report, Task};
use crate::draw::{Checksum, Draw};

const EVENTS: usize = 64;
const READS: usize = 32 << 10;

/// Carries out an order at each message until the other end closes, or no goodbye is heard.
pub fn load_in_rounds(task: &str) -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    let task: Task<Order> = serde_json::from_str(task)?;
    if getppid().as_raw() != task.parent {
        return Ok(());
    }
    flow::quota::leave()?;
    let order = task.order;
    let cpus: Vec<u32> = order.cpu.into_iter().collect();
    let bound = sys::bind(&cpus);
    for line in io::stdin().lock().lines() {
        line?;
        let report = match &bound {
            Ok(()) => run(&order),
            Err(error) => Report {
                error: Some(format!("cannot be bound to its CPU: {error}")),
                ..Report::default()
            },
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        out.flush()?;
        (0..order.workers).try_for_each(|_| say_goodbye(order.address))?;
    }
    Ok(())
}

fn run(order: &Order) -> Report {
    let mut report = Report::default();
    let ran = Run::new(order, &mut report).and_then(|mut run| run.all());
    if let Err(error) = ran {
        report.error = Some(describe(&error));
        report.latencies = Latencies::default();
    }
    report
}

fn target(order: &Order, title: &str) -> Target {
    Target {
        address: order.address,
        host: order.address.ip().to_string(),
        path: path_of(title),
    }
}

fn describe(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => {
            format!("{error}; use fewer connections, or raise the limit: ulimit -n")
        }
        Some(libc::ECONNRESET) => format!("{error}: a worker died, or has too many files open"),
        _ => error.to_string(),
    }
}

/// Without any answer.
const PATIENCE_MS: u16 = 20_000;
const NO_ANSWER: &str = "no answer came for 20 s: workers hang, or connections of other programs \
                         hold all of them; use another port (--port 0)";

struct Run<'a> {
    order: &'a Order,
    report: &'a mut Report,
    epoll: Epoll,
    targets: Vec<Target>,
    clients: Vec<Option<Connection>>,
    bytes: Vec<u8>,
    open: usize,
    asked: u64,
}

impl<'a> Run<'a> {
    fn new(order: &'a Order, report: &'a mut Report) -> io::Result<Self> {
        let targets = order.pages.iter().map(|(title, _)| target(order, title));
        Ok(Self {
            order,
            report,
            epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
            targets: targets.collect(),
            clients: Vec::new(),
            bytes: vec![0; READS],
            open: 0,
            asked: 0,
        })
    }

    fn all(&mut self) -> io::Result<()> {
        let connections = self.order.connections.min(self.order.requests);
        for place in 0..connections as usize {
            self.clients.push(None);
            self.connect(place)?;
        }
        let mut events = [EpollEvent::empty(); EVENTS];
        while self.open > 0 {
            let ready = match self.epoll.wait(&mut events, PATIENCE_MS) {
                Err(nix::errno::Errno::EINTR) => continue,
                Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, NO_ANSWER)),
                ready => ready?,
            };
            for event in &events[..ready] {
                self.ready(event.data() as usize)?;
            }
        }
        Ok(())
    }

    fn next_page(&mut self) -> Option<usize> {
        let number = self.asked;
        (number < self.order.requests).then(|| {
            self.asked += 1;
            let pages = self.order.pages.len() as u32;
            Draw::new(self.order.seed, number).below(pages) as usize
        })
    }

    fn connect(&mut self, place: usize) -> io::Result<()> {
        let Some(page) = self.next_page() else {
            return Ok(());
        };
        let begun = now_ns();
        let target = &self.targets[page];
        let mut client = Connection::connect(target)?;
        client.ask(page, target, Some((begun, begun)))?;
        let event = EpollEvent::new(EpollFlags::EPOLLIN, place as u64);
        self.epoll.add(client.stream(), event)?;
        self.clients[place] = Some(client);
        self.open += 1;
        Ok(())
    }

    fn ready(&mut self, place: usize) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(place).and_then(Option::as_mut) else {
            return Ok(());
        };
        let Got::Whole {
            answer,
            body,
            at_ns,
        } = client.read(&mut self.bytes, Checksum::of_bytes)?
        else {
            return Ok(());
        };
        let Some((page, begun_ns)) = client.take_asked() else {
            return Ok(());
        };
        if answer.status != 200 {
            let text = format!("an answer with status {}", answer.status);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let (title, sum) = &self.order.pages[page];
        if body != *sum {
            let text = format!("the page '{title}' came as something else than it is");
            return Err(io::Error::other(text));
        }
        self.report.proof += Proof {
            count: 1,
            checksum: *sum,
        };
        self.report.latencies.add(at_ns - begun_ns);
        if answer.closes {
            self.close(place);
            return self.connect(place);
        }
        self.again(place)
    }

    fn again(&mut self, place: usize) -> io::Result<()> {
        match self.next_page() {
            Some(page) => {
                let client = self.clients[place].as_mut();
                client.map_or(Ok(()), |client| client.ask(page, &self.targets[page], None))
            }
            None => {
                self.close(place);
                Ok(())
            }
        }
    }

    fn close(&mut self, place: usize) {
        self.clients[place] = None;
        self.open -= 1;
    }
}
