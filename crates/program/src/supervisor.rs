//! Launches commands, waits for them, and leaves nothing of them.
//!
//! # Theory
//!
//! One thread sleeps in one `poll` over a descriptor for each command, the pipes that commands
//! write to, and a descriptor for `SIGTERM`. Between launch and end of a command whose time counts
//! it wakes up for output, and each [`GLANCE`] to see whether the machine is being filled with
//! processes; for nothing else. What ends the wait is one of: all commands have ended, the time is
//! over, `SIGTERM` (the run is interrupted, or the main process is gone), or the fence on the
//! number of tasks. Whatever it was, [`Supervisor::clear`] leaves no descendant.
//!
//! A tree that forks on and on is killed by its control group, from which no fork escapes. Without
//! one it is stopped process by process ([`tree::kill_descendants`]). In both cases this process
//! takes a real-time priority first where it may, since thousands of others wait for a turn.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process;
use std::time::{Duration, Instant};

use flow::cgroup::Cgroup;
use measure::clock::{now_ns, process_cpu_ns};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

use crate::looks::Looks;
use crate::pipe::Pipe;
use crate::sys::{self, Executable, Streams};
use crate::tree;
use crate::usage::{Used, moved};

/// How often the number of threads is looked at while nothing else happens.
const GLANCE: Duration = Duration::from_millis(100);
/// More threads than this at one time in what was launched are a flood of processes.
const MOST_THREADS: usize = 5_000;
/// Time that children of a command have to end by themselves once it has ended.
const STRAGGLE: Duration = Duration::from_millis(200);
/// Time that killed processes have to be gone; thousands of them take some.
const DYING: Duration = Duration::from_secs(15);

/// A command with its streams.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    pub(crate) executable: &'a Executable,
    pub(crate) stdin: OwnedFd,
    /// `None`: `/dev/null`.
    pub(crate) stdout: Option<(Pipe, OwnedFd)>,
}

/// A command that was launched.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) pid: i32,
    pub(crate) began_ns: u64,
    pub(crate) started_ns: u64,
    pidfd: OwnedFd,
    pub(crate) ended: Option<End>,
    pub(crate) out: Option<Pipe>,
    pub(crate) err: Pipe,
}

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) at_ns: u64,
    pub(crate) status: i32,
    pub(crate) used: Used,
}

/// Why a wait was over before its commands were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// All commands have ended.
    Ended,
    /// The time is over.
    Late,
    /// More threads than the machine should hold.
    Flood,
}

/// The one who launches.
#[derive(Debug)]
pub(crate) struct Supervisor {
    signals: SignalFd,
    null: OwnedFd,
    own: i32,
    /// What came of orphans.
    orphans: Used,
    /// Threads of the machine when this began.
    threads: usize,
    /// When their number is looked at next.
    glance: Instant,
    /// Whether there were too many.
    flooded: bool,
    /// What holds all that is launched, where there may be one.
    cgroup: Option<Cgroup>,
}

impl Supervisor {
    /// Makes this process the one to whom all orphans come, and who hears of `SIGTERM` by a
    /// descriptor.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn new() -> io::Result<Self> {
        set_child_subreaper(true)?;
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGTERM);
        mask.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let null = std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/null")?;
        Ok(Self {
            signals: SignalFd::with_flags(&mask, flags)?,
            null: null.into(),
            own: i32::try_from(process::id()).map_err(io::Error::other)?,
            orphans: Used::default(),
            threads: threads_of_machine(),
            glance: Instant::now() + GLANCE,
            flooded: false,
            cgroup: Cgroup::enter().ok(),
        })
    }

    /// Launches a command.
    ///
    /// # Errors
    /// It cannot be executed, or there are too many processes or open files.
    pub(crate) fn launch(&self, order: Order<'_>) -> io::Result<Running> {
        let (err, stderr) = Pipe::new(crate::pipe::TAIL, false)?;
        let (out, stdout) = match order.stdout {
            Some((pipe, write)) => (Some(pipe), Some(write)),
            None => (None, None),
        };
        let streams = Streams {
            stdin: &order.stdin,
            stdout: stdout.as_ref().unwrap_or(&self.null),
            stderr: &stderr,
        };
        let launched = sys::launch(order.executable, streams)?;
        Ok(Running {
            pid: launched.pid,
            began_ns: launched.began_ns,
            started_ns: launched.started_ns,
            pidfd: launched.descriptor()?,
            ended: None,
            out,
            err,
        })
    }

    /// Waits until all of these commands have ended, or `until`.
    ///
    /// # Errors
    /// The kernel refuses to wait. `SIGTERM` ends the process, and all that it has made.
    pub(crate) fn wait(
        &mut self,
        running: &mut [&mut Running],
        until: Instant,
        mut looks: Option<&mut Looks>,
    ) -> io::Result<Wait> {
        loop {
            if running.iter().all(|one| one.ended.is_some()) {
                return Ok(Wait::Ended);
            }
            let left = until.saturating_duration_since(Instant::now());
            let look = looks.as_deref().map_or(GLANCE, Looks::until);
            self.sleep(running, left.min(GLANCE).min(look))?;
            if let Some(looks) = looks.as_deref_mut() {
                looks.look();
            }
            if self.is_flooded() {
                return Ok(Wait::Flood);
            }
            // Also without any time left, it has looked once.
            if left.is_zero() && running.iter().any(|one| one.ended.is_none()) {
                return Ok(Wait::Late);
            }
        }
    }

    /// Whether too much was made; looked at each [`GLANCE`], whatever else happens. How many threads the
    /// machine has costs one read; only where they are many is it asked whose they are.
    fn is_flooded(&mut self) -> bool {
        if Instant::now() < self.glance {
            return false;
        }
        self.glance = Instant::now() + GLANCE;
        let all = threads_of_machine();
        let flooded = match &self.cgroup {
            Some(group) => all > MOST_THREADS && group.threads() > MOST_THREADS,
            None => {
                all > self.threads + MOST_THREADS && tree::has_more_threads(self.own, MOST_THREADS)
            }
        };
        if flooded {
            self.flooded = true;
            // What is killed is no data point, so that its circumstances need not stay as they were.
            let _as_usual_then = sys::wake_at_once();
        }
        flooded
    }

    /// Sleeps until something happens, and takes note of it.
    fn sleep(&mut self, running: &mut [&mut Running], most: Duration) -> io::Result<()> {
        let mut descriptors = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        for one in running.iter() {
            let end = one.ended.is_none().then(|| one.pidfd.as_fd());
            let out = one.out.as_ref().and_then(Pipe::descriptor);
            let all = [end, out, one.err.descriptor()].into_iter().flatten();
            descriptors.extend(all.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        }
        let timeout = milliseconds(most);
        match poll(&mut descriptors, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let now = now_ns();
        drop(descriptors);
        if self.signals.read_signal()?.is_some() {
            self.die();
        }
        for one in running.iter_mut() {
            one.notice(now)?;
        }
        Ok(())
    }

    /// Ends everything, and this process by the signal that asked for it.
    fn die(&self) -> ! {
        self.send_kill(&[]);
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGTERM);
        let _unblocked = mask.thread_unblock();
        let _its_handler_ends_this_process = raise(Signal::SIGTERM);
        process::exit(1)
    }

    /// Waits a moment for the rest of the tree to end; what is left then is ended, with `grace`
    /// between asking and killing. Says who was left.
    ///
    /// # Errors
    /// The kernel refuses to wait, something cannot be killed, or it forked on and on.
    pub(crate) fn clear(&mut self, grace: Duration, spared: &[i32]) -> io::Result<Vec<String>> {
        self.flooded = false;
        if self.gone(STRAGGLE, spared)? {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        if !self.flooded {
            let left = self.others(spared);
            names.extend(left.iter().map(|&pid| tree::name(pid)));
            tree::signal(&left, Signal::SIGTERM);
            tree::signal(&left, Signal::SIGCONT);
        }
        if self.flooded || !self.gone(grace, spared)? {
            self.kill_orphans(spared)?;
        }
        match self.flooded {
            true => Err(flood()),
            false => Ok(names),
        }
    }

    /// Asks commands to end, and kills what does not: the whole tree but what is spared. True
    /// where killing was necessary.
    ///
    /// # Errors
    /// As [`clear`](Self::clear).
    pub(crate) fn stop(
        &mut self,
        running: &mut [&mut Running],
        grace: Duration,
        spared: &[i32],
    ) -> io::Result<bool> {
        let roots: Vec<i32> = running
            .iter()
            .filter(|one| one.ended.is_none())
            .map(|one| one.pid)
            .collect();
        tree::signal(&roots, Signal::SIGTERM);
        tree::signal(&roots, Signal::SIGCONT);
        let late = self.wait(running, Instant::now() + grace, None)? != Wait::Ended;
        if late {
            self.kill(running, spared)?;
        }
        self.clear(grace, spared)?;
        Ok(late)
    }

    /// Kills the whole tree, without asking.
    ///
    /// # Errors
    /// As [`clear`](Self::clear).
    pub(crate) fn kill(&mut self, running: &mut [&mut Running], spared: &[i32]) -> io::Result<()> {
        // What is killed is no data point, so that its circumstances need not stay as they were.
        let _as_usual_then = sys::wake_at_once();
        self.send_kill(spared);
        // Commands are reaped by their own; any other is an orphan.
        self.wait(running, Instant::now() + DYING, None)?;
        self.kill_orphans(spared)
    }

    fn send_kill(&self, spared: &[i32]) {
        let by_group = |group: &Cgroup| group.kill_others().is_ok();
        if spared.is_empty() && !self.cgroup.as_ref().is_some_and(by_group) {
            tree::kill_descendants(self.own);
        }
        tree::signal(&self.others(spared), Signal::SIGKILL);
    }

    fn kill_orphans(&mut self, spared: &[i32]) -> io::Result<()> {
        let until = Instant::now() + DYING;
        while Instant::now() < until {
            self.send_kill(spared);
            if self.gone(Duration::from_millis(50), spared)? {
                return Ok(());
            }
        }
        let left: Vec<String> = self.others(spared).into_iter().map(tree::name).collect();
        Err(io::Error::other(format!(
            "could not be killed: {}; look at it with ps, it may wait for a device",
            left.join(", ")
        )))
    }

    /// Descendants that run, but for those that are spared and what they made.
    fn others(&self, spared: &[i32]) -> Vec<i32> {
        let mut not = spared.to_vec();
        not.extend(spared.iter().flat_map(|&pid| tree::descendants(pid)));
        not.push(self.own);
        let mut all = tree::descendants(self.own);
        all.extend(self.cgroup.iter().flat_map(Cgroup::members));
        all.sort_unstable();
        all.dedup();
        all.retain(|pid| !not.contains(pid));
        tree::alive(&all)
    }

    /// Whether no other descendant is there any more, after so long at the most; reaps orphans.
    fn gone(&mut self, patience: Duration, spared: &[i32]) -> io::Result<bool> {
        let until = Instant::now() + patience;
        let mut pause = Duration::from_micros(100);
        loop {
            self.reap_orphans(spared)?;
            if self.others(spared).is_empty() {
                self.reap_orphans(spared)?;
                return Ok(true);
            }
            if self.signals.read_signal()?.is_some() {
                self.die();
            }
            if Instant::now() >= until || (!self.flooded && self.is_flooded()) {
                return Ok(false);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(10));
        }
    }

    /// Reaps what has ended, but for commands, which are reaped by their own.
    fn reap_orphans(&mut self, spared: &[i32]) -> io::Result<()> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        loop {
            let pid = match waitid(Id::All, flags) {
                Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) => pid.as_raw(),
                Ok(_) | Err(Errno::ECHILD) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            };
            if spared.contains(&pid) {
                return Ok(());
            }
            if let Some(used) = reap(pid)?.map(|(_, used)| used) {
                self.orphans.add(used);
            }
        }
    }

    /// What came of orphans since this was last asked.
    pub(crate) fn take_orphans(&mut self) -> Used {
        std::mem::take(&mut self.orphans)
    }

    /// Whether a control group holds what is launched.
    pub(crate) fn has_cgroup(&self) -> bool {
        self.cgroup.is_some()
    }

    /// CPU time of all that was launched, as the control group counts it, in ns after some
    /// beginning: a difference of two says what was used between them. This process is left out.
    pub(crate) fn cpu_by_cgroup(&self) -> Option<i64> {
        let all = i64::try_from(self.cgroup.as_ref()?.cpu_ns()?).ok()?;
        Some(all - i64::try_from(process_cpu_ns()).ok()?)
    }

    /// All that was launched and runs.
    pub(crate) fn tree(&self) -> Vec<i32> {
        self.others(&[])
    }

    /// This process, whose descendants are the tree.
    pub(crate) fn own(&self) -> i32 {
        self.own
    }
}

impl Running {
    /// Takes what it has written.
    ///
    /// # Errors
    /// A pipe cannot be read.
    pub(crate) fn drain(&mut self) -> io::Result<()> {
        if let Some(out) = &mut self.out {
            out.drain()?;
        }
        self.err.drain()
    }

    /// Takes output, and the end if that is there.
    fn notice(&mut self, now_ns: u64) -> io::Result<()> {
        self.drain()?;
        if self.ended.is_some() {
            return Ok(());
        }
        let mut end = [PollFd::new(self.pidfd.as_fd(), PollFlags::POLLIN)];
        if poll(&mut end, PollTimeout::ZERO)? == 0 {
            return Ok(());
        }
        let Some((status, used)) = reap(self.pid)? else {
            return Err(io::Error::other(
                "a command has ended, and its exit status was taken already",
            ));
        };
        self.ended = Some(End {
            at_ns: now_ns,
            status,
            used,
        });
        // What it wrote last is still in the pipe.
        self.drain()
    }
}

/// Reaps a process that has ended, with what its family used.
fn reap(pid: i32) -> io::Result<Option<(i32, Used)>> {
    let bytes = moved(pid);
    let reaped = sys::wait(pid, false)?.filter(|reaped| reaped.pid == pid);
    Ok(reaped.map(|reaped| (reaped.status, Used::of(&reaped, bytes))))
}

/// Why a tree was killed that made more and more of itself.
pub(crate) fn flood() -> io::Error {
    io::Error::other("it made more than 5,000 processes or threads and was killed with all of them")
}

/// Tasks of the whole machine; 0 where `/proc` does not say.
fn threads_of_machine() -> usize {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = text
        .split(' ')
        .nth(3)
        .and_then(|tasks| tasks.split_once('/'));
    tasks.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}

/// A time for `poll`, rounded up, so that the loop does not spin.
fn milliseconds(time: Duration) -> PollTimeout {
    let milliseconds = i32::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(i32::MAX);
    PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX)
}
