use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use measure::usage::{self, ProcessUsage, Usage};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{ForkResult, Pid, getpid};
use sys::Alone;

use crate::ending::{answer_and_exit, exit};
use crate::flow_run::bind_in_turn;
use crate::polled::{readable, wait};
use crate::record::{Answer, SelfManagedUsage};
use crate::start::{become_child, reap};
use crate::stranded::pidfd;

const EXIT_FAILED: i32 = 98;
const LOOK_EVERY: Duration = Duration::from_micros(100);

/// Processes 1 and up; the caller is process 0.
#[derive(Debug)]
pub(super) struct Forked {
    members: Vec<Pid>,
}

impl Forked {
    pub(super) fn fork(
        processes: usize,
        cpus: &[u32],
        life: impl Fn(usize) -> io::Result<()>,
    ) -> io::Result<Self> {
        let (parent, alone) = (getpid(), Alone::now()?);
        let mut members = Vec::with_capacity(processes.saturating_sub(1));
        for number in 1..processes {
            match alone.fork()? {
                ForkResult::Parent { child } => members.push(child),
                ForkResult::Child => {
                    become_child(parent);
                    let done = bind_in_turn(cpus, number).and_then(|()| life(number));
                    exit(if done.is_ok() { 0 } else { EXIT_FAILED })
                }
            }
        }
        bind_in_turn(cpus, 0)?;
        Ok(Self { members })
    }

    pub(super) fn wait_until(&self, ready: impl Fn() -> bool) -> io::Result<()> {
        while !ready() {
            self.all_live()?;
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Without sleep, for timed waits.
    pub(super) fn wait_busily(&self, ready: impl Fn() -> bool) -> io::Result<()> {
        let mut looks: u32 = 0;
        while !ready() {
            std::thread::yield_now();
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(1_000) && !ready() {
                self.all_live()?;
            }
        }
        Ok(())
    }

    /// Does `work`, which may sleep; a second thread fails the slot if a process ends badly.
    pub(super) fn watched<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let (over, still_at_work) = io::pipe()?;
        std::thread::scope(|scope| {
            let watch = || {
                if let Err(error) = self.watch(&over) {
                    answer_and_exit(&Answer::from_error(&error))
                }
            };
            let watcher = std::thread::Builder::new().spawn_scoped(scope, watch)?;
            let done = work();
            drop(still_at_work);
            // The next fork wants it gone, and not only done.
            let watched = watcher.join();
            watched.map_err(|_| io::Error::other("a thread panicked"))?;
            done
        })
    }

    fn watch(&self, over: &io::PipeReader) -> io::Result<()> {
        let members = self.members.iter();
        let mut alive: Vec<OwnedFd> = members
            .filter_map(|member| pidfd(member.as_raw()))
            .collect();
        loop {
            let each = alive.iter().map(|member| readable(member.as_fd()));
            let over = std::iter::once(readable(over.as_fd()));
            let mut all: Vec<_> = over.chain(each).collect();
            wait(&mut all, Duration::MAX)?;
            let has_ended: Vec<bool> = all.iter().map(|one| one.any() == Some(true)).collect();
            if has_ended[0] {
                return Ok(());
            }
            self.all_live()?;
            let mut ended = has_ended[1..].iter();
            alive.retain(|_| ended.next() == Some(&false));
        }
    }

    fn all_live(&self) -> io::Result<()> {
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        for (number, member) in (1..).zip(&self.members) {
            match waitid(Id::Pid(*member), look)? {
                WaitStatus::Exited(_, 0) => {}
                WaitStatus::Exited(_, code) => {
                    return Err(ended(number, &format!("exit code {code}")));
                }
                WaitStatus::Signaled(_, signal, _) => return Err(ended(number, signal.as_str())),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn dismiss(self) -> io::Result<()> {
        self.members.into_iter().try_for_each(reap)
    }
}

fn ended(number: usize, how: &str) -> io::Error {
    io::Error::other(format!(
        "process {number} ended before its work was done: {how}"
    ))
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    thread: Usage,
    own: ProcessUsage,
    reaped: ProcessUsage,
}

impl Spent {
    pub(super) fn now() -> io::Result<Self> {
        Ok(Self {
            thread: usage::this_thread(),
            own: ProcessUsage::own()?,
            reaped: ProcessUsage::reaped()?,
        })
    }

    pub(super) fn since(
        self,
        before: Self,
        made: u64,
        processes: usize,
    ) -> io::Result<(Usage, SelfManagedUsage)> {
        // Ended processes are accounted in full.
        let reaped = self.reaped.since(before.reaped);
        let all = self.own.since(before.own) + reaped;
        let own = SelfManagedUsage {
            user_ns: all.user_ns,
            system_ns: all.system_ns,
            made,
            most: made,
            peak_rss: peak_rss(processes)?,
            ..SelfManagedUsage::default()
        };
        Ok((self.thread.since(before.thread) + reaped.flows, own))
    }
}

/// Of forked processes, as many times the largest.
fn peak_rss(processes: usize) -> io::Result<u64> {
    let forked = (processes as u64).saturating_sub(1) * ProcessUsage::reaped()?.most_rss;
    Ok(ProcessUsage::own()?.most_rss + forked)
}
