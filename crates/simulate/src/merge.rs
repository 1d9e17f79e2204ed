//! Traces of the flows of one slot, each recorded by itself, merged on the cores of a machine:
//!
//! * **Cores**: the core whose clock is earliest runs next, for a slice of cycles.
//! * **Hardware threads of a core** take turns of some accesses each.
//! * **Flows on one hardware thread** have time slices, a number of accesses; then the next one is
//!   switched in, in its own address space.
//! ```text
//!   core 0   aaaa bbbb aaaa bbbb │            a, b: threads of one core
//!   core 1                       │ cccc dddd  next: the earliest clock
//! ```
//! **Clock of a core.** Its hardware threads share what executes and wait each for itself: max(sum
//! of base, max over hardware threads of (base + waiting)). **Warm-up** ([`Trace::warm`]) is not
//! counted; where a window ended before the work did, counts are scaled to all accesses
//! ([`Flow::whole`]). A flow whose trace ends early, or at [`Trace::most`], leaves its core to the
//! others. **Other orders** ([`Rule::order`]) draw the length of each turn, slice and time slice
//! between half and one and a half of the rule's, and let cores begin up to [`APART`] slices apart.

use std::collections::VecDeque;
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
    /// Accesses of a flow before the next one of its hardware thread is switched in.
    pub timeslice: u64,
    /// Which order: 0 for turns and slices of equal length, any other number for drawn ones.
    pub order: u64,
}

const APART: u64 = 16;

/// Splitmix64.
#[derive(Debug, Clone, Copy)]
struct Drawn(u64);

impl Drawn {
    /// In order 0 the length.
    fn about(&mut self, length: u64) -> u64 {
        match self.0 {
            0 => length,
            _ => length / 2 + self.next() % (length + 1),
        }
    }

    /// In order 0 none.
    fn below(&mut self, end: u64) -> u64 {
        match self.0 {
            0 => 0,
            _ => self.next() % end.max(1),
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// What one thread of the recorded program did.
#[derive(Debug)]
pub struct Trace<R> {
    /// Its tokens.
    pub tokens: R,
    /// Recorded accesses that warm up and are not counted.
    pub warm: u64,
    /// Recorded accesses that are run at the most.
    pub most: u64,
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
    /// A hash of the traces, in order.
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

struct Running<R> {
    birth: usize,
    reader: Reader<R>,
    number: u64,
    on: u32,
    /// Counted before it was last switched out.
    before: Counts,
    entered: Counts,
    left: u64,
    warm: u64,
    most: u64,
    warmed: Option<Counts>,
    recorded: u64,
    accesses: Option<u64>,
    over: bool,
}

struct Busy {
    threads: Vec<u32>,
    /// Unfinished flows of each hardware thread; the first one runs.
    queues: Vec<VecDeque<usize>>,
    turn: usize,
    began: u64,
    clock: u64,
}

struct Merge<'a> {
    model: Model,
    flows: Vec<Running<Source<'a>>>,
    rule: Rule,
    drawn: Drawn,
    machine: &'a Machine,
}

/// Merges the traces of a slot, in the order of birth of their threads. `place` gives a flow's
/// hardware thread, `stopped` whether to give up. Errors: a bad trace, a flow without place.
pub fn merge<R: Read>(
    machine: &Machine,
    page: u64,
    rule: Rule,
    traces: impl IntoIterator<Item = Trace<R>>,
    place: impl Fn(u64) -> Option<u32>,
    stopped: &dyn Fn() -> bool,
) -> Result<Merged, MergeError> {
    let mut traces = traces
        .into_iter()
        .map(|Trace { tokens, warm, most }| Trace {
            tokens: Box::new(tokens) as Source<'_>,
            warm,
            most,
        });
    merge_all(machine, page, rule, &mut traces, &place, stopped)
}

type Source<'a> = Box<dyn Read + 'a>;

/// Not generic in the source: compiled once, with this crate's optimisation.
fn merge_all<'a>(
    machine: &'a Machine,
    page: u64,
    rule: Rule,
    traces: &mut dyn Iterator<Item = Trace<Source<'a>>>,
    place: &dyn Fn(u64) -> Option<u32>,
    stopped: &dyn Fn() -> bool,
) -> Result<Merged, MergeError> {
    let mut merge = Merge {
        model: Model::new(machine, page),
        flows: Vec::new(),
        rule,
        drawn: Drawn(rule.order),
        machine,
    };
    let mut hashes = Vec::new();
    for (birth, Trace { tokens, warm, most }) in traces.enumerate() {
        let mut reader = Reader::new(tokens)?;
        match merge.until_begin(&mut reader)? {
            Some(flow) => merge.begin((birth, reader), (warm, most), flow, place)?,
            None => hashes.push((birth, reader.hash())),
        }
    }
    if merge.flows.is_empty() {
        return Err(MergeError::NoFlow);
    }
    merge.flows.sort_by_key(|flow| flow.number);
    merge.run(stopped)?;
    Ok(merge.merged(hashes))
}

impl<'a> Merge<'a> {
    fn until_begin(&mut self, reader: &mut Reader<Source<'a>>) -> Result<Option<u64>, MergeError> {
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
        (birth, reader): (usize, Reader<Source<'a>>),
        (warm, most): (u64, u64),
        number: u64,
        place: &dyn Fn(u64) -> Option<u32>,
    ) -> Result<(), MergeError> {
        let room = self.machine.hardware_threads();
        if self.flows.iter().any(|flow| flow.number == number) {
            return Err(MergeError::Twice(number));
        }
        let Some(on) = place(number).filter(|on| *on < room) else {
            return Err(MergeError::NoPlace {
                flow: number,
                machine: self.machine.name.clone(),
                room,
            });
        };
        self.flows.push(Running {
            birth,
            reader,
            number,
            on,
            before: Counts::default(),
            entered: Counts::default(),
            left: 0,
            warm,
            most,
            warmed: (warm == 0).then(Counts::default),
            recorded: 0,
            accesses: None,
            over: false,
        });
        Ok(())
    }

    fn run(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), MergeError> {
        let cores = (0..self.machine.cores).map(|core| self.busy(core));
        let mut cores: Vec<Busy> = cores.filter(|core| !core.queues.is_empty()).collect();
        let fronts = cores.iter().flat_map(|core| &core.queues);
        let fronts: Vec<usize> = fronts.filter_map(|queue| queue.front().copied()).collect();
        fronts.into_iter().for_each(|place| self.switch_in(place));
        for core in &mut cores {
            let cycles = self.drawn.below(self.rule.slice * APART);
            core.began = (cycles as f64 / Model::cycles(1)) as u64;
            core.clock = core.began;
        }
        while let Some(core) = cores.iter_mut().min_by_key(|core| core.clock) {
            let slice = self.drawn.about(self.rule.slice).max(1);
            let until = Model::cycles(core.clock) + slice as f64;
            while Model::cycles(core.clock) < until && !core.queues.is_empty() {
                self.turn(core)?;
            }
            cores.retain(|core| !core.queues.is_empty());
            if stopped() {
                return Err(MergeError::Stopped);
            }
        }
        Ok(())
    }

    fn turn(&mut self, core: &mut Busy) -> Result<(), MergeError> {
        let queue = &mut core.queues[core.turn];
        let place = queue[0];
        self.step(place)?;
        let counts = || core.threads.iter().map(|thread| self.model.counts(*thread));
        let base: u64 = counts().map(|own| own.base).sum();
        let alone = counts().map(|own| own.base + own.stall).max();
        let ran = base.max(alone.unwrap_or(0));
        core.clock = core.clock.max(core.began + ran);
        let flow = &self.flows[place];
        if flow.over || (flow.left == 0 && queue.len() > 1) {
            self.switch_out(place);
            queue.pop_front();
            queue.extend((!self.flows[place].over).then_some(place));
            if let Some(next) = queue.front() {
                self.switch_in(*next);
            }
        }
        match queue.is_empty() {
            true => drop(core.queues.remove(core.turn)),
            false => core.turn += 1,
        }
        if core.turn >= core.queues.len() {
            core.turn = 0;
        }
        Ok(())
    }

    fn busy(&self, core: u32) -> Busy {
        let first = core * self.machine.threads_per_core;
        let threads = first..first + self.machine.threads_per_core;
        let on = |thread: u32| {
            let all = self.flows.iter().enumerate();
            let own = all.filter(move |(_, flow)| flow.on == thread);
            own.map(|(place, _)| place).collect::<VecDeque<usize>>()
        };
        Busy {
            queues: threads
                .clone()
                .map(on)
                .filter(|own| !own.is_empty())
                .collect(),
            threads: threads.collect(),
            turn: 0,
            began: 0,
            clock: 0,
        }
    }

    fn switch_in(&mut self, place: usize) {
        let slice = self.drawn.about(self.rule.timeslice).max(1);
        let flow = &mut self.flows[place];
        self.model.enter(flow.on, flow.reader.space());
        flow.entered = self.model.counts(flow.on);
        flow.left = slice;
    }

    fn switch_out(&mut self, place: usize) {
        let counts = self.counts(place);
        self.flows[place].before = counts;
        self.flows[place].entered = self.model.counts(self.flows[place].on);
    }

    fn counts(&self, place: usize) -> Counts {
        let flow = &self.flows[place];
        let now = self.model.counts(flow.on).since(flow.entered);
        flow.before.and(now)
    }

    fn step(&mut self, place: usize) -> Result<(), MergeError> {
        let mut left = self.drawn.about(self.rule.turn).max(1);
        while left > 0 && !self.flows[place].over {
            let flow = &mut self.flows[place];
            left = left.min(flow.most.saturating_sub(flow.recorded));
            if left == 0 {
                flow.over = true;
                break;
            }
            let until = match flow.warmed {
                None => left.min(flow.warm.saturating_sub(flow.recorded).max(1)),
                Some(_) => left,
            };
            let done = self.accesses(place, until)?;
            left = left.saturating_sub(done);
            let flow = &mut self.flows[place];
            flow.recorded += done;
            flow.left = flow.left.saturating_sub(done);
            if flow.warmed.is_none() && flow.recorded >= flow.warm {
                let now = self.model.counts(flow.on).since(flow.entered);
                flow.warmed = Some(flow.before.and(now));
            }
        }
        Ok(())
    }

    fn accesses(&mut self, place: usize, until: u64) -> Result<u64, MergeError> {
        let flow = &mut self.flows[place];
        let mut done = 0;
        while done < until {
            done += self.model.accesses(flow.on, &mut flow.reader, until - done);
            if done >= until {
                break;
            }
            match flow.reader.token()? {
                Some(Token::Access(access)) => {
                    self.model.access(flow.on, access);
                    done += access.times;
                }
                Some(Token::Event(Event::End { accesses })) => flow.accesses = Some(accesses),
                Some(Token::Event(event)) => self.model.event(flow.reader.space(), event),
                None => {
                    flow.over = true;
                    break;
                }
            }
        }
        Ok(done)
    }

    fn merged(self, mut hashes: Vec<(usize, [u8; 32])>) -> Merged {
        let flows = self.flows.iter().map(|flow| Flow {
            on: flow.on,
            // Every flow was switched out at its end.
            counts: flow.before.since(flow.warmed.unwrap_or_default()),
            accesses: flow.accesses.unwrap_or(flow.recorded),
        });
        let flows: Vec<Flow> = flows.collect();
        let of_flows = self.flows.iter();
        hashes.extend(of_flows.map(|flow| (flow.birth, flow.reader.hash())));
        hashes.sort_unstable();
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

fn time_ns(machine: &Machine, flows: &[Flow]) -> f64 {
    let of_core = |core: u32| {
        let own = || {
            flows
                .iter()
                .filter(move |flow| machine.core_of(flow.on) == core)
        };
        let base: f64 = own().map(|flow| flow.scaled(|counts| counts.base)).sum();
        let first = core * machine.threads_per_core;
        let alone = (first..first + machine.threads_per_core).map(|thread| {
            let flows = own().filter(|flow| flow.on == thread);
            let times = flows.map(|flow| flow.scaled(|counts| counts.base + counts.stall));
            times.sum::<f64>()
        });
        alone.fold(base, f64::max)
    };
    let ticks = (0..machine.cores).map(of_core).fold(0.0, f64::max);
    Model::cycles(1) * ticks * 1e3 / f64::from(machine.clock_mhz)
}

fn hash_of(hashes: &[(usize, [u8; 32])]) -> String {
    let mut all = Sha256::new();
    hashes.iter().for_each(|(_, hash)| all.update(hash));
    let hash: [u8; 32] = all.finalize().into();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
