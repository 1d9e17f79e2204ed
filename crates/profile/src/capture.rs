//! The events of a slot, and what their rings held.
//!
//! An event of a process is stopped and started anew at each of its switches: where threads only wake each other, the
//! clock alone takes half as long again. So who may see all processes gets the events of each CPU, whose clock goes on
//! at a switch, and what others did there is left out ([`Members`]).
//!
//! A stopped event for switches still takes 5 to 18 % of work that only switches: the kernel makes each record before it
//! drops it. So where switches are recorded in some turns only, the events of CPUs are closed between them. Those of a
//! process are stopped: opened anew they would leave out the threads that it has.
//!
//! What a ring's reader is slow to take is lost and counted by the kernel; what does not fit in [`MOST_RECORDS`] and
//! [`MOST_WORDS`] is counted here.

use std::collections::{HashMap, HashSet};
use std::io;

use measure::Measured;
use measure::ring_record::{REGISTERS, Record, Stamped};
use measure::rings::Rings;
use nix::errno::Errno;
use perf_event::events::Software;
use perf_event::{Builder, SampleFlag};

use crate::unwind::Unwinding;
use crate::value::ProfileSpec;
use crate::windows::{Turns, Windows};

/// Of one ring, in bytes. Both rings of a CPU fit in what any user may lock (516 KiB a CPU).
const RING: usize = 256 << 10;
/// With stacks, and what is taken of each: half a second of samples, as a profiler may come late.
const RING_OF_STACKS: usize = 8 << 20;
/// The same for a turn: its pages are cleared each time.
const RING_OF_A_TURN: usize = 2 << 20;
const STACK: u32 = 16 << 10;
/// The same of a switch, so that a profiler that comes late does not lose any.
const STACK_OF_SWITCH: u32 = 8 << 10;
const MOST_RECORDS: usize = 1_000_000;
/// Of call chains, 8 bytes each.
const MOST_WORDS: usize = 4_000_000;
const MOST_FRAMES: u16 = 96;

/// A record whose call chain is kept apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    Clock(u32),
    Leaves(u32),
    /// What a thread was seen to wait in, by the place of its name.
    Seen(u32),
    Other(Record),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) ns: u64,
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    pub(crate) kept: Kept,
}

#[cfg(test)]
impl Event {
    /// One without a call chain.
    pub(crate) fn of(ns: u64, (pid, tid): (i32, i32), record: Record) -> Self {
        let kept = Kept::Other(record);
        Self { ns, pid, tid, kept }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) events: Vec<Event>,
    pub(crate) chains: Vec<Box<[u64]>>,
    pub(crate) known: HashMap<Box<[u64]>, u32>,
    pub(crate) words: usize,
    pub(crate) lost: u64,
}

impl Recorded {
    pub(crate) fn push(&mut self, ns: u64, (pid, tid): (i32, i32), kept: Kept) {
        match self.events.len() < MOST_RECORDS {
            true => self.events.push(Event { ns, pid, tid, kept }),
            false => self.lost += 1,
        }
    }

    fn take(&mut self, from: Stamped, clock: bool) {
        let kept = match from.record {
            Record::Lost(count) => Err(count),
            Record::Sample(chain) => match (self.chain(chain.into()), clock) {
                (None, _) => Err(1),
                (Some(chain), true) => Ok(Kept::Clock(chain)),
                (Some(chain), false) => Ok(Kept::Leaves(chain)),
            },
            other => Ok(Kept::Other(other)),
        };
        match kept {
            Ok(kept) => self.push(from.ns, (from.pid, from.tid), kept),
            Err(lost) => self.lost += lost,
        }
    }

    fn chain(&mut self, chain: Box<[u64]>) -> Option<u32> {
        if let Some(&known) = self.known.get(&chain) {
            return Some(known);
        }
        self.words += chain.len();
        if self.words > MOST_WORDS {
            return None;
        }
        let place = u32::try_from(self.chains.len()).ok()?;
        self.chains.push(chain.clone());
        self.known.insert(chain, place);
        Some(place)
    }
}

pub(crate) struct Capture {
    clocks: Rings,
    members: Option<Members>,
    switches: Option<Rings>,
    /// Where `switches` are closed between turns.
    reopen: Option<Reopen>,
    turns: Turns,
    unwinding: Option<Unwinding>,
    pub(crate) kernel: bool,
}

type Reopen = Box<dyn Fn() -> io::Result<Rings>>;

/// Whose events are recorded for a slot, by its process.
enum Whose {
    All(i32),
    Own(i32),
}

impl Capture {
    /// Opens the events of a process before threads and children, or says why there is no profile.
    pub(crate) fn open(pid: i32, spec: &ProfileSpec) -> Result<Self, Measured<()>> {
        // Predictions were held against real gains with the events of a process.
        let of_cpus = spec
            .faster
            .is_none()
            .then_some((Whose::All(pid), true, spec.stacks));
        // What another user may lock has no room for stacks.
        let own = [(true, spec.stacks), (true, false), (false, false)];
        let own = own.map(|(kernel, stacks)| (Whose::Own(pid), kernel, stacks));
        let mut opened = of_cpus
            .into_iter()
            .chain(own)
            .map(|(whose, kernel, stacks)| Self::opened(whose, spec, kernel, stacks));
        let first = opened.find(|opened| !opened.as_ref().is_err_and(is_denied));
        let first = first.unwrap_or_else(|| Err(Errno::EACCES.into()));
        first.map_err(|error| denied(&error))
    }

    fn opened(whose: Whose, spec: &ProfileSpec, kernel: bool, stacks: bool) -> io::Result<Self> {
        let (pid, members) = match whose {
            Whose::All(slot) => (None, Some(Members::of(slot))),
            Whose::Own(slot) => (Some(slot), None),
        };
        let clock = || {
            let mut clock = usual(Software::CPU_CLOCK, kernel, stacks.then_some(STACK));
            clock.sample_period(spec.period_ns.max(1));
            clock.mmap(true).mmap2(true).comm(true).comm_exec(true);
            clock.task(true);
            clock
        };
        let each = spec.each.max(1);
        let is_reopened = pid.is_none() && spec.turns > 1;
        let ring = if stacks { RING_OF_STACKS } else { RING };
        let most = if is_reopened { RING_OF_A_TURN } else { ring };
        let switches = move || {
            let mut event = usual(
                Software::CONTEXT_SWITCHES,
                kernel,
                stacks.then_some(STACK_OF_SWITCH),
            );
            event.sample_period(each).context_switch(true);
            event
        };
        let open = move || Rings::open(pid, ring.min(most), switches);
        Ok(Self {
            clocks: Rings::open(pid, ring, clock)?,
            members,
            unwinding: stacks.then(Unwinding::default),
            switches: match spec.faster {
                Some(_) => None,
                None => Some(open()?),
            },
            reopen: is_reopened.then(|| Box::new(open) as Reopen),
            turns: Turns::one_of(spec.turns),
            kernel,
        })
    }

    pub(crate) fn turn(&mut self) {
        match self.turns.begins() {
            Some(true) if self.record(true).is_ok() => self.turns.opened(),
            Some(true) | None => {}
            // Records that come after a window count for nothing.
            Some(false) => drop(self.record(false)),
        }
    }

    fn record(&mut self, is_on: bool) -> io::Result<()> {
        match (&mut self.switches, &self.reopen) {
            (Some(switches), _) => switches.record(is_on),
            (None, Some(reopen)) if is_on => reopen().map(|rings| self.switches = Some(rings)),
            (None, _) => Ok(()),
        }
    }

    /// When switches were recorded.
    pub(crate) fn ended(self) -> Windows {
        self.turns.windows()
    }

    pub(crate) fn drain(&mut self, into: &mut Recorded) {
        let mut heard = Vec::new();
        self.clocks.drain(|one| heard.push((one, true)));
        if let Some(switches) = &mut self.switches {
            switches.drain(|one| heard.push((one, false)));
        }
        if self.reopen.is_some() && !self.turns.are_on() {
            self.switches = None;
        }
        if let Some(members) = &mut self.members {
            let mut next = Vec::new();
            self.clocks.drain(|one| next.push((one, true)));
            heard = members.keep(heard, next);
        }
        // What a program mapped comes before what it did there, on whichever CPU.
        heard.sort_by_key(|(one, _)| one.ns);
        for (one, clock) in heard {
            let one = match &mut self.unwinding {
                Some(unwinding) => unwinding.hear(one),
                None => one,
            };
            into.take(one, clock);
        }
    }
}

/// The processes that the slot made.
#[derive(Debug)]
pub(crate) struct Members {
    pids: HashSet<i32>,
    /// Heard after the others: a process of which something was heard may be made known here alone.
    next: Vec<(Stamped, bool)>,
}

impl Members {
    fn of(slot: i32) -> Self {
        Self {
            pids: HashSet::from([slot]),
            next: Vec::new(),
        }
    }

    /// Those of members, of what was heard and what was kept the last time; what comes `next` is kept.
    fn keep(
        &mut self,
        mut heard: Vec<(Stamped, bool)>,
        next: Vec<(Stamped, bool)>,
    ) -> Vec<(Stamped, bool)> {
        heard.splice(0..0, std::mem::replace(&mut self.next, next));
        let mut forks: Vec<(u64, i32, i32)> = (heard.iter().chain(&self.next))
            .filter_map(|(one, _)| match one.record {
                Record::Fork { child, .. } => Some((one.ns, one.pid, child)),
                _ => None,
            })
            .collect();
        forks.sort_unstable();
        for (_, parent, child) in forks {
            if self.pids.contains(&parent) {
                self.pids.insert(child);
            }
        }
        heard.retain(|(one, _)| match one.record {
            Record::Lost(_) => true,
            _ => self.pids.contains(&one.pid),
        });
        heard
    }
}

fn usual(event: Software, kernel: bool, stack: Option<u32>) -> Builder<'static> {
    let mut builder = Builder::new(event);
    builder.exclude_kernel(!kernel);
    builder.sample(SampleFlag::CALLCHAIN);
    builder.sample_max_stack(MOST_FRAMES);
    if let Some(bytes) = stack {
        builder.sample(SampleFlag::REGS_USER | SampleFlag::STACK_USER);
        builder.sample_regs_user(REGISTERS).sample_stack_user(bytes);
    }
    builder
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

fn denied(error: &io::Error) -> Measured<()> {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EACCES | Errno::EPERM) => Measured::not_available(
            "this user may not sample programs here (perf_event_open was refused)",
            "sysctl kernel.perf_event_paranoid=1, or run as root",
        ),
        Some(Errno::EMFILE) => Measured::not_available(
            "the events of all CPUs need more open files than are allowed",
            "ulimit -n 4096",
        ),
        Some(Errno::ENOSYS) => Measured::not_available("this kernel has no perf events", ""),
        _ => Measured::not_available(format!("the slot cannot be sampled: {error}"), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pid: i32, ns: u64, record: Record) -> (Stamped, bool) {
        let one = Stamped {
            ns,
            pid,
            tid: pid,
            record,
        };
        (one, true)
    }

    fn fork(parent: i32, ns: u64, child: i32) -> (Stamped, bool) {
        let record = Record::Fork {
            child,
            child_thread: child,
        };
        of(parent, ns, record)
    }

    /// The fork is in the ring of a CPU that was read before it.
    #[test]
    fn what_a_process_did_counts_though_its_fork_is_heard_later() {
        let mut members = Members::of(7);
        let first = vec![of(9, 40, Record::In), of(5, 41, Record::In)];
        let next = vec![fork(8, 30, 9), fork(7, 20, 8)];
        let kept = members.keep(first, next);
        assert_eq!(kept, [of(9, 40, Record::In)]);
        let lost = of(0, 0, Record::Lost(3));
        let kept = members.keep(vec![lost.clone(), fork(5, 50, 6)], Vec::new());
        assert_eq!(kept, [fork(8, 30, 9), fork(7, 20, 8), lost]);
    }
}
