//! Launches commands and waits for them. One thread sleeps in one `poll` over a descriptor for each
//! command, their pipes, and one for `SIGTERM`. Between launch and end of a timed command it wakes
//! up for output, and each [`GLANCE`] to see whether the machine is being filled with processes.
//! The wait ends where all commands have ended, the time is over, at `SIGTERM`, or at the fence on
//! the number of tasks. Then [`Supervisor::clear`] leaves no descendant.
//!
//! A tree that forks on and on is killed by its control group, from which no fork escapes, or
//! stopped process by process ([`tree::kill_descendants`]). This process takes a real-time priority
//! first where it may, since thousands of others wait for a turn.

mod end;
mod running;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process;
use std::time::{Duration, Instant};

use flow::Quota;
use flow::cgroup::Cgroup;
use flow::quota::{QuotaGroup, Throttled};
use measure::clock::now_ns;
use measure::usage::ProcessUsage;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::oom;
use crate::peak_sampling::Looks;
use crate::pipe::Pipe;
use crate::sys::{self, Streams};
use crate::tree;
use crate::usage::{CpuTime, Used, forgets_children, less};
pub(crate) use end::flood;
pub(crate) use running::{Order, Running};

const GLANCE: Duration = Duration::from_millis(100);
/// More launched threads are a flood of processes.
const MOST_THREADS: usize = 5_000;
/// Processes that are looked at while they run, for what the kernel forgets of their children.
const MOST_LOOKED_AT: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    Ended,
    Late,
    Flood,
}

#[derive(Debug)]
pub(crate) struct Supervisor {
    signals: SignalFd,
    null: OwnedFd,
    own: i32,
    orphans: Used,
    threads: usize,
    glance: Instant,
    flooded: bool,
    cgroup: Option<Cgroup>,
    quota: Option<QuotaGroup>,
}

impl Supervisor {
    pub(crate) fn new(quota: Option<Quota>) -> io::Result<Self> {
        oom::begin();
        set_child_subreaper(true)?;
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGTERM);
        mask.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let mut options = std::fs::File::options();
        let null = options.read(true).write(true).open("/dev/null")?;
        Ok(Self {
            signals: SignalFd::with_flags(&mask, flags).map_err(::sys::refused("signalfd4"))?,
            null: null.into(),
            own: i32::try_from(process::id()).map_err(io::Error::other)?,
            orphans: Used::default(),
            threads: threads_of_machine(),
            glance: Instant::now() + GLANCE,
            flooded: false,
            cgroup: Cgroup::make().ok().and_then(usable),
            quota: quota.map(QuotaGroup::make).transpose()?,
        })
    }

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
        let group = self.cgroup.as_ref().filter(|group| !group.is_entered());
        let group = group.map(Cgroup::descriptor);
        let quota = self.quota.as_ref().filter(|_| order.is_limited);
        let quota = quota.map(QuotaGroup::way_in);
        let launched = sys::launch(order.executable, streams, group, quota)?;
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
            // Looks once even without any time left.
            if left.is_zero() && running.iter().any(|one| one.ended.is_none()) {
                return Ok(Wait::Late);
            }
        }
    }

    /// Whether too many tasks were made: of many threads it is asked whose they are.
    fn is_flooded(&mut self) -> bool {
        if Instant::now() < self.glance {
            return false;
        }
        self.glance = Instant::now() + GLANCE;
        if self.cgroup.is_none() && !self.orphans.forgets {
            self.look_for_forgetting();
        }
        let all = threads_of_machine();
        let flooded = match &self.cgroup {
            Some(group) => {
                let limited = self.quota.as_ref().map_or(0, QuotaGroup::threads);
                all > MOST_THREADS && group.threads() + limited > MOST_THREADS
            }
            None => {
                all > self.threads + MOST_THREADS && tree::has_more_threads(self.own, MOST_THREADS)
            }
        };
        if flooded {
            self.flooded = true;
            let _as_usual_then = sys::wake_at_once();
        }
        flooded
    }

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

    pub(crate) fn take_orphans(&mut self) -> Used {
        std::mem::take(&mut self.orphans)
    }

    pub(crate) fn has_cgroup(&self) -> bool {
        self.cgroup.is_some()
    }

    pub(crate) fn cpu_by_cgroup(&self) -> Option<CpuTime> {
        let group = self.cgroup.as_ref()?;
        let own = match group.is_entered() {
            true => ProcessUsage::own().ok()?,
            false => ProcessUsage::default(),
        };
        let quota = self.quota.as_ref();
        let limited = quota.map_or(Some([0; 2]), QuotaGroup::cpu_ns)?;
        let [user, system] = group.cpu_ns()?;
        let all = [user + limited[0], system + limited[1]];
        Some(less(all, [own.user_ns, own.system_ns]))
    }

    pub(crate) fn throttled(&self) -> Option<Throttled> {
        self.quota.as_ref()?.throttled().ok()
    }

    /// Looks whether a process that runs ignores `SIGCHLD`, and takes it down with the orphans.
    pub(crate) fn look_for_forgetting(&mut self) {
        let some = tree::some_descendants(self.own, MOST_LOOKED_AT);
        self.orphans.forgets |= some.into_iter().any(forgets_children);
    }

    pub(crate) fn tree(&self) -> Vec<i32> {
        self.others(&[])
    }

    pub(crate) fn own(&self) -> i32 {
        self.own
    }
}

/// A group in which processes can begin, or which this process could enter.
fn usable(mut group: Cgroup) -> Option<Cgroup> {
    let is_usable = sys::can_begin_in(group.descriptor()) || group.enter().is_ok();
    is_usable.then_some(group)
}

/// Of the whole machine; 0 if unknown.
fn threads_of_machine() -> usize {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = text.split(' ').nth(3);
    let all = tasks.and_then(|tasks| tasks.split_once('/')?.1.parse().ok());
    all.unwrap_or(0)
}

/// Rounded up, so that the loop does not spin.
fn milliseconds(time: Duration) -> PollTimeout {
    let milliseconds = i32::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(i32::MAX);
    PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX)
}
