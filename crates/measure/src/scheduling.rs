//! What the scheduler does with a process and with all that it makes: who is made, runs, waits and
//! ends. The kernel writes each switch of a task to a ring in memory (`PERF_RECORD_SWITCH`, with
//! `FORK` and `EXIT`), for one's own processes without rights (`kernel.perf_event_paranoid` up
//! to 2). A ring belongs to a CPU, and children inherit it. A task switched off while it could run
//! waits for a CPU; any other waits for something that is read at that moment from
//! `/proc/TID/syscall` ([`waits_for`]): the call that it is in, or none for a page. A wait that is
//! over before somebody has looked has no cause ([`State::Unseen`]), and none is guessed.

mod calls;

use std::io;

use nix::errno::Errno;
use nix::unistd::{SysconfVar, sysconf};
use perf_event::events::Software;
use perf_event::{Builder, Clock, SampleFlag, Sampler};
use serde::{Deserialize, Serialize};

pub use calls::waits_for;

use crate::ring_record::{Record, Stamped, decode};

/// The records of two thousand switches. Plain users may lock 512 KiB a CPU.
const RING: usize = 128 << 10;

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum State {
    /// It has a CPU.
    #[serde(rename = "r")]
    Runs,
    /// It could run, and has no CPU.
    #[serde(rename = "q")]
    Cpu,
    /// For a futex: a lock, a gate, the end of a thread.
    #[serde(rename = "l")]
    Lock,
    /// For a pipe or a socket.
    #[serde(rename = "p")]
    Pipe,
    /// For any of several files or events.
    #[serde(rename = "e")]
    Events,
    /// For the end of a child.
    #[serde(rename = "c")]
    Child,
    /// For a time.
    #[serde(rename = "t")]
    Time,
    /// For storage.
    #[serde(rename = "d")]
    Disk,
    /// For the address space: its lock, its pages, other CPUs that must forget them.
    #[serde(rename = "m")]
    Memory,
    /// For the table of open files.
    #[serde(rename = "f")]
    Files,
    /// For a flow that is being made.
    #[serde(rename = "n")]
    Making,
    /// For something else.
    #[serde(rename = "o")]
    Other,
    /// For what nobody has seen.
    #[serde(rename = "u")]
    Unseen,
}

impl State {
    /// Each once.
    pub const ALL: [Self; 13] = [
        Self::Runs,
        Self::Cpu,
        Self::Lock,
        Self::Pipe,
        Self::Events,
        Self::Child,
        Self::Time,
        Self::Disk,
        Self::Memory,
        Self::Files,
        Self::Making,
        Self::Other,
        Self::Unseen,
    ];

    /// Its letter in a journal.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Runs => 'r',
            Self::Cpu => 'q',
            Self::Lock => 'l',
            Self::Pipe => 'p',
            Self::Events => 'e',
            Self::Child => 'c',
            Self::Time => 't',
            Self::Disk => 'd',
            Self::Memory => 'm',
            Self::Files => 'f',
            Self::Making => 'n',
            Self::Other => 'o',
            Self::Unseen => 'u',
        }
    }
}

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was made, and can run.
    Made,
    /// It got a CPU.
    On,
    /// It lost its CPU, and could use it.
    Preempted,
    /// It gave up its CPU to wait.
    Waits,
    /// It has ended.
    Ended,
}

/// A change, when and of which task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// When, by [`crate::clock::now_ns`].
    pub at_ns: u64,
    /// Whose.
    pub tid: i32,
    /// What.
    pub change: Change,
}

/// Hears of all changes of a process and of what it makes from now on.
pub struct Recorder {
    rings: Vec<Sampler>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("rings", &self.rings.len())
            .finish()
    }
}

impl Recorder {
    /// Begins with process `pid`. Errors: the kernel does not permit it or cannot do it.
    pub fn of(pid: i32) -> io::Result<Self> {
        let cpus = sysconf(SysconfVar::_NPROCESSORS_CONF)?.unwrap_or(1);
        let opened = (0..usize::try_from(cpus).unwrap_or(1)).map(|cpu| ring(pid, cpu));
        let here = opened.filter(|ring| match ring {
            // No such CPU at present.
            Err(error) => error.raw_os_error() != Some(Errno::ENODEV as i32),
            Ok(_) => true,
        });
        Ok(Self {
            rings: here.collect::<io::Result<_>>()?,
        })
    }

    /// Adds what has happened since to `moments`, CPU by CPU; returns how many records were lost.
    pub fn drain(&mut self, moments: &mut Vec<Moment>) -> u64 {
        let mut lost = 0;
        for ring in &mut self.rings {
            while let Some(record) = ring.next_record() {
                match read(record.ty(), record.misc(), &record.to_contiguous()) {
                    Read::Moment(moment) => moments.push(moment),
                    Read::Lost(records) => lost += records,
                    Read::Nothing => {}
                }
            }
        }
        lost
    }
}

fn ring(pid: i32, cpu: usize) -> io::Result<Sampler> {
    Builder::new(Software::DUMMY)
        .observe_pid(pid)
        .one_cpu(cpu)
        .inherit(true)
        .enabled(true)
        .exclude_kernel(true)
        .exclude_hv(true)
        .context_switch(true)
        .task(true)
        .sample_id_all(true)
        .sample(SampleFlag::TID | SampleFlag::TIME)
        .clockid(Clock::MONOTONIC)
        .build()?
        .sampled(RING)
}

#[derive(Debug, PartialEq, Eq)]
enum Read {
    Moment(Moment),
    Lost(u64),
    Nothing,
}

fn read(kind: u32, misc: u16, bytes: &[u8]) -> Read {
    let Some(Stamped {
        ns, tid, record, ..
    }) = decode(kind, misc, bytes)
    else {
        return Read::Nothing;
    };
    let (change, tid) = match record {
        Record::Fork { child_thread, .. } => (Change::Made, child_thread),
        Record::Exit => (Change::Ended, tid),
        Record::In => (Change::On, tid),
        Record::Out { preempted: true } => (Change::Preempted, tid),
        Record::Out { preempted: false } => (Change::Waits, tid),
        Record::Lost(records) => return Read::Lost(records),
        Record::Sample(_) | Record::Exec | Record::Map(_) => return Read::Nothing,
    };
    let at_ns = ns;
    Read::Moment(Moment { at_ns, tid, change })
}

#[cfg(test)]
mod tests;
