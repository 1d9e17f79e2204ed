//! Traces of the flows of one slot, merged on the cores of a machine.
//!
//! # Theory
//!
//! Every flow was recorded by itself; here they run side by side. Two rules order their accesses,
//! and the traces alone decide everything else, so that the same traces give the same counts:
//!
//! * **Cores**: the core whose clock is earliest runs next, for a slice of cycles.
//! * **Hardware threads of a core** take turns, so many accesses each.
//!
//! ```text
//!   core 0   aaaa bbbb aaaa bbbb │            a, b: threads of one core
//!   core 1                       │ cccc dddd  next: the earliest clock
//! ```
//!
//! **Clock of a core.** Its threads share what executes and wait each for itself:
//! max(sum of base, max over threads of (base + waiting)). So one thread's misses hide behind
//! another's work, which is what hardware threads are for.
//!
//! **Warm-up.** The first part of each flow's recorded accesses fills the caches and TLBs and is
//! not counted. Where a window ended before the work did, what was counted stands for the rest: the
//! flow's counts are scaled to all of its accesses ([`Flow::whole`]).
//!
//! A flow whose trace ends early leaves its core to the others.

use std::io::Read;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::counts::Counts;
use crate::machine::Machine;
use crate::model::Model;
use crate::sharing::Shared;
use crate::trace::{Event, Reader, Token, TraceError};

/// How traces are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Accesses of a hardware thread before the next one of its core has its turn.
    pub turn: u64,
    /// Cycles of a core before the next one is run.
    pub slice: u64,
    /// Recorded accesses of each flow that warm up and are not counted.
    pub warm: u64,
}

/// What a merge counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// One entry a flow, in flow order.
    pub flows: Vec<Flow>,
    /// Lines by how many cores used them, warm-up included.
    pub lines: Shared,
    /// Pages of address spaces by how many cores used them, warm-up included.
    pub pages: Shared,
    /// Simulated time from the flows' begin to the end of the last, in ns.
    pub time_ns: f64,
    /// SHA-256 of the traces, in order.
    pub traces: String,
}

/// One flow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Its hardware thread.
    pub on: u32,
    /// What was counted after the warm-up.
    pub counts: Counts,
    /// All its accesses, recorded or not.
    pub accesses: u64,
}

impl Flow {
    /// By how much what was counted is less than the whole.
    #[must_use]
    pub fn whole(&self) -> f64 {
        match self.counts.accesses {
            0 => 0.0,
            counted => self.accesses as f64 / counted as f64,
        }
    }

    /// A count, scaled to all accesses of the flow.
    #[must_use]
    pub fn scaled(&self, of: impl Fn(&Counts) -> u64) -> f64 {
        of(&self.counts) as f64 * self.whole()
    }
}

impl Merged {
    /// A count of all flows, scaled to all of their accesses.
    #[must_use]
    pub fn total(&self, of: impl Fn(&Counts) -> u64) -> f64 {
        self.flows.iter().map(|flow| flow.scaled(&of)).sum()
    }

    /// The share of all accesses that was counted.
    #[must_use]
    pub fn counted(&self) -> f64 {
        let all: u64 = self.flows.iter().map(|flow| flow.accesses).sum();
        let counted: u64 = self.flows.iter().map(|flow| flow.counts.accesses).sum();
        counted as f64 / all.max(1) as f64
    }
}

/// Why traces cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// One of them cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It was to stop.
    #[error("stopped before all accesses were counted")]
    Stopped,
    /// No thread says that it is a flow.
    #[error("no flow was recorded: the program ended before its flows began")]
    NoFlow,
    /// A flow was recorded twice.
    #[error("flow {0} was recorded twice")]
    Twice(u64),
    /// There is no place for a flow.
    #[error(
        "flow {flow} has no hardware thread of its own: {machine} has {room}; use fewer flows, or \
         a machine with more"
    )]
    NoPlace {
        /// The flow.
        flow: u64,
        /// The machine.
        machine: String,
        /// Its hardware threads.
        room: u32,
    },
}

/// A flow at work.
struct Running<R> {
    reader: Reader<R>,
    number: u64,
    on: u32,
    /// Counts at the end of the warm-up.
    warm: Option<Counts>,
    recorded: u64,
    accesses: Option<u64>,
    over: bool,
}

/// A core with the flows on its hardware threads.
struct Busy {
    flows: Vec<usize>,
    /// Whose turn it is.
    turn: usize,
    clock: u64,
}

struct Merge<'a, R> {
    model: Model,
    flows: Vec<Running<R>>,
    rule: Rule,
    machine: &'a Machine,
}

/// Merges the traces of a slot in the order in which their threads were born; `place` says on
/// which hardware thread a flow is, and `stopped` whether to give up.
///
/// # Errors
/// A trace cannot be read, or a flow has no place.
pub fn merge<R: Read>(
    machine: &Machine,
    page: u64,
    rule: Rule,
    traces: impl IntoIterator<Item = R>,
    place: impl Fn(u64) -> Option<u32>,
    stopped: &dyn Fn() -> bool,
) -> Result<Merged, MergeError> {
    let mut merge = Merge {
        model: Model::new(machine, page),
        flows: Vec::new(),
        rule,
        machine,
    };
    let mut hashes = Vec::new();
    for trace in traces {
        let mut reader = Reader::new(trace)?;
        match merge.until_begin(&mut reader)? {
            Some(flow) => merge.begin(reader, flow, &place)?,
            None => hashes.push(reader.hash()),
        }
    }
    if merge.flows.is_empty() {
        return Err(MergeError::NoFlow);
    }
    merge.flows.sort_by_key(|flow| flow.number);
    merge.run(stopped)?;
    Ok(merge.merged(hashes))
}

impl<R: Read> Merge<'_, R> {
    /// What happened before a window opened; the flow whose it is, if it opens.
    fn until_begin(&mut self, reader: &mut Reader<R>) -> Result<Option<u64>, MergeError> {
        let space = reader.space();
        while let Some(token) = reader.token()? {
            match token {
                Token::Event(Event::Begin { flow }) => return Ok(Some(flow)),
                Token::Event(event) => self.model.event(space, event),
                Token::Access(_) => {}
            }
        }
        Ok(None)
    }

    fn begin(
        &mut self,
        reader: Reader<R>,
        number: u64,
        place: impl Fn(u64) -> Option<u32>,
    ) -> Result<(), MergeError> {
        let room = self.machine.hardware_threads();
        let taken = |on: u32| self.flows.iter().any(|flow| flow.on == on);
        let Some(on) = place(number).filter(|on| *on < room && !taken(*on)) else {
            return Err(match self.flows.iter().any(|flow| flow.number == number) {
                true => MergeError::Twice(number),
                false => MergeError::NoPlace {
                    flow: number,
                    machine: self.machine.name.clone(),
                    room,
                },
            });
        };
        self.model.enter(on, reader.space());
        self.flows.push(Running {
            reader,
            number,
            on,
            warm: (self.rule.warm == 0).then(Counts::default),
            recorded: 0,
            accesses: None,
            over: false,
        });
        Ok(())
    }

    fn run(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), MergeError> {
        let mut cores: Vec<Busy> = (0..self.machine.cores)
            .map(|core| {
                let all = self.flows.iter().enumerate();
                let own = all.filter(|(_, flow)| self.machine.core_of(flow.on) == core);
                Busy {
                    flows: own.map(|(place, _)| place).collect(),
                    turn: 0,
                    clock: 0,
                }
            })
            .filter(|core| !core.flows.is_empty())
            .collect();
        let slice = (self.rule.slice.max(1)) as f64;
        while let Some(core) = cores.iter_mut().min_by_key(|core| core.clock) {
            let until = Model::cycles(core.clock) + slice;
            while Model::cycles(core.clock) < until && !core.flows.is_empty() {
                self.turn(core)?;
            }
            cores.retain(|core| !core.flows.is_empty());
            if stopped() {
                return Err(MergeError::Stopped);
            }
        }
        Ok(())
    }

    /// The next hardware thread of a core has its turn.
    fn turn(&mut self, core: &mut Busy) -> Result<(), MergeError> {
        let place = core.flows[core.turn];
        self.step(place)?;
        let on = |place: &usize| self.model.counts(self.flows[*place].on);
        let base: u64 = core.flows.iter().map(|place| on(place).base).sum();
        let alone = core
            .flows
            .iter()
            .map(|place| on(place).base + on(place).stall);
        core.clock = core.clock.max(alone.max().unwrap_or(0)).max(base);
        match self.flows[place].over {
            true => drop(core.flows.remove(core.turn)),
            false => core.turn += 1,
        }
        if core.turn >= core.flows.len() {
            core.turn = 0;
        }
        Ok(())
    }

    fn step(&mut self, place: usize) -> Result<(), MergeError> {
        let flow = &mut self.flows[place];
        let mut left = self.rule.turn.max(1);
        while left > 0 {
            let access = match flow.reader.token()? {
                Some(Token::Access(access)) => access,
                Some(Token::Event(Event::End { accesses })) => {
                    flow.accesses = Some(accesses);
                    continue;
                }
                Some(Token::Event(event)) => {
                    self.model.event(flow.reader.space(), event);
                    continue;
                }
                None => {
                    flow.over = true;
                    return Ok(());
                }
            };
            self.model.access(flow.on, access);
            flow.recorded += access.times;
            left = left.saturating_sub(access.times);
            if flow.warm.is_none() && flow.recorded >= self.rule.warm {
                flow.warm = Some(self.model.counts(flow.on));
            }
        }
        Ok(())
    }

    fn merged(self, mut hashes: Vec<[u8; 32]>) -> Merged {
        let flows = self.flows.iter().map(|flow| {
            let counts = self.model.counts(flow.on);
            Flow {
                on: flow.on,
                counts: counts.since(flow.warm.unwrap_or_default()),
                accesses: flow.accesses.unwrap_or(flow.recorded),
            }
        });
        let flows: Vec<Flow> = flows.collect();
        hashes.extend(self.flows.iter().map(|flow| flow.reader.hash()));
        let (lines, pages) = self.model.shared();
        Merged {
            time_ns: time_ns(self.machine, &flows),
            flows,
            lines,
            pages,
            traces: hash_of(&hashes),
        }
    }
}

/// When the last core has done all accesses of its flows.
fn time_ns(machine: &Machine, flows: &[Flow]) -> f64 {
    let of_core = |core: u32| {
        let own = || {
            flows
                .iter()
                .filter(move |flow| machine.core_of(flow.on) == core)
        };
        let base: f64 = own().map(|flow| flow.scaled(|counts| counts.base)).sum();
        let alone = own().map(|flow| flow.scaled(|counts| counts.base + counts.stall));
        alone.fold(base, f64::max)
    };
    let ticks = (0..machine.cores).map(of_core).fold(0.0, f64::max);
    Model::cycles(1) * ticks * 1e3 / f64::from(machine.clock_mhz)
}

fn hash_of(hashes: &[[u8; 32]]) -> String {
    let mut all = Sha256::new();
    hashes.iter().for_each(|hash| all.update(hash));
    let hash: [u8; 32] = all.finalize().into();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
