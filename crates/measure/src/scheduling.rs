//! What the scheduler does with a process and with all that it makes. The kernel writes each switch
//! of a task to a ring ([`crate::rings`]; `PERF_RECORD_SWITCH`, with `FORK` and `EXIT`), for one's
//! own processes without rights (`kernel.perf_event_paranoid` up to 2). A task switched off while
//! it could run waits for a CPU; any other waits for something that is read at that moment
//! ([`crate::waits::Seen`]), unless the wait is over by then (`Unseen`).

use std::io;

use perf_event::Builder;
use perf_event::events::Software;

use crate::ring_record::{Record, Stamped};
use crate::rings::Rings;

/// The records of two thousand switches. Plain users may lock 512 KiB a CPU.
const RING: usize = 128 << 10;

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
#[derive(Debug)]
pub struct Recorder(Rings);

impl Recorder {
    /// Begins with process `pid`. Errors: the kernel does not permit it or cannot do it.
    pub fn of(pid: i32) -> io::Result<Self> {
        let switches = || {
            let mut builder = Builder::new(Software::DUMMY);
            builder.exclude_kernel(true).exclude_hv(true);
            builder.context_switch(true).task(true);
            builder
        };
        Rings::open(Some(pid), RING, switches).map(Self)
    }

    /// Adds what has happened since to `moments`, CPU by CPU; returns how many records were lost.
    pub fn drain(&mut self, moments: &mut Vec<Moment>) -> u64 {
        let mut lost = 0;
        self.0.drain(|stamped| match stamped.record {
            Record::Lost(records) => lost += records,
            _ => moments.extend(moment(&stamped)),
        });
        lost
    }
}

fn moment(stamped: &Stamped) -> Option<Moment> {
    let (change, tid) = match stamped.record {
        Record::Fork { child_thread, .. } => (Change::Made, child_thread),
        Record::Exit => (Change::Ended, stamped.tid),
        Record::In => (Change::On, stamped.tid),
        Record::Out { preempted: true } => (Change::Preempted, stamped.tid),
        Record::Out { preempted: false } => (Change::Waits, stamped.tid),
        Record::Lost(_)
        | Record::Sample(_)
        | Record::Stacked(..)
        | Record::Exec
        | Record::Map(_) => return None,
    };
    let at_ns = stamped.ns;
    Some(Moment { at_ns, tid, change })
}

#[cfg(test)]
mod tests;
