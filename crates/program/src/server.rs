//! A slot of a server: start it, wait until it is ready, ask it, stop it.
//!
//! # Theory
//!
//! The phases of a repetition:
//!
//! * **create**: from the launch until the server is ready.
//! * **steady**: the time in which requests are measured.
//! * **tear-down**: from asking it to end (`SIGTERM` to the process that was launched) until nothing of it is there.
//!
//! Usage is that of the server's tree alone: the load generator is launched beside it, and its usage is kept
//! apart. Memory is looked at while it is asked; in a launch of its own, where that is too short. A server that ends while it is asked has failed, and so has
//! one that has to be killed.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use flow::{Failure, Latencies, Proof, SelfManaged, SelfManagedRep, SelfManagedUsage, SlotSpec};
use measure::clock::now_ns;
use measure::memory::Reading;
use nix::fcntl::OFlag;
use nix::unistd::pipe2;

use crate::judge;
use crate::listener::{Listens, listens};
use crate::load::{self, Report, Said, Task, tools};
use crate::looks::{Looks, Pace, Seen};
use crate::pipe::{MOST, Pipe};
use crate::runner::{Runner, null};
use crate::served::{Http, Load, Ready, Served};
use crate::supervisor::{Order, Running, Wait, flood};
use crate::usage::Used;

/// How often a server is asked whether it is ready.
const POLL: Duration = Duration::from_millis(2);
/// A server on the same machine accepts in this time.
const CONNECTS: Duration = Duration::from_millis(100);
/// More errors than this share of all requests, and a slot is no data point.
const MOST_ERRORS: f64 = 0.01;
/// Time that a load generator has beyond what it asks for.
const SPARE_S: f64 = 5.0;

/// A slot of a server.
#[derive(Debug)]
pub(crate) struct ServerRunner<'a> {
    served: &'a Served,
    base: Runner<'a>,
    /// How often its memory is looked at.
    pace: Pace,
    seen: Option<Seen>,
    /// The most that one of its processes had, in bytes.
    most_rss: u64,
    /// Who listens where the load asks.
    listener: Listens,
}

/// What the load says of a repetition.
struct Asked {
    steady_ns: u64,
    count: u64,
    latencies: Option<Latencies>,
    counts: Vec<(&'static str, u64)>,
}

impl<'a> ServerRunner<'a> {
    pub(crate) fn new<W>(
        served: &'a Served,
        spec: &SlotSpec<W>,
        dir: Option<&Path>,
    ) -> io::Result<Self> {
        let mut base = Runner::new(&served.server, spec, dir)?;
        if served.asks_for("port") {
            base.need_port()?;
        }
        Ok(Self {
            served,
            base,
            pace: Pace::BESIDE,
            seen: None,
            most_rss: 0,
            listener: Listens::Unknown,
        })
    }

    pub(crate) fn end(self) -> io::Result<()> {
        self.base.end()
    }

    fn launch(&mut self) -> io::Result<Running> {
        if let Some(address) = self.address()? {
            is_free(address)?;
        }
        let (line, executable) = self.base.copy(0)?;
        let order = Order {
            executable: &executable,
            stdin: null()?,
            stdout: Some(Pipe::new(MOST >> 6, false)?),
        };
        let launched = self.base.supervisor.launch(order);
        launched.map_err(|error| io::Error::other(format!("cannot launch '{line}': {error}")))
    }

    /// Waits until the server is ready; the time at which it was.
    fn wait_ready(&mut self, server: &mut Running) -> io::Result<u64> {
        let began = Instant::now();
        let patience = Duration::from_secs_f64(self.served.ready_s.clamp(0.0, 3_600.0));
        let until = (began + patience).min(self.base.deadline);
        let address = self.address()?;
        loop {
            let waited = self
                .base
                .supervisor
                .wait(&mut [server], Instant::now() + POLL, None)?;
            if waited == Wait::Ended {
                let how = judge::status(server)
                    .map_or_else(|signal| signal, |code| format!("exit code {code}"));
                return Err(io::Error::other(format!(
                    "the server ended before it was ready: {how}{}",
                    judge::after(&judge::said(std::slice::from_ref(server)))
                )));
            }
            if self.is_ready(server, address) {
                let ready_ns = now_ns();
                self.is_its_own(address)?;
                return Ok(ready_ns);
            }
            if waited == Wait::Flood {
                self.base.supervisor.kill(&mut [server], &[])?;
                return Err(flood());
            }
            if Instant::now() >= until {
                let said = judge::after(&judge::said(std::slice::from_ref(server)));
                self.stop(server)?;
                return Err(io::Error::other(format!(
                    "the server was not ready after {:.1} s (--ready says how to know, --timeout how long to wait){said}",
                    began.elapsed().as_secs_f64()
                )));
            }
        }
    }

    fn is_ready(&self, server: &Running, address: Option<SocketAddr>) -> bool {
        let connects = |address: SocketAddr| TcpStream::connect_timeout(&address, CONNECTS).is_ok();
        match &self.served.ready {
            Ready::Tcp => address.is_none_or(connects),
            Ready::Url(url) => {
                load::target(&self.base.fill.apply(url)).is_ok_and(|target| load::answers(&target))
            }
            Ready::Line(line) => [Some(&server.err), server.out.as_ref()]
                .into_iter()
                .flatten()
                .any(|pipe| String::from_utf8_lossy(&pipe.kept).contains(line.as_str())),
        }
    }

    /// Whether who answers is of the server's tree, as far as the kernel says.
    fn is_its_own(&mut self, address: Option<SocketAddr>) -> io::Result<()> {
        let Some(address) = address else {
            return Ok(());
        };
        let own = self.base.supervisor.tree();
        self.listener = listens(address, &own);
        match &self.listener {
            Listens::Other(who) => Err(io::Error::other(format!(
                "{address} is answered by {who}, which is none of the server's processes: what was asked would be \
                 another server; use {{port}} for a free port"
            ))),
            Listens::Own | Listens::Unknown => Ok(()),
        }
    }

    /// Where the server listens, as far as that is known.
    fn address(&self) -> io::Result<Option<SocketAddr>> {
        let of_port = self
            .base
            .fill
            .port
            .map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        match &self.served.load {
            Load::Http(http) => Ok(self.targets(http)?.first().map(|target| target.address)),
            Load::Command(_) => Ok(of_port),
        }
    }

    fn targets(&self, http: &Http) -> io::Result<Vec<load::Target>> {
        let all = http
            .urls
            .iter()
            .map(|url| load::target(&self.base.fill.apply(url)));
        all.collect::<Result<_, _>>().map_err(io::Error::other)
    }

    fn ask(&mut self, server: &mut Running) -> io::Result<Asked> {
        match &self.served.load {
            Load::Http(http) => self.ask_by_http(server, http),
            Load::Command(line) => self.ask_by_command(server, line),
        }
    }

    fn ask_by_http(&mut self, server: &mut Running, http: &Http) -> io::Result<Asked> {
        let task = Task {
            targets: self.targets(http)?,
            connections: http.connections,
            rate: http.rate,
            warm_s: http.warm_s,
            seconds: http.seconds,
            timeout_s: http.timeout_s,
            same_body: http.same_body,
            cpus: http.cpus.clone(),
        };
        let most_s = http.warm_s + http.seconds + http.timeout_s + SPARE_S;
        let executable = self.base.generator()?;
        let (output, used) = self.beside(
            server,
            &executable,
            Some(&serde_json::to_vec(&task)?),
            most_s,
        )?;
        let report: Report = serde_json::from_slice(&output)?;
        asked(&report, &used)
    }

    fn ask_by_command(&mut self, server: &mut Running, line: &str) -> io::Result<Asked> {
        let (line, executable) = self.base.filled(line)?;
        let began = now_ns();
        let (output, used) = self.beside(server, &executable, None, f64::INFINITY)?;
        let steady_ns = now_ns() - began;
        let output = String::from_utf8_lossy(&output).into_owned();
        let said = tools::read(&line, &output);
        answers_of(said.map_err(io::Error::other)?, steady_ns, &used)
    }

    /// Runs a command beside the server, with what it reads; what it wrote and used.
    fn beside(
        &mut self,
        server: &mut Running,
        executable: &crate::sys::Executable,
        input: Option<&[u8]>,
        most_s: f64,
    ) -> io::Result<(Vec<u8>, Used)> {
        let order = Order {
            executable,
            stdin: input.map_or_else(null, given)?,
            stdout: Some(Pipe::new(MOST, false)?),
        };
        let mut load = self.base.supervisor.launch(order)?;
        let most = Duration::from_secs_f64(most_s.clamp(0.0, 1e6));
        let until = (Instant::now() + most).min(self.base.deadline);
        let mut looks = Looks::new(self.pace, self.base.supervisor.own(), vec![load.pid]);
        let waited = self.wait_for_load(server, &mut load, until, &mut looks)?;
        self.seen = Some(looks.seen);
        if waited == Wait::Flood {
            self.base.supervisor.kill(&mut [&mut load, server], &[])?;
            return Err(flood());
        }
        if waited != Wait::Ended {
            self.base.supervisor.kill(&mut [&mut load], &[server.pid])?;
            return Err(io::Error::other("the load did not end in time"));
        }
        if server.ended.is_some() {
            let how = judge::status(server)
                .map_or_else(|signal| signal, |code| format!("exit code {code}"));
            let said = judge::after(&judge::said(std::slice::from_ref(server)));
            return Err(io::Error::other(format!(
                "the server ended while it was asked: {how}{said}"
            )));
        }
        match judge::status(&load) {
            Ok(0) => {}
            how => {
                let how = how.map_or_else(|signal| signal, |code| format!("exit code {code}"));
                let said = judge::after(&judge::said(std::slice::from_ref(&load)));
                return Err(io::Error::other(format!("the load failed: {how}{said}")));
            }
        }
        let used = load.ended.map(|end| end.used).unwrap_or_default();
        Ok((load.out.map(|out| out.kept).unwrap_or_default(), used))
    }

    /// Waits for the load alone, and takes what the server writes meanwhile.
    fn wait_for_load(
        &mut self,
        server: &mut Running,
        load: &mut Running,
        until: Instant,
        looks: &mut Looks,
    ) -> io::Result<Wait> {
        loop {
            let step = until.min(Instant::now() + Duration::from_millis(20));
            let waited = self.base.supervisor.wait(&mut [load], step, Some(looks))?;
            self.base
                .supervisor
                .wait(&mut [server], Instant::now(), None)?;
            server.drain()?;
            if waited != Wait::Late || Instant::now() >= until || server.ended.is_some() {
                return Ok(match server.ended {
                    Some(_) if load.ended.is_none() => {
                        // Nobody answers any more: the load need not wait for it.
                        self.base.supervisor.kill(&mut [load], &[])?;
                        Wait::Ended
                    }
                    _ => waited,
                });
            }
        }
    }

    fn stop(&mut self, server: &mut Running) -> io::Result<bool> {
        let grace = self.base.grace();
        self.base.supervisor.stop(&mut [server], grace, &[])
    }

    fn once(&mut self) -> io::Result<SelfManagedRep> {
        let mut server = self.launch()?;
        let ready_ns = match self.wait_ready(&mut server) {
            Ok(ready) => ready,
            Err(error) => {
                self.stop(&mut server)?;
                return Err(error);
            }
        };
        let asked = match self.ask(&mut server) {
            Ok(asked) => asked,
            Err(error) => {
                self.stop(&mut server)?;
                return Err(error);
            }
        };
        let stopping = now_ns();
        let killed = self.stop(&mut server)?;
        let stopped = now_ns();
        if killed {
            return Err(io::Error::other(format!(
                "the server did not end within {} s when it was asked to (SIGTERM) and was killed; \
                 --grace gives it longer",
                self.served.server.grace_s
            )));
        }
        let mut used = self.base.supervisor.take_orphans();
        used.add(server.ended.map(|end| end.used).unwrap_or_default());
        self.most_rss = self.most_rss.max(used.most_rss);
        let span = |from: u64, to: u64| Duration::from_nanos(to.saturating_sub(from));
        Ok(SelfManagedRep {
            create: span(server.began_ns, ready_ns),
            steady: Duration::from_nanos(asked.steady_ns),
            tear_down: span(stopping, stopped),
            usage: used.counts(),
            units: asked.count,
            proof: Proof {
                count: 1,
                checksum: 0,
            },
            own: self.own(&used, &asked),
            latencies: asked.latencies,
        })
    }

    fn own(&self, used: &Used, asked: &Asked) -> SelfManagedUsage {
        let mut counts: Vec<(&str, u64)> = asked.counts.clone();
        counts.push(("own_listener", (self.listener == Listens::Own).into()));
        if let Some(seen) = self.seen {
            counts.extend([
                ("looks", seen.looks),
                ("processes", seen.processes),
                ("tasks", seen.tasks),
            ]);
        }
        SelfManagedUsage {
            user_ns: used.user_ns,
            system_ns: used.system_ns,
            made: 1,
            most: 1,
            held_at: None,
            disk_blocks: used.disk_blocks,
            peak_rss: used.most_rss,
            counts: counts
                .into_iter()
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            classes_ns: Default::default(),
        }
    }
}

/// Refuses an address at which a program answers before the server is there.
pub(crate) fn is_free(address: SocketAddr) -> io::Result<()> {
    match TcpStream::connect_timeout(&address, CONNECTS) {
        Err(_) => Ok(()),
        Ok(_) => Err(io::Error::other(format!(
            "{address} is in use: it answers before the server is started, so another server would \
             be measured; end that one, or use {{port}} for a free port"
        ))),
    }
}

/// A pipe that holds what a process is to read.
fn given(bytes: &[u8]) -> io::Result<OwnedFd> {
    let (read, write) = pipe2(OFlag::O_CLOEXEC)?;
    let mut write = std::fs::File::from(write);
    // The longest task is far below what a pipe holds, so that this does not wait.
    io::Write::write_all(&mut write, bytes)?;
    Ok(read)
}

/// What the built-in generator reported, if it is a data point.
fn asked(report: &Report, used: &Used) -> io::Result<Asked> {
    let all = report.answered + report.errors + report.timeouts + report.unsent;
    if report.answered == 0 || report.errors as f64 > MOST_ERRORS * all as f64 {
        let first = report
            .first_error
            .as_deref()
            .unwrap_or("none was answered in its time");
        return Err(io::Error::other(match all {
            0 => format!(
                "no request could be sent: {} connections were refused; the first error: {first}",
                report.refused
            ),
            all => format!(
                "{} of {all} requests failed, {} were not answered in time and {} could not be sent; \
                 the first error: {first}",
                report.errors, report.timeouts, report.unsent
            ),
        }));
    }
    let p99 = |latencies: &Latencies| latencies.quantile_ns(0.99).unwrap_or(0);
    Ok(Asked {
        steady_ns: report.ns,
        count: report.answered,
        counts: vec![
            ("answered", report.answered),
            ("errors", report.errors),
            ("timeouts", report.timeouts),
            ("unsent", report.unsent),
            ("refused", report.refused),
            ("bytes", report.bytes),
            ("service_p99_ns", p99(&report.service)),
            ("lateness_p99_ns", p99(&report.lateness)),
            ("queued_p99_ns", p99(&report.queued)),
            ("answering_ns", report.answering_ns),
            (
                "load_cpu_ns",
                report.cpu_ns.max(used.user_ns + used.system_ns),
            ),
            ("ns_per_request", report.ns / report.answered.max(1)),
        ],
        latencies: Some(report.latencies.clone()),
    })
}

/// What another generator said.
fn answers_of(said: Said, steady_ns: u64, used: &Used) -> io::Result<Asked> {
    if !(said.per_s > 0.0 && said.per_s.is_finite()) {
        return Err(io::Error::other("the load had no answers"));
    }
    let count = said.per_s * steady_ns as f64 / 1e9;
    if said.errors > MOST_ERRORS * count {
        return Err(io::Error::other(format!("{} requests failed", said.errors)));
    }
    let mut counts = vec![
        ("ns_per_request", (1e9 / said.per_s).round().max(1.0) as u64),
        ("errors", said.errors as u64),
        ("load_cpu_ns", used.user_ns + used.system_ns),
    ];
    let named = [("p50_ns", said.p50_ns), ("p99_ns", said.p99_ns)];
    counts.extend(
        named
            .into_iter()
            .filter_map(|(name, ns)| Some((name, ns? as u64))),
    );
    Ok(Asked {
        steady_ns,
        count: count as u64,
        latencies: None,
        counts,
    })
}

impl SelfManaged for ServerRunner<'_> {
    const KEEPS_DEADLINE: bool = true;

    fn prepare(&mut self) -> io::Result<()> {
        self.base.prepare()
    }

    fn repeat(&mut self, _timers: bool) -> io::Result<SelfManagedRep> {
        let rep = self.once()?;
        self.base.after()?;
        Ok(rep)
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        judge::differs()
    }

    /// The peak of what was seen beside the load that counts, or of a launch of its own.
    fn memory(&mut self) -> io::Result<Option<Reading>> {
        if !self.seen.is_some_and(|seen| seen.is_enough()) {
            self.base.prepare()?;
            self.pace = Pace::ALONE;
            let launched = self.repeat(false);
            self.pace = Pace::BESIDE;
            launched?;
        }
        Ok(Some(Seen::reading(self.seen, self.most_rss)))
    }
}
