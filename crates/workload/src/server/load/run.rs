//! A repetition of the load generator: all connections in one thread, each asking again as
//! soon as it has its answer.

use std::io;

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};

use super::client::Client;
use super::{Order, Report};
use crate::draw::Draw;
use crate::wiki::sum_of;

/// Events that are taken at once.
const EVENTS: usize = 64;

pub(super) fn run(order: &Order) -> Report {
    let mut report = Report::default();
    let ran = Run::new(order, &mut report).and_then(|mut run| run.all());
    report.error = ran.err().map(|error| describe(&error));
    report
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

/// How long all connections may be without an answer.
const PATIENCE_MS: u16 = 20_000;
const NO_ANSWER: &str = "no answer came for 20 s: workers hang, or connections of other programs \
                         hold all of them; use another port (--port 0)";

struct Run<'a> {
    order: &'a Order,
    report: &'a mut Report,
    epoll: Epoll,
    clients: Vec<Option<Client>>,
    open: usize,
    asked: u64,
}

impl<'a> Run<'a> {
    fn new(order: &'a Order, report: &'a mut Report) -> io::Result<Self> {
        Ok(Self {
            order,
            report,
            epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
            clients: Vec::new(),
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

    /// The page that is asked for next, if there is one left.
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
        let client = Client::connect(self.order.address, page, &self.order.pages[page].0)?;
        let event = EpollEvent::new(EpollFlags::EPOLLIN, place as u64);
        self.epoll.add(&client.stream, event)?;
        self.clients[place] = Some(client);
        self.open += 1;
        Ok(())
    }

    fn ready(&mut self, place: usize) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(place).and_then(Option::as_mut) else {
            return Ok(());
        };
        let Some(answer) = client.read()? else {
            return Ok(());
        };
        let (title, sum) = &self.order.pages[client.page];
        if sum_of(client.body()) != *sum {
            let text = format!("the page '{title}' came as something else than it is");
            return Err(io::Error::other(text));
        }
        self.report.count += 1;
        self.report.checksum = self.report.checksum.wrapping_add(*sum);
        self.report.latencies.add(answer.latency_ns);
        if answer.closes {
            self.close(place);
            return self.connect(place);
        }
        self.again(place)
    }

    fn again(&mut self, place: usize) -> io::Result<()> {
        match self.next_page() {
            Some(page) => {
                let title = &self.order.pages[page].0;
                let client = self.clients[place].as_mut();
                client.map_or(Ok(()), |client| client.ask(page, title))
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
