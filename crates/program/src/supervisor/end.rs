//! Ends commands: asks, then kills, and leaves nothing of what they made.

use std::io;
use std::process;
use std::time::{Duration, Instant};

use flow::cgroup::Cgroup;
use flow::quota::QuotaGroup;
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

use super::running::{Running, reap};
use super::{Supervisor, Wait};
use crate::{sys, tree};

/// For children of an ended command to end by themselves.
const STRAGGLE: Duration = Duration::from_millis(200);
/// For killed processes to disappear; thousands of them take some.
const DYING: Duration = Duration::from_secs(15);

impl Supervisor {
    pub(super) fn die(&self) -> ! {
        self.send_kill(&[]);
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGTERM);
        let _unblocked = mask.thread_unblock();
        let _its_handler_ends_this_process = raise(Signal::SIGTERM);
        process::exit(1)
    }

    /// With `grace` between asking and killing; names what was left.
    pub(crate) fn clear(&mut self, grace: Duration) -> io::Result<Vec<String>> {
        self.flooded = false;
        if self.gone(STRAGGLE, &[])? {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        if !self.flooded {
            let left = self.others(&[]);
            names.extend(left.iter().map(|&pid| tree::name(pid)));
            tree::signal(&left, Signal::SIGTERM);
            tree::signal(&left, Signal::SIGCONT);
        }
        if self.flooded || !self.gone(grace, &[])? {
            self.kill_orphans(&[])?;
        }
        match self.flooded {
            true => Err(flood()),
            false => Ok(names),
        }
    }

    pub(crate) fn stop(
        &mut self,
        running: &mut [&mut Running],
        grace: Duration,
    ) -> io::Result<bool> {
        let roots = running.iter().filter(|one| one.ended.is_none());
        let roots: Vec<i32> = roots.map(|one| one.pid).collect();
        tree::signal(&roots, Signal::SIGTERM);
        tree::signal(&roots, Signal::SIGCONT);
        let late = self.wait(running, Instant::now() + grace, None)? != Wait::Ended;
        if late {
            self.kill(running, &[])?;
        }
        self.clear(grace)?;
        Ok(late)
    }

    pub(crate) fn kill(&mut self, running: &mut [&mut Running], spared: &[i32]) -> io::Result<()> {
        // Killed launches are no data points, so their circumstances may change.
        let _as_usual_then = sys::wake_at_once();
        self.send_kill(spared);
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

    pub(super) fn others(&self, spared: &[i32]) -> Vec<i32> {
        let mut not = spared.to_vec();
        not.extend(spared.iter().flat_map(|&pid| tree::descendants(pid)));
        not.push(self.own);
        let mut all = tree::descendants(self.own);
        all.extend(self.cgroup.iter().flat_map(Cgroup::members));
        all.extend(self.quota.iter().flat_map(QuotaGroup::members));
        all.sort_unstable();
        all.dedup();
        all.retain(|pid| !not.contains(pid));
        tree::alive(&all)
    }

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
}

pub(crate) fn flood() -> io::Error {
    io::Error::other("it made more than 5,000 processes or threads and was killed with all of them")
}
