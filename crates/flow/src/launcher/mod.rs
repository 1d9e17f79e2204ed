//! The launcher: starts a process for each slot and brings back its answer, or why there is none.
//!
//! The main process sleeps in one `poll` over the slot process's standard output and error and the interrupt bell, up
//! to a deadline. Whatever ends the wait: kill the slot process's whole group, *then* reap the slot process (a zombie
//! keeps its pid), remove what it has on disk (else the [`crate::janitor`]).
//!
//! * The slot process's own deadline is some seconds earlier: it names hung flows and keeps what others did.
//! * The slot process's end ends the wait (what it left may hold its output open); where the kernel tells of no end,
//!   end of file on standard output does.
//! * An [`Onlooker`] gets a turn when it wants one; a sampler (`crate::sampler`) is a process.
//! * The parent-death signal is tied to the starting *thread*: use the main thread.
mod beside;
mod files;
mod filming;
mod growing;
mod onlooker;
mod profiling;
mod recorded;
mod sampling;
mod slot_output;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use measure::Measured;
use measure::clock::now_ns;
use nix::poll::{PollTimeout, poll};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getpid};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::allocator::PRELOAD;
use crate::janitor::{self, Janitor};
use crate::library;
use crate::polled::{readable, wait};
use crate::probe::PROBE_ARGUMENT;
use crate::recording;
use crate::slot_process::{SLOT_PROCESS_ARGUMENT, Task};
use crate::stranded;
use crate::tied;
use crate::{Emulator, Interrupt, Outcome, ProbeSpec, Probed, SlotSpec};
use files::Files;
use filming::Filming;
pub use onlooker::Onlooker;
use onlooker::Several;
use profiling::Profiler;
pub use recorded::{RecordedProgram, UserProgram};
use sampling::Sampler;
use slot_output::{Ended, SlotOutput, Stream};

/// Starts slot processes.
#[derive(Debug)]
pub struct Launcher {
    interrupt: Interrupt,
    folder: PathBuf,
    janitor: Option<Janitor>,
    allocator: Option<PathBuf>,
    swept: Option<PathBuf>,
    emulator: Option<Emulator>,
    lent: Option<File>,
    said: Vec<u8>,
}

/// Why a slot could not even fail by itself.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The run was asked to stop; the slot is dropped.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
    /// There is no place for the slot's files.
    #[error("{source}; name another folder, on a disk that can be written")]
    Files {
        /// Why not.
        source: io::Error,
    },
    /// The system refuses to start a slot process.
    #[error("cannot start a process for a slot: {source}{}", way_out(source))]
    Start {
        /// Why not.
        source: io::Error,
    },
}

/// `; raise the limit ...`: what to do about a limit of the system; else nothing.
#[must_use]
pub fn way_out(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE) => "; raise the limit on open files: ulimit -n 256",
        Some(libc::ENFILE) => "; the system has too many open files: close some programs",
        Some(libc::EAGAIN) => "; a limit on processes was reached: see `flowgauge machine`",
        Some(libc::ENOMEM) => "; memory ran out, or `ulimit -v` is too small",
        _ => "",
    }
}

/// After the slot process's own deadline.
const GRACE: Duration = Duration::from_secs(3);
/// Its asking, its waiting, and its look for the rest.
const STEPS_OF_GRACE: f64 = 2.0;
/// For a slot process to end what it launched, when interrupted.
const PARTING: Duration = Duration::from_secs(10);
const STDERR_KEPT: usize = 2_000;

impl Launcher {
    /// A launcher with named pipes in the system's temporary folder, swept of dead runs' and stopped processes. In a
    /// process started as a janitor it does not return ([`crate::janitor_main`]), whether or not `main` has asked.
    #[must_use]
    pub fn new(interrupt: Interrupt) -> Self {
        if crate::is_janitor() {
            crate::janitor_main();
        }
        let folder = std::env::temp_dir();
        stranded::end();
        tidy::slot_folder::sweep(&folder);
        crate::cgroup::sweep();
        Self {
            interrupt,
            folder,
            janitor: None,
            allocator: None,
            swept: None,
            emulator: None,
            lent: None,
            said: Vec::new(),
        }
    }

    /// The end of what the last slot wrote to standard error.
    #[must_use]
    pub fn said(&self) -> &[u8] {
        &self.said
    }

    /// The next slots have this file at the path that comes back, without a pid, which namespaces change.
    pub fn lend(&mut self, file: &File) -> io::Result<PathBuf> {
        let lent = self.lent.insert(file.try_clone()?);
        Ok(own_descriptor(lent))
    }

    /// The library of the allocator that the next slots name; none is the C library's own.
    pub fn load_allocator(&mut self, library: Option<PathBuf>) {
        self.allocator = library;
    }

    /// Slots whose accesses are recorded run in this emulator.
    pub fn emulate(&mut self, emulator: Emulator) {
        self.emulator = Some(emulator);
    }

    /// Runs one slot in a fresh process; any failure but an interrupt or a start is an [`Outcome`] with its reason.
    pub fn launch<W: Serialize>(&mut self, spec: &SlotSpec<W>) -> Result<Outcome, LaunchError> {
        self.launch_seen_by(None, spec, |_, _| None)
    }

    /// As [`launch`](Self::launch), maybe with somebody who looks at the slot while it runs. Of a slot that is recorded
    /// `count` gets the folder of its traces, which is removed then, and a question whether to stop.
    pub fn launch_seen_by<W: Serialize, T>(
        &mut self,
        onlooker: Option<&mut dyn Onlooker>,
        spec: &SlotSpec<W>,
        count: impl FnOnce(&Path, &dyn Fn() -> bool) -> Option<Measured<T>>,
    ) -> Result<Outcome<T>, LaunchError> {
        self.is_to_go_on()?;
        let files = self
            .files(spec)
            .map_err(|source| LaunchError::Files { source })?;
        let sample = files.sampled(spec);
        let mut sampler = sample.as_ref().map(Sampler::start);
        let mut filming = spec.film.then(Filming::new);
        let mut profiler = spec.profile.as_ref().map(Profiler::start);
        let onlooker = onlooker.map(|one| one as &mut dyn Onlooker);
        let mut onlookers: Vec<&mut dyn Onlooker> = onlooker.into_iter().collect();
        onlookers.extend(sampler.iter_mut().map(|one| one as &mut dyn Onlooker));
        onlookers.extend(filming.iter_mut().map(|one| one as &mut dyn Onlooker));
        onlookers.extend(profiler.iter_mut().map(|one| one as &mut dyn Onlooker));
        let began = now_ns();
        let heard = self.converse(spec, &files, &mut Several(onlookers));
        let launch_ns = now_ns() - began;
        let answer = heard.as_ref().ok().map(|heard| heard.answer(spec));
        let profile = profiler
            .zip(answer.as_ref())
            .map(|(profiler, answer)| profiler.profile(answer));
        let simulated = self.counted(spec, &files, heard.as_ref().ok(), count);
        files.remove(&mut self.janitor);
        let heard = self.whole(heard)?;
        let answer = answer.unwrap_or_else(|| heard.answer(spec));
        self.said = heard.err;
        let film = filming.map(|filming| Box::new(filming.film(&answer)));
        Ok(Outcome {
            answer,
            film,
            launch_ns,
            profile,
            samples: sampler.map(|sampler| sampler.samples),
            simulated,
        })
    }

    fn counted<W, T>(
        &self,
        spec: &SlotSpec<W>,
        files: &Files,
        heard: Option<&SlotOutput>,
        count: impl FnOnce(&Path, &dyn Fn() -> bool) -> Option<Measured<T>>,
    ) -> Option<Measured<T>> {
        let (recording, traces) = (spec.record.as_ref()?, files.traces.as_ref()?);
        heard.filter(|heard| heard.ended == Ended::Closed)?;
        let stopped = || self.interrupt.signal().is_some();
        if let Some(keep) = &recording.keep {
            let name = format!("{}-{}", spec.variant.model, spec.variant.flows);
            if let Err(error) = recording::keep_traces(traces.path(), keep, &name) {
                let reason = format!("the traces cannot be kept in {}: {error}", keep.display());
                return Some(Measured::not_available(reason, ""));
            }
        }
        count(traces.path(), &stopped)
    }

    fn program<W>(&self, spec: &SlotSpec<W>, files: &Files) -> io::Result<Command> {
        let (Some(recording), Some(traces)) = (&spec.record, &files.traces) else {
            return Ok(this_program());
        };
        let emulator = self.emulator.as_ref();
        let emulator = emulator.ok_or_else(|| io::Error::other("there is no emulator"))?;
        emulator.this_program(traces.path(), recording.window)
    }

    /// From now on a signal is noted and ends the running slot.
    pub fn begin(&self) {
        self.interrupt.begin();
    }

    /// From now on a signal ends this process at once.
    pub fn finish(&mut self) {
        janitor::end(&mut self.janitor);
        self.interrupt.end();
    }

    fn files<W>(&mut self, spec: &SlotSpec<W>) -> io::Result<Files> {
        let base = spec.scratch.as_ref();
        if let Some(base) = base.filter(|base| self.swept.as_ref() != Some(*base)) {
            tidy::slot_folder::sweep(base);
            self.swept = Some(base.clone());
        }
        let recorded = spec.record.is_some();
        Files::make(&self.folder, base, recorded, &mut self.janitor)
    }

    /// Runs a probe in a fresh process; one that fails is not available. Errors: as `launch`.
    pub fn probe<P: DeserializeOwned>(
        &mut self,
        spec: &ProbeSpec,
    ) -> Result<Probed<P>, LaunchError> {
        self.is_to_go_on()?;
        let heard = self.converse_about(spec);
        Ok(self.whole(heard)?.probed(spec))
    }

    fn is_to_go_on(&self) -> Result<(), LaunchError> {
        match self.interrupt.signal() {
            Some(signal) => Err(LaunchError::Interrupted(signal)),
            None => Ok(()),
        }
    }

    /// What was heard, unless the wait for it was interrupted.
    fn whole(&self, heard: io::Result<SlotOutput>) -> Result<SlotOutput, LaunchError> {
        let heard = heard.map_err(|source| LaunchError::Start { source })?;
        if heard.ended == Ended::Interrupted {
            self.is_to_go_on()?;
        }
        Ok(heard)
    }

    fn converse_about(&mut self, spec: &ProbeSpec) -> io::Result<SlotOutput> {
        janitor::begin(&mut self.janitor);
        let task = tied::Task::line(spec)?;
        let probe = stranded::spawn(&mut command(this_program(), PROBE_ARGUMENT, false))?;
        self.hear_out(probe, &task, spec.deadline_s, &mut Several(Vec::new()))
    }

    fn converse<W: Serialize>(
        &self,
        spec: &SlotSpec<W>,
        files: &Files,
        onlooker: &mut dyn Onlooker,
    ) -> io::Result<SlotOutput> {
        let task = serde_json::to_vec(&Task {
            spec,
            parent: getpid().as_raw(),
            fifo: files.fifo.clone(),
            scratch: files.scratch_path(),
            lent: self.lent.as_ref().map(AsRawFd::as_raw_fd),
        })?;
        let mut command = command(
            self.program(spec, files)?,
            SLOT_PROCESS_ARGUMENT,
            spec.narrate.is_some(),
        );
        if spec.variant.allocator.is_some() {
            match &self.allocator {
                Some(library) => command.env(PRELOAD, library),
                None => command.env_remove(PRELOAD),
            };
        }
        if let Some(lent) = &self.lent {
            inherit(&mut command, lent);
        }
        let (pages, allocator) = (spec.variant.heap_pages, spec.variant.allocator.as_ref());
        if let Some((name, value)) = pages.and_then(|pages| pages.environment(allocator)) {
            command.env(name, value);
        }
        recording::tell_allocator(&mut command, spec.record.as_ref());
        let patience_s = spec.deadline_s + spec.grace_s.max(0.0) * STEPS_OF_GRACE;
        self.hear_out(stranded::spawn(&mut command)?, &task, patience_s, onlooker)
    }

    fn hear_out(
        &self,
        mut process: Child,
        task: &[u8],
        deadline_s: f64,
        onlooker: &mut dyn Onlooker,
    ) -> io::Result<SlotOutput> {
        let group = Pid::from_raw(i32::try_from(process.id()).map_err(io::Error::other)?);
        onlooker.slot_began(group.as_raw());
        let heard = give_task(&mut process, task)
            .and_then(|()| self.listen(&mut process, deadline_s, onlooker));
        onlooker.slot_ends();
        let asked = heard
            .as_ref()
            .is_ok_and(|heard| heard.ended == Ended::Closed);
        if !asked {
            ask_to_end(&mut process, group)?;
        }
        let _gone_is_fine = killpg(group, Signal::SIGKILL);
        let status = process.wait()?;
        heard.map(|heard| SlotOutput { status, ..heard })
    }

    fn listen(
        &self,
        process: &mut Child,
        deadline_s: f64,
        onlooker: &mut dyn Onlooker,
    ) -> io::Result<SlotOutput> {
        let mut out = Stream::new(process.stdout.take().map(OwnedFd::from))?;
        let mut err = Stream::new(process.stderr.take().map(OwnedFd::from))?;
        let life = stranded::pidfd(i32::try_from(process.id()).map_err(io::Error::other)?);
        let patience = Duration::from_secs_f64(deadline_s.clamp(0.0, 1e9)) + GRACE;
        let deadline = Instant::now() + patience;
        let ended = loop {
            if out.file.is_none() {
                break Ended::Closed;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Ended::Deadline;
            }
            if self.sleep((&out, &err, life.as_ref()), left.min(until_look(onlooker)))? {
                break Ended::Interrupted;
            }
            let has_ended = life.as_ref().is_some_and(has_ended);
            out.read_some(usize::MAX)?;
            err.read_some(STDERR_KEPT)?;
            if has_ended {
                break Ended::Closed;
            }
        };
        err.read_some(STDERR_KEPT)?;
        Ok(SlotOutput {
            out: out.bytes,
            err: err.bytes,
            ended,
            status: ExitStatus::default(),
        })
    }

    /// True when the run must stop.
    fn sleep(
        &self,
        (out, err, life): (&Stream, &Stream, Option<&OwnedFd>),
        left: Duration,
    ) -> io::Result<bool> {
        let files = [out, err]
            .into_iter()
            .filter_map(|stream| stream.file.as_ref());
        let mut all = vec![readable(self.interrupt.descriptor())];
        all.extend(life.map(|life| readable(life.as_fd())));
        all.extend(files.map(|file| readable(file.as_fd())));
        wait(&mut all, left)?;
        Ok(self.interrupt.signal().is_some())
    }
}

/// Whether the process of this descriptor has; it need not be reaped.
fn has_ended(life: &OwnedFd) -> bool {
    let mut life = [readable(life.as_fd())];
    poll(&mut life, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Ends it with all that it made, also outside of its group.
fn ask_to_end(process: &mut Child, group: Pid) -> io::Result<()> {
    let _gone_is_fine = kill(group, Signal::SIGTERM);
    let _stopped_or_not = kill(group, Signal::SIGCONT);
    let until = Instant::now() + PARTING;
    while process.try_wait()?.is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn until_look(onlooker: &mut dyn Onlooker) -> Duration {
    let until = |at: Instant| at.saturating_duration_since(Instant::now());
    if onlooker.next_look().is_some_and(|at| until(at).is_zero()) {
        onlooker.look();
    }
    onlooker.next_look().map_or(Duration::MAX, until)
}

fn this_program() -> Command {
    let mut command = Command::new(library::any_slot_program());
    command.arg0("flowgauge");
    command
}

/// Tied to this process's life before exec: a process stopped at once could not ask for that.
fn command(mut command: Command, argument: &str, narrate: bool) -> Command {
    command
        .arg(argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(if narrate {
            Stdio::inherit()
        } else {
            Stdio::piped()
        })
        .process_group(0);
    tied::kill_with_this(&mut command);
    command
}

fn own_descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn inherit(command: &mut Command, file: &File) {
    let number = file.as_raw_fd();
    let inherited = move || {
        // SAFETY: `fcntl` takes two numbers; the child has the descriptor, open in its maker.
        match unsafe { libc::fcntl(number, libc::F_SETFD, 0) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // SAFETY: `fcntl` is async-signal-safe.
    unsafe { command.pre_exec(inherited) };
}

fn give_task(process: &mut Child, task: &[u8]) -> io::Result<()> {
    let stdin = process.stdin.take();
    match stdin.map_or(Ok(()), |mut stdin| stdin.write_all(task)) {
        // The exit status reports a slot process that died at birth.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
