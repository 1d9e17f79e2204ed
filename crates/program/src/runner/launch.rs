//! One launch of a program or of several copies: executed, awaited, judged, its usage.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant, SystemTime};

use flow::quota::Throttled;
use flow::record::Forgotten;
use flow::{Failure, KILLED, SelfManagedRep, SelfManagedUsage};

use super::{Runner, null};
use crate::judge;
use crate::peak_sampling::{Looks, Pace, Seen};
use crate::pipe::{MOST, Pipe, TAIL};
use crate::program::CheckOutput;
use crate::report::Reported;
use crate::supervisor::{Order, Running, Wait, flood};
use crate::sys::Executable;
use crate::usage::{CpuTime, Used, less};

pub(super) struct Launch {
    /// The longest time from `clone` to `execve`: in no phase.
    pub(super) launching_ns: u64,
    pub(super) create: Duration,
    pub(super) steady: Duration,
    pub(super) began_ns: [u64; 3],
    pub(super) used: Used,
    pub(super) forgotten: Option<Forgotten>,
    pub(super) output: Option<u64>,
    pub(super) left: Vec<String>,
    pub(super) seen: Option<Seen>,
    pub(super) code: i32,
    pub(super) report: Option<Timed>,
    pub(super) throttled: Option<Throttled>,
}

pub(super) struct Timed {
    create: Duration,
    tear_down: Duration,
    reps: Vec<Reported>,
}

impl Runner<'_> {
    fn stdin(&self) -> io::Result<OwnedFd> {
        match &self.program.stdin {
            None => null(),
            Some(file) => File::open(file).map(OwnedFd::from).map_err(|error| {
                io::Error::other(format!("standard input, {}: {error}", file.display()))
            }),
        }
    }

    fn read_from(&self) -> io::Result<Option<(u64, SystemTime)>> {
        let Some(file) = &self.program.stdin else {
            return Ok(None);
        };
        let about = file.metadata()?;
        Ok(Some((about.len(), about.modified()?)))
    }

    fn is_read_as_it_was(&mut self, launch: Option<(u64, SystemTime)>) -> io::Result<()> {
        let first = *self.stdin_was.get_or_insert(launch);
        let now = self.read_from()?;
        match (&self.program.stdin, first == launch && launch == now) {
            (Some(file), false) => Err(io::Error::other(Failure::InputChanged {
                what: format!(
                    "{} (--stdin) was changed while it was read: the launches of a slot must read the \
                     same; let nothing write to it",
                    file.display()
                ),
            })),
            _ => Ok(()),
        }
    }

    pub(super) fn launch(&mut self, pace: Option<Pace>) -> io::Result<Launch> {
        self.draw();
        let copies: Vec<(String, Executable)> = (0..self.copies())
            .map(|number| self.copy(number))
            .collect::<io::Result<_>>()?;
        let keep = match &self.program.check_output {
            Some(CheckOutput::Regex(_)) => MOST,
            _ if self.program.reports => MOST,
            _ => TAIL,
        };
        let orders: Vec<Order<'_>> = copies
            .iter()
            .map(|(_, executable)| {
                let read = self.program.is_read();
                Ok(Order {
                    executable,
                    stdin: self.stdin()?,
                    stdout: read.then(|| Pipe::new(keep, true)).transpose()?,
                    is_limited: true,
                })
            })
            .collect::<io::Result<_>>()?;
        let read = self.read_from()?;
        let mut looks = pace.map(|pace| Looks::new(pace, self.supervisor.own(), Vec::new()));
        let before = self.supervisor.cpu_by_cgroup();
        let held_before = self.supervisor.throttled();
        let mut running: Vec<Running> = Vec::with_capacity(orders.len());
        for order in orders {
            match self.supervisor.launch(order) {
                Ok(one) => running.push(one),
                Err(error) => {
                    self.stop(&mut running)?;
                    return Err(not_launched(&copies[running.len()].0, &error));
                }
            }
        }
        let until = self.until();
        let mut all: Vec<&mut Running> = running.iter_mut().collect();
        let waited = self.supervisor.wait(&mut all, until, looks.as_mut())?;
        if waited != Wait::Ended {
            return Err(self.cut(waited, &mut running)?);
        }
        let left = self.supervisor.clear(self.grace())?;
        self.is_read_as_it_was(read)?;
        let orphans = self.supervisor.take_orphans();
        let held = self.supervisor.throttled().zip(held_before);
        let throttled = held.map(|(now, before)| now.since(before));
        let by_cgroup = self.supervisor.cpu_by_cgroup();
        let by_cgroup = by_cgroup.zip(before);
        let by_cgroup = by_cgroup.map(|(after, before)| less(after, before));
        let lines: Vec<&str> = copies.iter().map(|(line, _)| line.as_str()).collect();
        let seen = looks.map(|looks| looks.seen);
        let launch = self.judged(&lines, &running, left, (orphans, seen, by_cgroup))?;
        Ok(Launch {
            throttled,
            ..launch
        })
    }

    fn until(&self) -> Instant {
        let own = self.program.timeout_s.map(Duration::from_secs_f64);
        let own = own.map(|timeout| Instant::now() + timeout);
        own.map_or(self.deadline, |own| own.min(self.deadline))
    }

    fn stop(&mut self, running: &mut [Running]) -> io::Result<bool> {
        let mut all: Vec<&mut Running> = running.iter_mut().collect();
        let killed = self.supervisor.stop(&mut all, self.grace())?;
        self.supervisor.take_orphans();
        Ok(killed)
    }

    fn cut(&mut self, waited: Wait, running: &mut [Running]) -> io::Result<io::Error> {
        if waited == Wait::Flood {
            // Not asked to end: it would fork on.
            let mut all: Vec<&mut Running> = running.iter_mut().collect();
            self.supervisor.kill(&mut all, &[])?;
            self.supervisor.take_orphans();
            return Ok(flood());
        }
        let killed = self.stop(running)?;
        let said = judge::said(running);
        let said = match killed {
            true => format!("{KILLED}{}", judge::after(&said)),
            false => said,
        };
        let own = self.program.timeout_s;
        let seconds = own.map_or(self.deadline_s, |own| own.min(self.deadline_s));
        Ok(io::Error::other(Failure::Overdue {
            deadline_s: flow::seconds_text(seconds),
            said: said.trim().to_owned(),
            at: String::new(),
        }))
    }

    fn judged(
        &mut self,
        lines: &[&str],
        running: &[Running],
        left: Vec<String>,
        (orphans, seen, by_cgroup): (Used, Option<Seen>, Option<CpuTime>),
    ) -> io::Result<Launch> {
        let mut used = orphans;
        for one in running {
            used.add(one.ended.map(|end| end.used).unwrap_or_default());
        }
        let forgotten = used.settle(by_cgroup);
        let report = judge::reported(self.program, running)?;
        let elsewhere = report.as_ref().and_then(|report| report.elsewhere);
        if let Some(elsewhere) = elsewhere {
            used.add_elsewhere(&elsewhere);
        }
        let seen = elsewhere.map_or(seen, |elsewhere| elsewhere.memory.map(Seen::said));
        let code = judge::all_well(self.program, lines, running)?;
        if self.program.reports && report.is_none() {
            return Err(judge::no_report(running));
        }
        if !left.is_empty() && !self.program.leaves_processes {
            return Err(judge::left_behind(&left));
        }
        let executed = || running.iter().map(|one| one.started_ns);
        let first = executed().min().unwrap_or(0);
        let last = executed().max().unwrap_or(0);
        let ended = running.iter().filter_map(|one| Some(one.ended?.at_ns));
        let ended = ended.max().unwrap_or(0);
        self.most_rss = self.most_rss.max(used.process.most_rss);
        let is_compared = self.program.same_output;
        Ok(Launch {
            launching_ns: running.iter().map(Running::launching_ns).max().unwrap_or(0),
            create: Duration::from_nanos(last.saturating_sub(first)),
            steady: Duration::from_nanos(ended.saturating_sub(last)),
            began_ns: [first, last, ended],
            used,
            forgotten,
            output: is_compared.then(|| judge::hash_of_all(running)),
            left,
            seen,
            code,
            report: report.map(|report| Timed {
                create: Duration::from_nanos(report.ready_ns.saturating_sub(first)),
                tear_down: Duration::from_nanos(ended.saturating_sub(report.done_ns)),
                reps: report.reps,
            }),
            throttled: None,
        })
    }

    pub(super) fn of_report(
        &self,
        launch: &Launch,
        timed: Timed,
    ) -> impl Iterator<Item = SelfManagedRep> + use<> {
        let own = self.own_usage(launch);
        let throttled = launch.throttled;
        let began_ns = launch.began_ns;
        let Timed {
            create,
            tear_down,
            reps,
        } = timed;
        reps.into_iter().map(move |rep| {
            let mut own = own.clone();
            own.counts.extend(rep.counts);
            SelfManagedRep {
                create,
                steady: Duration::from_nanos(rep.steady_ns),
                tear_down,
                usage: rep.usage,
                units: rep.units,
                proof: rep.proof,
                own,
                began_ns: Some(began_ns),
                throttled,
                ..SelfManagedRep::default()
            }
        })
    }

    pub(super) fn own_usage(&self, launch: &Launch) -> SelfManagedUsage {
        let Used { moved, .. } = launch.used;
        let seen = launch.seen.or(self.seen);
        let looks = seen.filter(|seen| !seen.is_said);
        let counts = [
            ("launch_of_true_ns", self.launch_ns),
            ("clone_to_execve_ns", Some(launch.launching_ns)),
            ("woken_at_once", Some(self.at_once.into())),
            ("by_cgroup", Some(self.supervisor.has_cgroup().into())),
            ("left_behind", Some(launch.left.len() as u64)),
            ("read_bytes", moved.map(|moved| moved.read)),
            ("written_bytes", moved.map(|moved| moved.written)),
            ("exit_code", u64::try_from(launch.code).ok()),
            ("environment_bytes", self.drawn.environment),
            ("build", self.drawn.build.map(|build| build as u64)),
            ("looks", looks.map(|seen| seen.looks)),
            ("longest_gap_ns", looks.map(|seen| seen.longest_gap_ns)),
            ("processes", seen.map(|seen| seen.processes)),
            ("tasks", seen.map(|seen| seen.tasks)),
        ];
        let counts = counts.into_iter();
        let counts = counts.filter_map(|(name, count)| Some((name, count?)));
        SelfManagedUsage {
            forgotten: launch.forgotten,
            ..launch.used.of_flows(self.copies(), counts)
        }
    }
}

fn not_launched(line: &str, error: &io::Error) -> io::Error {
    let hint = match error.raw_os_error() {
        Some(libc::EMFILE) => {
            "; each copy takes up to three open files: ulimit -n raises their number"
        }
        _ => "",
    };
    io::Error::other(format!("cannot launch '{line}': {error}{hint}"))
}
