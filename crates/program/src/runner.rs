//! A slot of launches.
//!
//! # Theory
//!
//! A repetition is one launch: of the program, or of several copies at once. Its phases:
//!
//! * **create**: from before the first process is made until the last program has been executed.
//! * **steady**: from there until the last one has ended.
//! * **tear-down**: nothing is timed there. What a program leaves behind is ended after its time.
//!
//! What is launched beside it (`setup`, `prepare`, `conclude`, `cleanup`, `check`) is in no phase. In each slot
//! `true` is launched [`LAUNCHES_OF_TRUE`] times first, in the same way and by the same shell: what
//! any launch costs here.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use flow::{Failure, KILLED, Proof, SelfManaged, SelfManagedRep, SelfManagedUsage, SlotSpec};
use measure::memory::Reading;

use crate::built::Built;
use crate::command::{Shell, by_shell, ready, resolve, words};
use crate::fill::Fill;
use crate::judge;
use crate::looks::{Looks, Pace, Seen};
use crate::pipe::{MOST, Pipe, TAIL};
use crate::program::{CheckOutput, Program};
use crate::report::Reported;
use crate::supervisor::{Order, Running, Supervisor, Wait, flood};
use crate::sys::{self, Executable};
use crate::usage::Used;

/// So often `true` is launched in a slot.
const LAUNCHES_OF_TRUE: usize = 5;

/// Fewer looks than this say nothing of a peak.
const LEAST_LOOKS: u64 = 3;

/// Launches of a program, in the process of its slot.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    program: &'a Program,
    pub(crate) supervisor: Supervisor,
    pub(crate) fill: Fill,
    cpus: Vec<u32>,
    pub(crate) deadline: Instant,
    deadline_s: f64,
    /// What a launch of `true` takes, in ns.
    launch_ns: Option<u64>,
    /// Whether the end of a command is noted at once, also on a busy machine.
    at_once: bool,
    /// Whether launches that count are looked at.
    beside: bool,
    /// What was seen.
    seen: Option<Seen>,
    /// Highest RSS of one process.
    most_rss: u64,
    /// Repetitions that a launch reported and that have not been asked for.
    reported: VecDeque<SelfManagedRep>,
    /// What the file that is read was before the first launch.
    stdin_was: Option<Option<(u64, SystemTime)>>,
}

/// What came of one launch.
struct Launch {
    create: Duration,
    steady: Duration,
    used: Used,
    output: Option<u64>,
    left: Vec<String>,
    seen: Option<Seen>,
    code: i32,
    report: Option<Timed>,
}

/// What a launch reported, between its own times.
struct Timed {
    create: Duration,
    tear_down: Duration,
    reps: Vec<Reported>,
}

impl<'a> Runner<'a> {
    /// Gets a slot ready: everything that is done once in it.
    ///
    /// # Errors
    /// What a variant asks for cannot be had, or `setup` fails.
    pub(crate) fn new<W>(
        program: &'a Program,
        spec: &SlotSpec<W>,
        dir: Option<&Path>,
    ) -> io::Result<Self> {
        let seconds = spec.deadline_s.clamp(0.0, 1e9);
        let mut fill = Fill::of(&spec.variant);
        fill.dir = dir.map(|dir| dir.display().to_string());
        if program.asks_for("port") {
            fill.port = Some(free_port()?);
        }
        if let Some(folder) = &program.folder {
            let entered = std::env::set_current_dir(folder);
            entered.map_err(|error| io::Error::other(format!("{}: {error}", folder.display())))?;
        }
        let mut runner = Self {
            program,
            supervisor: Supervisor::new()?,
            fill,
            cpus: spec.cpus.clone(),
            deadline: Instant::now() + Duration::from_secs_f64(seconds),
            deadline_s: seconds,
            launch_ns: None,
            at_once: false,
            beside: spec.reps <= 1 || program.reports,
            seen: None,
            most_rss: 0,
            reported: VecDeque::new(),
            stdin_was: None,
        };
        runner.at_once = !program.knobs.batch && !program.is_read() && sys::wake_at_once().is_ok();
        runner.launch_ns = runner.launch_of_true()?;
        runner.build(dir)?;
        program.knobs.take_on()?;
        runner.aside("setup", program.setup.as_deref())?;
        Ok(runner)
    }

    /// What is done once at the end of a slot.
    ///
    /// # Errors
    /// `cleanup` fails.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.aside("cleanup", self.program.cleanup.as_deref())?;
        self.supervisor.clear(self.grace(), &[]).map(drop)
    }

    /// The median time of a launch of a program that does nothing; `None` where there is none.
    fn launch_of_true(&mut self) -> io::Result<Option<u64>> {
        // What a command measures itself has no launch in it.
        if self.program.reports || resolve("true").is_err() {
            return Ok(None);
        }
        let shell = match by_shell(&self.program.command, &self.program.shell) {
            true if self.program.shell == Shell::Auto => &Shell::Always,
            _ => &self.program.shell,
        };
        let line = words("true", shell).map_err(io::Error::other)?;
        let truth = ready(&line, &self.program.env)?;
        let mut times = Vec::with_capacity(LAUNCHES_OF_TRUE);
        for _ in 0..LAUNCHES_OF_TRUE {
            let order = Order {
                executable: &truth,
                stdin: null()?,
                stdout: None,
            };
            let mut running = self.supervisor.launch(order)?;
            self.supervisor
                .wait(&mut [&mut running], self.deadline, None)?;
            times.extend(running.ended.map(|end| end.at_ns - running.began_ns));
        }
        times.sort_unstable();
        Ok(times.get(times.len() / 2).copied())
    }

    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs_f64(self.program.grace_s)
    }

    /// Makes what launches need, where an earlier slot of the run has not.
    fn build(&mut self, dir: Option<&Path>) -> io::Result<()> {
        let Some(built) = Built::of(self.program, dir) else {
            return Ok(());
        };
        self.fill.built = Some(built.folder().display().to_string());
        if built.is_there() {
            return Ok(());
        }
        built.write(self.program)?;
        self.aside("build", self.program.build.as_deref())?;
        built.is_complete()
    }

    /// How many copies a launch has.
    fn copies(&self) -> u32 {
        self.program.copies.number(&self.fill)
    }

    /// Runs a command beside the program, in no phase. One that fails fails the slot.
    fn aside(&mut self, what: &str, line: Option<&str>) -> io::Result<()> {
        let Some(line) = line else {
            return Ok(());
        };
        let (line, executable) = self.filled(line)?;
        let order = Order {
            executable: &executable,
            stdin: null()?,
            stdout: Some(Pipe::new(TAIL, false)?),
        };
        let mut running = self.supervisor.launch(order)?;
        let waited = self
            .supervisor
            .wait(&mut [&mut running], self.deadline, None)?;
        let late = waited != Wait::Ended;
        if waited == Wait::Flood {
            self.supervisor.kill(&mut [&mut running], &[])?;
        } else if late {
            self.supervisor
                .stop(&mut [&mut running], self.grace(), &[])?;
        }
        // A command of the user's own may leave what a later one ends.
        self.supervisor.take_orphans();
        match judge::status(&running) {
            _ if waited == Wait::Flood => Err(failed(what, &line, &flood().to_string(), &running)),
            _ if late => Err(io::Error::other(format!(
                "{what} ({line}) did not end in time"
            ))),
            Ok(0) => Ok(()),
            Ok(code) => Err(failed(what, &line, &format!("exit code {code}"), &running)),
            Err(signal) => Err(failed(what, &line, &signal, &running)),
        }
    }

    /// A line whose placeholders are filled in, with the environment of such a launch.
    fn executable(&self, line: &str, fill: &Fill) -> io::Result<Executable> {
        let words = words(line, &self.program.shell).map_err(io::Error::other)?;
        let own = self.program.env.iter();
        let own = own.map(|(name, value)| (name.clone(), fill.apply(value)));
        let mut environment: BTreeMap<String, String> = own.collect();
        environment.extend(self.program.knobs.environment());
        ready(&words, &environment)
    }

    /// A line that is not that of a copy, ready to be executed.
    pub(crate) fn filled(&self, line: &str) -> io::Result<(String, Executable)> {
        let line = self.fill.apply(line);
        let executable = self.executable(&line, &self.fill)?;
        Ok((line, executable))
    }

    /// A port for the slot, where nothing of the program itself asks for one.
    pub(crate) fn need_port(&mut self) -> io::Result<()> {
        if self.fill.port.is_none() {
            self.fill.port = Some(free_port()?);
        }
        Ok(())
    }

    /// This program, as a load generator.
    pub(crate) fn generator(&self) -> io::Result<Executable> {
        let words = [
            "/proc/self/exe".to_owned(),
            crate::load::ARGUMENT.to_owned(),
        ];
        ready(&words, &Default::default())
    }

    /// Runs what comes before a launch.
    pub(crate) fn prepare(&mut self) -> io::Result<()> {
        self.aside("prepare", self.program.prepare.as_deref())
    }

    /// Runs what comes after a launch.
    pub(crate) fn after(&mut self) -> io::Result<()> {
        self.aside("check", self.program.check.as_deref())?;
        self.aside("conclude", self.program.conclude.as_deref())
    }

    /// The command of a copy, ready to be executed.
    pub(crate) fn copy(&self, number: u32) -> io::Result<(String, Executable)> {
        let cpu = match self.cpus.as_slice() {
            [] => number,
            cpus => cpus[number as usize % cpus.len()],
        };
        let fill = Fill {
            copy: number,
            cpu,
            ..self.fill.clone()
        };
        let line = fill.apply(&self.program.command);
        let executable = self.executable(&line, &fill)?;
        Ok((line, executable))
    }

    fn stdin(&self) -> io::Result<OwnedFd> {
        match &self.program.stdin {
            None => null(),
            Some(file) => File::open(file).map(OwnedFd::from).map_err(|error| {
                io::Error::other(format!("standard input, {}: {error}", file.display()))
            }),
        }
    }

    /// What the file is that commands read: size and time of its last change.
    fn read_from(&self) -> io::Result<Option<(u64, SystemTime)>> {
        let Some(file) = &self.program.stdin else {
            return Ok(None);
        };
        let about = file.metadata()?;
        Ok(Some((about.len(), about.modified()?)))
    }

    /// Fails where the file that commands read is not what it was before.
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

    fn launch(&mut self, pace: Option<Pace>) -> io::Result<Launch> {
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
                    stdout: if read {
                        Some(Pipe::new(keep, true)?)
                    } else {
                        None
                    },
                })
            })
            .collect::<io::Result<_>>()?;
        let read = self.read_from()?;
        let mut looks = pace.map(|pace| Looks::new(pace, self.supervisor.own(), Vec::new()));
        let before = self.supervisor.cpu_by_cgroup();
        let mut running: Vec<Running> = Vec::with_capacity(orders.len());
        for order in orders {
            match self.supervisor.launch(order) {
                Ok(one) => running.push(one),
                Err(error) => {
                    self.stop(&mut running)?;
                    let line = &copies[running.len()].0;
                    return Err(io::Error::other(format!("cannot launch '{line}': {error}")));
                }
            }
        }
        let until = self.until();
        let mut all: Vec<&mut Running> = running.iter_mut().collect();
        let waited = self.supervisor.wait(&mut all, until, looks.as_mut())?;
        if waited != Wait::Ended {
            return Err(self.cut(waited, &mut running)?);
        }
        let left = self.supervisor.clear(self.grace(), &[])?;
        self.is_read_as_it_was(read)?;
        let orphans = self.supervisor.take_orphans();
        let by_cgroup = self.supervisor.cpu_by_cgroup();
        let by_cgroup = by_cgroup.zip(before).map(|(after, before)| after - before);
        let lines: Vec<&str> = copies.iter().map(|(line, _)| line.as_str()).collect();
        self.judged(
            &lines,
            &running,
            left,
            (orphans, looks.map(|looks| looks.seen), by_cgroup),
        )
    }

    /// When a launch that begins now is too late.
    fn until(&self) -> Instant {
        let own = self.program.timeout_s.map(Duration::from_secs_f64);
        let own = own.map(|timeout| Instant::now() + timeout);
        own.map_or(self.deadline, |own| own.min(self.deadline))
    }

    fn stop(&mut self, running: &mut [Running]) -> io::Result<bool> {
        let mut all: Vec<&mut Running> = running.iter_mut().collect();
        let killed = self.supervisor.stop(&mut all, self.grace(), &[])?;
        self.supervisor.take_orphans();
        Ok(killed)
    }

    /// Ends a launch before its time, and says why.
    fn cut(&mut self, waited: Wait, running: &mut [Running]) -> io::Result<io::Error> {
        if waited == Wait::Flood {
            // Nobody is asked: it would fork on.
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
        let seconds = self
            .program
            .timeout_s
            .map_or(self.deadline_s, |own| own.min(self.deadline_s));
        Ok(io::Error::other(Failure::Overdue {
            deadline_s: format!("{seconds}"),
            said: said.trim().to_owned(),
        }))
    }

    /// What came of a launch, if it was a good one.
    fn judged(
        &mut self,
        lines: &[&str],
        running: &[Running],
        left: Vec<String>,
        (orphans, seen, by_cgroup): (Used, Option<Seen>, Option<i64>),
    ) -> io::Result<Launch> {
        let mut used = orphans;
        for one in running {
            used.add(one.ended.map(|end| end.used).unwrap_or_default());
        }
        if let Some(all) = by_cgroup.and_then(|ns| u64::try_from(ns).ok()) {
            used.take_forgotten(all);
        }
        let report = judge::reported(self.program, running)?;
        let code = judge::all_well(self.program, lines, running)?;
        if self.program.reports && report.is_none() {
            return Err(judge::no_report(running));
        }
        if !left.is_empty() && !self.program.leaves_processes {
            return Err(judge::left_behind(&left));
        }
        let first = running.iter().map(|one| one.began_ns).min().unwrap_or(0);
        let started = running.iter().map(|one| one.started_ns).max().unwrap_or(0);
        let ended = running
            .iter()
            .filter_map(|one| Some(one.ended?.at_ns))
            .max()
            .unwrap_or(0);
        self.most_rss = self.most_rss.max(used.most_rss);
        Ok(Launch {
            create: Duration::from_nanos(started.saturating_sub(first)),
            steady: Duration::from_nanos(ended.saturating_sub(started)),
            used,
            output: self
                .program
                .same_output
                .then(|| judge::hash_of_all(running)),
            left,
            seen,
            code,
            report: report.map(|report| Timed {
                create: Duration::from_nanos(report.ready_ns.saturating_sub(first)),
                tear_down: Duration::from_nanos(ended.saturating_sub(report.done_ns)),
                reps: report.reps,
            }),
        })
    }

    /// What a repetition tells beside its times.
    fn own_usage(&self, launch: &Launch) -> SelfManagedUsage {
        let Used { moved, .. } = launch.used;
        let seen = launch.seen.or(self.seen);
        let counts = [
            ("launch_of_true_ns", self.launch_ns),
            ("woken_at_once", Some(self.at_once.into())),
            ("by_cgroup", Some(self.supervisor.has_cgroup().into())),
            ("left_behind", Some(launch.left.len() as u64)),
            ("read_bytes", moved.map(|moved| moved.read)),
            ("written_bytes", moved.map(|moved| moved.written)),
            ("exit_code", u64::try_from(launch.code).ok()),
            ("looks", seen.map(|seen| seen.looks)),
            ("longest_gap_ns", seen.map(|seen| seen.longest_gap_ns)),
            ("processes", seen.map(|seen| seen.processes)),
            ("tasks", seen.map(|seen| seen.tasks)),
        ];
        let counts = counts
            .into_iter()
            .filter_map(|(name, count)| Some((name.to_owned(), count?)));
        SelfManagedUsage {
            user_ns: launch.used.user_ns,
            system_ns: launch.used.system_ns,
            made: self.copies().into(),
            most: self.copies().into(),
            held_at: None,
            disk_blocks: launch.used.disk_blocks,
            peak_rss: launch.used.most_rss,
            counts: counts.collect(),
            classes_ns: Default::default(),
        }
    }
}

impl Runner<'_> {
    /// The repetitions that a launch reported.
    fn of_report(
        &self,
        launch: &Launch,
        timed: Timed,
    ) -> impl Iterator<Item = SelfManagedRep> + use<> {
        let own = self.own_usage(launch);
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
                latencies: None,
            }
        })
    }
}

impl SelfManaged for Runner<'_> {
    const KEEPS_DEADLINE: bool = true;

    fn prepare(&mut self) -> io::Result<()> {
        Runner::prepare(self)
    }

    fn repeat(&mut self, _timers: bool) -> io::Result<SelfManagedRep> {
        if let Some(rep) = self.reported.pop_front() {
            return Ok(rep);
        }
        let mut launch = self.launch(self.beside.then_some(Pace::BESIDE))?;
        self.seen = launch.seen.or(self.seen);
        self.after()?;
        if let Some(timed) = launch.report.take() {
            self.reported = self.of_report(&launch, timed).collect();
            return self.reported.pop_front().ok_or_else(|| {
                io::Error::other("it reported no repetition: a report has at least one")
            });
        }
        let units = self.program.units.unwrap_or(1);
        Ok(SelfManagedRep {
            create: launch.create,
            steady: launch.steady,
            tear_down: Duration::ZERO,
            usage: launch.used.counts(),
            units,
            proof: Proof {
                count: units,
                checksum: launch.output.unwrap_or(0),
            },
            own: self.own_usage(&launch),
            latencies: None,
        })
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        judge::differs()
    }

    /// The peak of a launch of its own, or of what was seen beside those that count.
    fn memory(&mut self) -> io::Result<Option<Reading>> {
        if !self.beside {
            Runner::prepare(self)?;
            let launch = self.launch(Some(Pace::ALONE))?;
            self.aside("conclude", self.program.conclude.as_deref())?;
            self.seen = launch.seen;
        }
        let seen = self.seen.filter(|seen| seen.looks >= LEAST_LOOKS);
        let peak = seen.and_then(|seen| seen.peak);
        Ok(Some(match peak {
            Some(peak) => Reading::Honest(peak),
            None => Reading::RssOnly {
                rss: self.most_rss,
                reason: "it ended before it had been looked at three times; this is the most that one of its \
                         processes had, and no less than what its launcher had"
                    .to_owned(),
                remedy: "give it more work".to_owned(),
            },
        }))
    }
}

fn failed(what: &str, line: &str, how: &str, running: &Running) -> io::Error {
    let said = judge::said(std::slice::from_ref(running));
    io::Error::other(format!(
        "{what} ({line}) failed: {how}{}",
        judge::after(&said)
    ))
}

pub(crate) fn null() -> io::Result<OwnedFd> {
    Ok(File::open("/dev/null")?.into())
}

/// A port of the loopback that nobody uses now.
pub(crate) fn free_port() -> io::Result<u16> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    Ok(listener.local_addr()?.port())
}

/// The folder of the run, from the root.
///
/// # Errors
/// It was removed, or may not be read.
pub fn here() -> io::Result<PathBuf> {
    std::env::current_dir().map_err(|error| {
        let link = std::fs::read_link("/proc/self/cwd").unwrap_or_default();
        io::Error::other(format!(
            "the working directory cannot be used ({}): {error}; change to one that is there",
            link.display()
        ))
    })
}
