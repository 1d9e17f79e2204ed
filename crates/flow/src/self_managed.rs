//! Slots of work that makes its own flows: a searcher that makes a thread for each file has no
//! moment at which all flows wait at a gate. One call of a [`SelfManaged`] is a whole repetition,
//! and tells how long its phases took. All else is as for a [`Body`](crate::Body): fresh process,
//! one thread, warm-ups, equal proofs.
//!
//! * Usage is the slot process's and that of all it reaped: one flow record stands for all flows.
//! * Placement binds the slot process before its first repetition; flows inherit that.
//! * Flows never all wait, so memory is the peak of RSS, and no events are counted.
//! * A kernel timer watches the deadline ([`crate::alarm`]), and ends the slot process.
//! * Where timers are asked for ([`SlotSpec::timers`](crate::SlotSpec::timers)), one more
//!   repetition, no data point, has them.

use std::io;
use std::time::Duration;

use measure::Measured;
use measure::clock::now_ns;
use measure::memory::{self, Reading};
use measure::usage::{ProcessUsage, Usage};
use nix::unistd::getpid;

use crate::parent_memory::HeldParentMemory;
use crate::quota::{QuotaGroup, Throttled};
use crate::record::{Answer, Counted, FlowRecord, ParentRecord, Rep, SelfManagedUsage, SlotRecord};
use crate::slot_process::{SlotProcess, limited, prepare, throttled_since};
use crate::{Failure, Latencies, Proof, recording};

/// Work that makes its own flows.
pub trait SelfManaged {
    /// Whether it ends by itself at the deadline, and says what became of it.
    const KEEPS_DEADLINE: bool = false;

    /// Gets ready for a repetition, outside of all time. An error fails the slot.
    fn prepare(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Does all work once, with timers for classes of work if `timers`. An error fails the slot.
    fn repeat(&mut self, timers: bool) -> io::Result<SelfManagedRep>;

    /// Why a repetition is no data point beside one that proved other work.
    fn differs(&self, expected: Proof, got: Proof) -> Failure {
        Failure::different_work(expected, got)
    }

    /// Memory, after the last repetition, untimed; else the peak of RSS. An error fails the slot.
    fn memory(&mut self) -> io::Result<Option<Reading>> {
        Ok(None)
    }
}

/// What came of one repetition.
#[derive(Debug, Clone, Default)]
pub struct SelfManagedRep {
    /// Making flows.
    pub create: Duration,
    /// The work.
    pub steady: Duration,
    /// Ending flows.
    pub tear_down: Duration,
    /// What all flows used.
    pub usage: Usage,
    /// Units of work that were done.
    pub units: u64,
    /// Proof of the work.
    pub proof: Proof,
    /// When the phases began by the clock, in ns; `None`: one after the other from the call on.
    pub began_ns: Option<[u64; 3]>,
    /// How long requests took, where it answers some.
    pub latencies: Option<Latencies>,
    /// What a quota held back, where what it launches has one.
    pub throttled: Option<Throttled>,
    /// What else it tells; the peak of RSS is filled in by the harness where it is 0.
    pub own: SelfManagedUsage,
}

impl<W> SlotProcess<W> {
    /// Runs every repetition of a slot whose work makes its own flows.
    pub fn run_self_managed<F: SelfManaged>(&self, work: &mut F) -> Answer {
        self.try_run_self_managed(work)
            .unwrap_or_else(|error| Answer::from_error(&error))
    }

    fn try_run_self_managed<F: SelfManaged>(&self, work: &mut F) -> io::Result<Answer> {
        let spec = self.spec();
        prepare(&spec.variant)?;
        // What a supervisor launches has the quota; it has none.
        let own = Some(&spec.variant).filter(|_| !F::KEEPS_DEADLINE);
        let limited = own.map_or(Ok(None), limited)?;
        let _until_the_end = match F::KEEPS_DEADLINE {
            true => None,
            false => Some(self.alarm(String::new())?),
        };
        sys::bind(spec.bound_to())?;
        let parent_memory = spec.variant.parent_memory;
        let parent_memory = parent_memory.map(HeldParentMemory::take).transpose()?;
        let total = spec.warmups + spec.reps.max(1);
        let mut reps: Vec<Rep> = Vec::with_capacity(total as usize);
        for number in 1..=total {
            if let (Some(parent_memory), 2..) = (&parent_memory, number) {
                parent_memory.renew()?;
            }
            if spec.record.is_some() {
                recording::each_thread_is_a_flow();
            }
            let told = (spec.film, spec.profile.is_some());
            let rep = match within(limited.as_ref(), work, told) {
                Ok(rep) => rep,
                Err(error) => return Ok(Answer::after(&error, Some(number))),
            };
            if spec.record.is_some() {
                recording::no_more_flows();
            }
            let first = reps.first().map_or(rep.proof(), Rep::proof);
            if first != rep.proof() {
                return Ok(Answer::Failed {
                    reason: work.differs(first, rep.proof()),
                    kept: Some(rep),
                    begun: Some(number),
                });
            }
            reps.push(rep);
        }
        if let (Some(last), false) = (reps.last_mut(), spec.count.is_empty()) {
            last.counted = Some(Box::new(not_counted()));
        }
        let timed = match spec.timers {
            true => Some(Box::new(repetition(work, (true, (false, false)))?)),
            false => None,
        };
        let proof = reps[0].proof();
        let counted = reps.split_off(spec.warmups as usize);
        Ok(Answer::Done(SlotRecord {
            memory: work.memory()?.unwrap_or_else(|| memory(&counted)),
            warmups: reps,
            reps: counted,
            timed,
            proof,
        }))
    }
}

fn within(
    limited: Option<&QuotaGroup>,
    work: &mut impl SelfManaged,
    told: (bool, bool),
) -> io::Result<Rep> {
    let before = limited.map(QuotaGroup::throttled).transpose()?;
    let rep = repetition(work, (false, told))?;
    Ok(Rep {
        throttled: throttled_since(limited, before)?.or(rep.throttled),
        ..rep
    })
}

fn repetition(
    work: &mut impl SelfManaged,
    (timers, (film, profiled)): (bool, (bool, bool)),
) -> io::Result<Rep> {
    work.prepare()?;
    let began = now_ns();
    let done = work.repeat(timers)?;
    let pid = getpid().as_raw();
    let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let began_ns = done.began_ns.unwrap_or_else(|| {
        let steady = began + ns(done.create);
        [began, steady, steady + ns(done.steady)]
    });
    let all = FlowRecord {
        pid,
        tid: pid,
        end_ns: ns(done.steady),
        steady: done.usage,
        units: done.units,
        proof: done.proof,
        ..FlowRecord::default()
    };
    let peak_rss = match done.own.peak_rss {
        0 => peak_rss(done.own.most)?,
        told => told,
    };
    let (create_ns, steady_ns) = (ns(done.create), ns(done.steady));
    let marks = [began, began + create_ns, began + create_ns + steady_ns];
    Ok(Rep {
        create_ns,
        steady_ns,
        teardown_ns: ns(done.tear_down),
        parent: ParentRecord {
            pid,
            end_ns: ns(done.steady),
            began_ns: if profiled { began_ns } else { [0; 3] },
            ..ParentRecord::default()
        },
        flows: vec![all],
        latencies: done.latencies.map(Box::new),
        self_managed: Some(Box::new(SelfManagedUsage {
            peak_rss,
            ..done.own
        })),
        throttled: done.throttled,
        marks: film.then(|| Box::new(marks)),
        ..Rep::default()
    })
}

/// Of this process, and `most` times the largest reaped one.
fn peak_rss(most: u64) -> io::Result<u64> {
    let reaped = ProcessUsage::reaped()?.most_rss;
    let own = match memory::reading(&[getpid().as_raw()]).map_err(io::Error::other)? {
        Reading::Honest(memory) => memory.peak_rss.unwrap_or(memory.rss),
        Reading::RssOnly { rss, .. } => rss,
    };
    Ok(own + most * reaped)
}

fn not_counted() -> Measured<Counted> {
    Measured::not_available(
        "the flows of this work are its own, so counters cannot be opened in all of them",
        "perf stat counts a whole program, such as flowgauge search",
    )
}

fn memory(reps: &[Rep]) -> Reading {
    let peaks = reps.iter().filter_map(|rep| rep.self_managed.as_ref());
    Reading::RssOnly {
        rss: peaks.map(|own| own.peak_rss).max().unwrap_or(0),
        reason: "the flows of this work end before it can be read of all of them".to_owned(),
        remedy: "--sample 10ms reads it now and then".to_owned(),
    }
}
