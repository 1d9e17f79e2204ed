//! The events of a slot, and what their rings held. What a ring's reader is slow to take is lost and counted by the
//! kernel; what does not fit in [`MOST_RECORDS`] and [`MOST_WORDS`] is counted here.

use std::collections::HashMap;
use std::io;

use measure::Measured;
use measure::ring_record::{REGISTERS, Record, Stamped};
use measure::rings::Rings;
use nix::errno::Errno;
use perf_event::events::Software;
use perf_event::{Builder, SampleFlag};

use crate::unwind::Unwinding;
use crate::value::ProfileSpec;

/// Of one ring, in bytes. Both rings of a CPU fit in what any user may lock (516 KiB a CPU).
const RING: usize = 256 << 10;
/// The same with stacks in it, and what is taken of each.
const RING_OF_STACKS: usize = 2 << 20;
const STACK: u32 = 16 << 10;
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
        let Stamped {
            ns,
            pid,
            tid,
            record,
        } = from;
        let kept = match record {
            Record::Lost(count) => {
                self.lost += count;
                return;
            }
            Record::Sample(chain) => match (self.chain(chain.into()), clock) {
                (None, _) => {
                    self.lost += 1;
                    return;
                }
                (Some(chain), true) => Kept::Clock(chain),
                (Some(chain), false) => Kept::Leaves(chain),
            },
            other => Kept::Other(other),
        };
        self.push(ns, (pid, tid), kept);
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
    switches: Option<Rings>,
    unwinding: Option<Unwinding>,
    pub(crate) kernel: bool,
}

impl Capture {
    /// Opens the events of a process before threads and children, or says why there is no profile.
    pub(crate) fn open(pid: i32, spec: &ProfileSpec) -> Result<Self, Measured<()>> {
        match Self::opened(pid, spec, true) {
            Ok(capture) => Ok(capture),
            Err(error) if is_denied(&error) => {
                Self::opened(pid, spec, false).map_err(|error| denied(&error))
            }
            Err(error) => Err(denied(&error)),
        }
    }

    fn opened(pid: i32, spec: &ProfileSpec, kernel: bool) -> io::Result<Self> {
        // What another user may lock has no room for stacks.
        let stacks = spec.stacks && kernel;
        let clock = || {
            let mut clock = usual(Software::CPU_CLOCK, kernel);
            clock.sample_period(spec.period_ns.max(1));
            clock.mmap(true).mmap2(true).comm(true).comm_exec(true);
            clock.task(true);
            if stacks {
                clock.sample(SampleFlag::REGS_USER | SampleFlag::STACK_USER);
                clock.sample_regs_user(REGISTERS).sample_stack_user(STACK);
            }
            clock
        };
        let switches = || {
            let mut switches = usual(Software::CONTEXT_SWITCHES, kernel);
            switches.sample_period(spec.each.max(1));
            switches.context_switch(true);
            switches
        };
        Ok(Self {
            clocks: Rings::open(pid, if stacks { RING_OF_STACKS } else { RING }, clock)?,
            unwinding: stacks.then(Unwinding::default),
            switches: match spec.faster {
                Some(_) => None,
                None => Some(Rings::open(pid, RING, switches)?),
            },
            kernel,
        })
    }

    pub(crate) fn drain(&mut self, into: &mut Recorded) {
        let unwinding = &mut self.unwinding;
        self.clocks.drain(|one| {
            let one = match unwinding {
                Some(unwinding) => unwinding.hear(one),
                None => one,
            };
            into.take(one, true);
        });
        if let Some(switches) = &mut self.switches {
            switches.drain(|one| into.take(one, false));
        }
    }
}

fn usual(event: Software, kernel: bool) -> Builder<'static> {
    let mut builder = Builder::new(event);
    builder.exclude_kernel(!kernel);
    builder.sample(SampleFlag::CALLCHAIN);
    builder.sample_max_stack(MOST_FRAMES);
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
