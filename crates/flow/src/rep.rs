//! One repetition, seen from the parent: create, steady, tear-down.
//! ```text
//! t0 ─ create flows ─ all arrived ─ t1   go ─ take results ─ all done ─ last result   t2 ─ join ─ t3
//! └──────────── create ────────────┘     └──────────── steady ───────────────────┘    └ tear-down ┘
//!                                                                              (memory)
//! ```
//! * No flow works before all exist, none leaves before all are done. Between two phases: memory,
//!   [`counter_reader`], [`counting`].
//! * `steady` ends when the last flow is done *and* the parent has taken and stored every result.
//! * Nothing can kill a thread safely: a hung one ends with its slot process.

mod counter_reader;
mod counting;
mod flow_records;
mod survey;
mod verdict;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use measure::Measured;
use measure::clock::now_ns;
use measure::counters::{Event, Kernel, Source};
use measure::interrupts;
use measure::memory::{self, Memory, Reading};
use measure::usage;
use nix::unistd::getpid;

use crate::alarm::Alarm;
use crate::body::Part;
use crate::channel::{self, Inlet, Sink};
use crate::context::{AnyBody, Context};
use crate::flow_run::say;
use crate::flow_status::FlowStatus;
use crate::footprint::Board;
use crate::futex;
use crate::latency::{Latencies, Together};
use crate::pace;
use crate::record::{KernelCounters, ParentRecord, Rep};
use crate::recording::Recorded;
use crate::shared_memory::OPEN;
use crate::start::{FlowSet, not_created};
use crate::turn::{HandOver, Pipes};
use crate::watch::{SlotResources, WaitFor, Watch};
use crate::{Answer, Failure, SlotSpec};
use counter_reader::{CounterReader, HIRED};
use counting::Counting;

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) rep: Rep,
    pub(crate) failure: Option<Failure>,
    pub(crate) memory: Option<Reading>,
}

struct Parts<'a, 'b> {
    resources: &'a SlotResources,
    context: &'a Context<'a>,
    set: FlowSet<'a>,
    watch: Watch<'a>,
    inlet: Inlet,
    sink: &'b mut dyn Sink,
    count: &'b [Event],
    film: bool,
}

pub(crate) fn run<W>(
    resources: &SlotResources,
    spec: &SlotSpec<W>,
    fifo: &Path,
    body: &dyn AnyBody,
    sink: &mut dyn Sink,
    last: bool,
) -> io::Result<Run> {
    resources.clear()?;
    let facts = body.facts();
    let (entrance, inlet) = channel::open(facts.sends.then_some(spec.variant.channel), fifo)?;
    let pipes = if facts.turns && facts.hand_over == HandOver::Pipe {
        Pipes::open(spec.variant.flows)?
    } else {
        Pipes::default()
    };
    let asked = facts.touches && last && !spec.variant.model.is_user_level();
    let board = asked.then(|| Board::new(spec.variant.flows as usize));
    let context = Context {
        body,
        facts,
        variant: &spec.variant,
        cpus: spec.bound_to(),
        narrate: spec.narrate.as_deref(),
        recorded: Recorded::of(spec.record.as_ref(), &spec.cpus),
        shared: &resources.shared,
        notify: &resources.notify,
        entrance: &entrance,
        board: board.as_ref().map(Result::as_ref),
        latencies: resources.latencies.as_ref(),
        pipes: &pipes,
        parent: getpid(),
    };
    sink.begin()?;
    let watch = Watch::new(resources, &spec.variant);
    let mut parts = Parts {
        resources,
        context: &context,
        set: FlowSet::new(&spec.variant)?,
        watch,
        inlet,
        sink,
        count: &spec.count,
        film: spec.film,
    };
    match parts.repeat(last) {
        Ok(run) if !parts.watch.hung() => Ok(run),
        broken => parts.give_up(broken),
    }
}

fn without_hired(reading: &Reading) -> Reading {
    let (Reading::Honest(Memory { rss, .. }) | Reading::RssOnly { rss, .. }) = *reading;
    Reading::RssOnly {
        rss,
        reason: HIRED.to_owned(),
        remedy: "the peak of RSS has them in it".to_owned(),
    }
}

impl Parts<'_, '_> {
    fn repeat(&mut self, last: bool) -> io::Result<Run> {
        let mut parent = ParentRecord {
            pid: self.context.parent.as_raw(),
            ..Default::default()
        };
        let flows = self.context.variant.carriers() as usize;
        let facts = self.context.facts;
        let mut reader = last.then(|| CounterReader::new(parent.pid, flows, facts.hires));
        let (created, create_ns) = phase(&mut reader, || self.create(&mut parent))?;
        self.at_gate(&mut reader);
        self.context.entrance.all_open();
        let counting = self.count(last);
        let forgotten = (facts.shoots_down && last).then(interrupts::shootdowns);
        let (go, steady_ns) = phase(&mut reader, || self.steady(&mut parent))?;
        let paused = pace::read();
        let steady_ns = steady_ns.saturating_sub(paused.map_or(0, |one| one.due_ns));
        let shootdowns = forgotten.map(since);
        let counted = counting.map(|counting| Box::new(counting.map(Counting::read)));
        self.at_gate(&mut reader);
        let (mut memory, mut footprint) = (None, None);
        if last && !self.watch.hung() {
            memory = Some(self.memory()?);
            footprint = self.footprint()?;
        }
        let (ends, teardown_ns) = phase(&mut reader, || self.tear_down(&mut parent))?;
        let flows = flow_records::flow_records(&self.resources.shared, &self.watch, go);
        let skew_ns = flow_records::skew(&flows);
        let turns = facts
            .turns
            .then(|| flow_records::turns(&self.resources.shared));
        let rep = Rep {
            create_ns,
            steady_ns,
            teardown_ns,
            skew_ns,
            parent,
            flows,
            turns,
            latencies: self.latencies(),
            kernel_counters: reader.map(|reader| {
                Box::new(KernelCounters {
                    footprint,
                    shootdowns,
                    ..reader.counters()
                })
            }),
            counted,
            marks: self.film.then(|| Box::new([created, go, ends])),
            paused,
            ..Rep::default()
        };
        Ok(Run {
            failure: self.failure(&rep),
            rep,
            memory,
        })
    }

    fn latencies(&self) -> Option<Box<Latencies>> {
        let together = self.resources.latencies.as_ref();
        together.map(Together::read).map(Box::new)
    }

    fn at_gate(&self, reader: &mut Option<CounterReader>) {
        if let Some(reader) = reader {
            reader.flows(&self.resources.shared);
        }
    }

    fn count(&self, last: bool) -> Option<Measured<Counting<<Kernel as Source>::Counter>>> {
        let asked = last && !self.count.is_empty();
        asked.then(|| {
            if self.context.facts.hires {
                return Measured::not_available(HIRED, "");
            }
            let flows = self.resources.shared.flows().iter();
            let tids: Vec<i32> = flows.map(|flow| flow.ids().1).collect();
            Counting::begin(&mut Kernel, self.count, &tids)
        })
    }

    fn create(&mut self, parent: &mut ParentRecord) -> io::Result<(u64, u64)> {
        let before = usage::this_thread();
        let t0 = now_ns();
        parent.began_ns[0] = t0;
        let model = self.context.variant.model;
        self.set
            .create(self.context)
            .map_err(|error| not_created(model, &error))?;
        self.wait(WaitFor::Arrived)?;
        let t1 = now_ns();
        parent.create = usage::this_thread().since(before);
        Ok((t0, t1 - t0))
    }

    fn narrate(&self, does: &str) {
        if let Some(what) = self.context.narrate.filter(|_| self.context.facts.sends) {
            say(&format!("parent {} {does} {what}", self.context.parent));
        }
    }

    fn steady(&mut self, parent: &mut ParentRecord) -> io::Result<(u64, u64)> {
        self.narrate("writing");
        let before = usage::this_thread();
        let go = now_ns();
        gate(&self.resources.shared.header().start.0, OPEN);
        self.wait(WaitFor::Done)?;
        self.inlet.drain(&self.resources.shared, self.sink)?;
        self.sink.end()?;
        let has_all = now_ns();
        parent.steady = usage::this_thread().since(before);
        parent.end_ns = has_all - go;
        parent.received = self.inlet.received();
        self.narrate("finished writing");
        let tallies = || self.resources.shared.flows().iter().map(FlowStatus::read);
        let last = tallies().map(|tally| tally.end_ns).max().unwrap_or(go);
        let end = match parent.received {
            0 => last,
            _ => last.max(has_all),
        };
        // Flows that take turns line up after the release.
        let from = match tallies().map(|tally| tally.start_ns).min() {
            Some(first) if self.context.facts.turns => first.max(go),
            _ => go,
        };
        parent.began_ns[1] = from;
        Ok((go, end.saturating_sub(from)))
    }

    fn tear_down(&mut self, parent: &mut ParentRecord) -> io::Result<(u64, u64)> {
        let _until_joined = self.alarm_of_end()?;
        let before = usage::this_thread();
        let t2 = now_ns();
        parent.began_ns[2] = t2;
        gate(&self.resources.shared.header().end.0, OPEN);
        if self.watch.hung() {
            self.set.kill();
        } else {
            self.set.join()?;
        }
        let t3 = now_ns();
        parent.teardown = usage::this_thread().since(before);
        Ok((t2, t3 - t2))
    }

    /// Where the work may hang as flows end, which nothing else watches.
    fn alarm_of_end(&self) -> io::Result<Option<Alarm>> {
        let at = self.context.body.doing_in_words(Part::End);
        if at.is_empty() || self.watch.hung() {
            return Ok(None);
        }
        let deadline = self.resources.deadline_text().to_owned();
        Alarm::set(deadline, self.resources.left(), at).map(Some)
    }

    fn wait(&mut self, wait_for: WaitFor) -> io::Result<()> {
        let Self {
            watch,
            set,
            inlet,
            sink,
            ..
        } = self;
        watch.until(wait_for, &mut set.children, inlet, *sink)
    }

    fn memory(&self) -> io::Result<Reading> {
        let children = self.set.children.iter().map(|(pid, _)| pid.as_raw());
        let pids: Vec<i32> = std::iter::once(self.context.parent.as_raw())
            .chain(children)
            .collect();
        let reading = memory::reading(&pids).map_err(io::Error::other)?;
        Ok(match self.context.facts.hires {
            true => without_hired(&reading),
            false => reading,
        })
    }

    /// Ends the slot process: no return, as threads may work in frames borrowed from this one.
    fn give_up(mut self, broken: io::Result<Run>) -> ! {
        self.set.kill();
        crate::ending::answer_and_exit(&match broken {
            Ok(Run { rep, failure, .. }) => Answer::Failed {
                reason: failure.unwrap_or_else(|| Failure::Error {
                    what: "the deadline passed".to_owned(),
                }),
                kept: Some(rep),
                begun: None,
            },
            Err(error) => Answer::from_error(&error),
        })
    }
}

fn since(before: Measured<u64>) -> Measured<u64> {
    let now = interrupts::shootdowns();
    before.and_then(|before| now.map(|now| now.saturating_sub(before)))
}

fn phase<T>(
    reader: &mut Option<CounterReader>,
    run: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    if let Some(reader) = reader {
        reader.begin();
    }
    let done = run();
    if let Some(reader) = reader {
        reader.end();
    }
    done
}

fn gate(word: &AtomicU32, value: u32) {
    word.store(value, Ordering::Release);
    futex::wake_all(word);
}
