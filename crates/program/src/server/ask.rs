//! Asking a server, by the built-in generator or by a command.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use flow::Latencies;
use measure::clock::now_ns;
use nix::fcntl::OFlag;
use nix::unistd::pipe2;

use super::{Asked, ServerRunner};
use crate::http::Http;
use crate::judge;
use crate::load::{self, Report, Said, Task, tools};
use crate::peak_sampling::Looks;
use crate::pipe::{MOST, Pipe};
use crate::runner::null;
use crate::served::Load;
use crate::supervisor::{Order, Running, Wait, flood};
use crate::sys::Executable;
use crate::usage::Used;

/// Share of requests; a slot with more is no data point.
const MOST_ERRORS: f64 = 0.01;
/// CPU share at which a generator of one thread is at its limit.
const MOST_CPU: f64 = 0.8;
const SPARE_S: f64 = 5.0;

impl ServerRunner<'_> {
    pub(super) fn targets(&self, http: &Http) -> io::Result<Vec<load::Target>> {
        let urls = http.urls.iter();
        let all = urls.map(|url| load::target(&self.base.fill.apply(url)));
        all.collect::<Result<_, _>>().map_err(io::Error::other)
    }

    pub(super) fn ask(&mut self, server: &mut Running) -> io::Result<Asked> {
        match &self.served.load {
            Load::Http(http) => self.ask_by_http(server, http),
            Load::Command(line) => self.ask_by_command(server, line),
        }
    }

    fn ask_by_http(&mut self, server: &mut Running, http: &Http) -> io::Result<Asked> {
        let task = Task {
            targets: self.targets(http)?,
            how: http.clone(),
        };
        let most_s = http.warm_s + http.seconds + http.timeout_s + SPARE_S;
        let executable = self.base.generator()?;
        let mut line = serde_json::to_vec(&task)?;
        line.push(b'\n');
        let (output, used) = self.beside(server, &executable, Some(&line), most_s)?;
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

    fn beside(
        &mut self,
        server: &mut Running,
        executable: &Executable,
        input: Option<&[u8]>,
        most_s: f64,
    ) -> io::Result<(Vec<u8>, Used)> {
        let given = input.map(given).transpose()?;
        let (stdin, mut held) = match given {
            Some((read, write)) => (read, Some(write)),
            None => (null()?, None),
        };
        let order = Order {
            executable,
            stdin,
            stdout: Some(Pipe::new(MOST, false)?),
            is_limited: false,
        };
        let mut load = self.base.supervisor.launch(order)?;
        let most = Duration::from_secs_f64(most_s.clamp(0.0, 1e6));
        let until = (Instant::now() + most).min(self.base.deadline);
        let mut looks = Looks::new(self.pace, self.base.supervisor.own(), vec![load.pid]);
        let waited = self.wait_for_load(server, &mut load, until, (&mut looks, &mut held))?;
        self.base.seen = Some(looks.seen);
        if waited == Wait::Flood {
            self.base.supervisor.kill(&mut [&mut load, server], &[])?;
            return Err(flood());
        }
        if waited != Wait::Ended {
            self.base.supervisor.kill(&mut [&mut load], &[server.pid])?;
            return Err(io::Error::other("the load did not end in time"));
        }
        if server.ended.is_some() {
            return Err(io::Error::other(format!(
                "the server ended while it was asked: {}",
                judge::how(server)
            )));
        }
        if judge::status(&load) != Ok(0) {
            let how = judge::how(&load);
            return Err(io::Error::other(format!("the load failed: {how}")));
        }
        let used = load.ended.map(|end| end.used).unwrap_or_default();
        Ok((load.out.map(|out| out.kept).unwrap_or_default(), used))
    }

    fn wait_for_load(
        &mut self,
        server: &mut Running,
        load: &mut Running,
        until: Instant,
        (looks, held): (&mut Looks, &mut Option<File>),
    ) -> io::Result<Wait> {
        loop {
            let step = until.min(Instant::now() + Duration::from_millis(20));
            let waited = self.base.supervisor.wait(&mut [load], step, Some(looks))?;
            self.base
                .supervisor
                .wait(&mut [server], Instant::now(), None)?;
            server.drain()?;
            if held.is_some() && has_said(load) {
                // Nothing is measured any more, and all connections are open.
                looks.at_the_end();
                *held = None;
            }
            if waited != Wait::Late || Instant::now() >= until || server.ended.is_some() {
                return Ok(match server.ended {
                    Some(_) if load.ended.is_none() => {
                        // Nobody answers any more: do not wait for the load.
                        self.base.supervisor.kill(&mut [load], &[])?;
                        Wait::Ended
                    }
                    _ => waited,
                });
            }
        }
    }
}

fn has_said(load: &Running) -> bool {
    let out = load.out.as_ref();
    out.is_some_and(|out| out.kept.ends_with(b"\n"))
}

/// A generator's task, and what keeps its connections open.
fn given(bytes: &[u8]) -> io::Result<(OwnedFd, File)> {
    let (read, write) = pipe2(OFlag::O_CLOEXEC)?;
    let mut write = File::from(write);
    // The longest task is far below a pipe's capacity: this does not block.
    write.write_all(bytes)?;
    Ok((read, write))
}

/// The built-in generator's report, if it is a data point.
fn asked(report: &Report, used: &Used) -> io::Result<Asked> {
    let all = report.answered + report.errors + report.timeouts + report.unsent;
    if report.answered == 0 || report.errors as f64 > MOST_ERRORS * all as f64 {
        let first = report.first_wrong();
        let limit = limit(report);
        return Err(io::Error::other(match all {
            0 if report.refused == 0 => format!(
                "no request was answered: what was sent to warm up was still waiting at the end{limit}"
            ),
            0 => format!(
                "no request could be sent: {} connections were refused; the first error: {first}{limit}",
                report.refused
            ),
            all => format!(
                "{} of {all} requests failed, {} were not answered in time and {} could not be sent; \
                 the first error: {first}{limit}",
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
            ("turns", report.turns),
            ("load_ns", report.load_ns),
            ("load_cpu_ns", report.cpu_ns.max(used.cpu_ns())),
            ("ns_per_request", report.ns / report.answered.max(1)),
        ],
        latencies: Some(report.latencies.clone()),
        load_cpu: used.cpu_time(),
    })
}

fn limit(report: &Report) -> String {
    let share = report.cpu_ns as f64 / report.load_ns.max(1) as f64;
    match share >= MOST_CPU {
        true => format!(
            "; the load generator used {:.0} % of one CPU, so it may be what failed and not the server",
            100.0 * share
        ),
        false => String::new(),
    }
}

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
        ("load_cpu_ns", used.cpu_ns()),
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
        load_cpu: used.cpu_time(),
    })
}
