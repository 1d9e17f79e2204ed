//! A slot of launches. A repetition is one launch: of the program, or of several copies at once. Its phases:
//!
//! * **create**: from the `execve` of the first copy to that of the last; nothing where there is one program.
//! * **steady**: from there until the last one has ended.
//! * **tear-down**: nothing is timed there. What a program leaves behind is ended after its time.
//!
//! The time from `clone` to `execve` is in no phase ([`sys`] says why), but recorded (`clone_to_execve_ns`). What is
//! launched beside it (`setup`, `prepare`, `conclude`, `cleanup`, `check`) is in no phase. In each slot `true` is
//! launched twice or more first, in the same way and by the same shell: what any launch costs here.

mod beside;
mod launch;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use flow::{Failure, Proof, SelfManaged, SelfManagedRep, SlotSpec};
use measure::memory::Reading;

use crate::command::{ready, words};
use crate::fill::Fill;
use crate::judge;
use crate::layout::Drawn;
use crate::peak_sampling::{Pace, Seen};
use crate::program::Program;
use crate::supervisor::Supervisor;
use crate::sys::{self, Executable};

#[derive(Debug)]
pub(crate) struct Runner<'a> {
    program: &'a Program,
    pub(crate) supervisor: Supervisor,
    pub(crate) fill: Fill,
    cpus: Vec<u32>,
    pub(crate) deadline: Instant,
    deadline_s: f64,
    launch_ns: Option<u64>,
    at_once: bool,
    beside: bool,
    /// Where the current command keeps temporary files, if not in the usual place.
    scratch: Option<String>,
    pub(crate) seen: Option<Seen>,
    took: Duration,
    pub(crate) most_rss: u64,
    reported: VecDeque<SelfManagedRep>,
    /// The input file before the first launch.
    stdin_was: Option<Option<(u64, SystemTime)>>,
    draws: u64,
    drawn: Drawn,
}

impl<'a> Runner<'a> {
    pub(crate) fn new<W>(
        program: &'a Program,
        spec: &SlotSpec<W>,
        dir: Option<&Path>,
    ) -> io::Result<Self> {
        let seconds = spec.deadline_s.clamp(0.0, 1e9);
        let mut fill = Fill::of(&spec.variant);
        fill.dir = dir.map(|dir| dir.display().to_string());
        fill.value = program.value;
        if program.asks_for("flowgauge") {
            fill.flowgauge = Some(std::env::current_exe()?.display().to_string());
        }
        if program.asks_for("port") {
            fill.port = Some(free_port()?);
        }
        if let Some(folder) = &program.folder {
            let entered = std::env::set_current_dir(folder);
            entered.map_err(|error| io::Error::other(format!("{}: {error}", folder.display())))?;
        }
        let mut runner = Self {
            program,
            supervisor: Supervisor::new(spec.variant.quota)?,
            fill,
            cpus: spec.cpus.clone(),
            deadline: Instant::now() + Duration::from_secs_f64(seconds),
            deadline_s: seconds,
            launch_ns: None,
            at_once: false,
            scratch: None,
            beside: spec.reps <= 1 || program.reports,
            seen: None,
            took: Duration::ZERO,
            most_rss: 0,
            reported: VecDeque::new(),
            stdin_was: None,
            draws: spec.seed,
            drawn: Drawn::default(),
        };
        runner.at_once = !program.knobs.batch && !program.is_read() && sys::wake_at_once().is_ok();
        runner.launch_ns = runner.launch_of_true(spec.reps)?;
        runner.build(dir)?;
        program.knobs.take_on()?;
        runner.aside("setup", program.setup.as_deref())?;
        Ok(runner)
    }

    pub(crate) fn end(mut self) -> io::Result<()> {
        self.aside("cleanup", self.program.cleanup.as_deref())?;
        self.supervisor.clear(self.grace()).map(drop)
    }

    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs_f64(self.program.grace_s)
    }

    pub(crate) fn is_seen(&self) -> bool {
        self.seen.is_some_and(|seen| seen.is_enough())
    }

    fn copies(&self) -> u32 {
        self.program.copies.number(&self.fill)
    }

    fn executable(&self, line: &str, fill: &Fill) -> io::Result<Executable> {
        let words = words(line, &self.program.shell).map_err(io::Error::other)?;
        let own = self.program.env.iter();
        let own = own.map(|(name, value)| (name.clone(), fill.apply(value)));
        let mut environment: BTreeMap<String, String> = own.collect();
        environment.extend(self.program.knobs.environment());
        let scratch = self.scratch.iter();
        environment.extend(self.drawn.variable());
        environment.extend(scratch.map(|folder| ("TMPDIR".to_owned(), folder.clone())));
        ready(&words, &environment)
    }

    pub(crate) fn filled(&self, line: &str) -> io::Result<(String, Executable)> {
        let line = self.fill.apply(line);
        let executable = self.executable(&line, &self.fill)?;
        Ok((line, executable))
    }

    pub(crate) fn draw(&mut self) {
        let layout = &self.program.layout;
        self.drawn = layout.draw(&mut self.draws);
        let build = self.drawn.build.and_then(|build| layout.builds.get(build));
        self.fill.build = build.cloned();
    }

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
        self.took = launch.create + launch.steady;
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
            usage: launch.used.counts(),
            units,
            proof: Proof {
                count: units,
                checksum: launch.output.unwrap_or(0),
            },
            own: self.own_usage(&launch),
            began_ns: Some(launch.began_ns),
            throttled: launch.throttled,
            ..SelfManagedRep::default()
        })
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        judge::differs()
    }

    fn memory(&mut self) -> io::Result<Option<Reading>> {
        if !self.beside || (self.took < SHORT && !self.is_seen()) {
            Runner::prepare(self)?;
            let launch = self.launch(Some(Pace::ALONE))?;
            self.aside("conclude", self.program.conclude.as_deref())?;
            self.seen = launch.seen;
        }
        Ok(Some(Seen::reading(self.seen, self.most_rss)))
    }
}

pub(crate) fn null() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}

pub(crate) fn free_port() -> io::Result<u16> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    Ok(listener.local_addr()?.port())
}

/// A launch that is shorter costs little to be launched again.
const SHORT: Duration = Duration::from_millis(250);

/// The folder of the run, from the root; fails if it was removed, or may not be read.
pub fn here() -> io::Result<PathBuf> {
    std::env::current_dir().map_err(|error| {
        let link = std::fs::read_link("/proc/self/cwd").unwrap_or_default();
        io::Error::other(format!(
            "the working directory cannot be used ({}): {error}; change to one that is there",
            link.display()
        ))
    })
}
