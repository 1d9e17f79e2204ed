//! The slot process: the fresh process in which one slot runs. This same binary, started with
//! [`SLOT_PROCESS_ARGUMENT`], reads its task as JSON from standard input, writes its [`Answer`] as one line to standard
//! output, and exits. It has one thread until it creates flows, and leads a process group.
//!
//! It never outlives the main process: it asks for `SIGKILL` at its parent's death (as no other signal reaches a
//! stopped process) before this program begins in it and once more first of all, and compares its parent with the pid
//! in its task, as the parent may have been faster. Exec keeps the request, fork clears it: each forked flow asks
//! again. Others remove what it has on disk ([`crate::janitor`]).
//!
//! A panic ends a slot process at once (`_exit` after the message): a forked flow that unwound into its copy of the
//! parent's frames would go on as a second parent.

use std::io::{self, Write};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::alarm::Alarm;
use crate::allocator;
use crate::body::Body;
use crate::channel::Sink;
use crate::context::AnyBody;
use crate::ending::{answer_and_exit, end_on_panic, exit, keep_answers_apart};
use crate::parent_memory::HeldParentMemory;
use crate::quota::{QuotaGroup, Throttled};
use crate::record::{Answer, Failure, Rep, SlotRecord};
use crate::rep;
use crate::variant::{Channel, Variant};
use crate::watch::SlotResources;
use crate::{HeapPages, MemoryPolicy, Policy};
use crate::{SlotSpec, pace};

/// The first argument of a slot process.
pub const SLOT_PROCESS_ARGUMENT: &str = "__cell";

const EXIT_NO_TASK: i32 = 96;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task<S> {
    pub(crate) spec: S,
    pub(crate) parent: i32,
    pub(crate) fifo: PathBuf,
    pub(crate) scratch: Option<PathBuf>,
    /// A descriptor that the launcher has left open for it.
    pub(crate) lent: Option<RawFd>,
}

/// One slot about to run.
#[derive(Debug)]
pub struct SlotProcess<W> {
    task: Task<SlotSpec<W>>,
    began: Instant,
}

/// What comes before the repetitions is in no deadline, up to here; the launcher cannot tell what hangs.
const SPARE: Duration = Duration::from_secs(1);

/// Whether this process was started as a slot process. To be asked first of all in `main`.
#[must_use]
pub fn is_slot_process() -> bool {
    crate::tied::is_in_role(SLOT_PROCESS_ARGUMENT)
}

/// The whole life of a slot process: `run` makes body and sink and calls [`SlotProcess::run`].
pub fn slot_process_main<W: DeserializeOwned>(run: impl FnOnce(&SlotProcess<W>) -> Answer) -> ! {
    end_on_panic();
    let began = Instant::now();
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    let task: Task<SlotSpec<W>> = match serde_json::from_reader(io::stdin().lock()) {
        Ok(task) => task,
        Err(error) => {
            let _closed_is_fine =
                writeln!(io::stderr(), "a slot process cannot read its task: {error}");
            exit(EXIT_NO_TASK)
        }
    };
    if tied.is_err() || nix::unistd::getppid().as_raw() != task.parent {
        exit(EXIT_NO_TASK);
    }
    if let Some(lent) = task.lent {
        close_on_exec(lent);
    }
    if let Err(error) = keep_answers_apart() {
        answer_and_exit(&Answer::from_error(&error));
    }
    answer_and_exit(&run(&SlotProcess { task, began }))
}

fn close_on_exec(lent: RawFd) {
    // SAFETY: the call takes numbers alone, and flags a descriptor left open for this process.
    unsafe { libc::fcntl(lent, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// Each field is named: no axis is measured without its effect. Those with `_` take effect elsewhere.
pub(crate) fn prepare(variant: &Variant) -> io::Result<()> {
    let Variant {
        model: _,
        flows: _,
        placement: _,
        schedule: _,
        channel: _,
        parent_memory: _,
        allocator,
        heap_pages,
        memory_policy,
        policy,
        quota: _,
        faster: _,
    } = variant;
    allocator::check(allocator.as_ref()).map_err(io::Error::other)?;
    heap_pages.map_or(Ok(()), HeapPages::prepare)?;
    memory_policy.map_or(Ok(()), MemoryPolicy::prepare)?;
    policy.map_or(Ok(()), Policy::prepare)
}

pub(crate) fn limited(variant: &Variant) -> io::Result<Option<QuotaGroup>> {
    let group = variant.quota.map(QuotaGroup::make).transpose()?;
    group.as_ref().map_or(Ok(()), QuotaGroup::enter)?;
    Ok(group)
}

impl<W> SlotProcess<W> {
    /// What to do.
    #[must_use]
    pub fn spec(&self) -> &SlotSpec<W> {
        &self.task.spec
    }

    /// The folder for the slot's files, where [`SlotSpec::scratch`] asked for one.
    #[must_use]
    pub fn scratch(&self) -> Option<&Path> {
        self.task.scratch.as_deref()
    }

    pub(crate) fn left(&self) -> Duration {
        let deadline = Duration::from_secs_f64(self.spec().deadline_s.clamp(0.0, 1e9));
        deadline.min((deadline + SPARE).saturating_sub(self.began.elapsed()))
    }

    pub(crate) fn alarm(&self, at: String) -> io::Result<Alarm> {
        Alarm::set(self.spec().deadline_text(), self.left(), at)
    }

    /// Does `work` before or after the repetitions; at the slot's deadline the slot ends, and names `at` as what it was
    /// doing. Fails if the kernel gives no timer.
    pub fn in_time<T>(&self, at: String, work: impl FnOnce() -> T) -> io::Result<T> {
        let _until_done = self.alarm(at)?;
        Ok(work())
    }

    /// Runs every repetition of the slot.
    pub fn run<B: Body>(&self, body: &B, sink: &mut dyn Sink) -> Answer {
        self.try_run(body, sink)
            .unwrap_or_else(|error| Answer::from_error(&error))
    }

    fn try_run(&self, body: &dyn AnyBody, sink: &mut dyn Sink) -> io::Result<Answer> {
        let spec = self.spec();
        prepare(&spec.variant)?;
        let limited = limited(&spec.variant)?;
        if spec.variant.placement.is_one_cpu() {
            sys::bind(spec.bound_to())?;
        }
        let parent_memory = spec.variant.parent_memory;
        let parent_memory = parent_memory.map(HeldParentMemory::take).transpose()?;
        let flows = spec.variant.carriers();
        pace::begin(spec.variant.faster.as_ref(), flows, spec.bound_to())?;
        let facts = body.facts();
        let rings = facts.sends && spec.variant.channel == Channel::Shm;
        let resources = SlotResources::new(spec, self.left(), rings, facts.times)?;
        let total = spec.warmups + spec.reps.max(1);
        let mut reps = Vec::with_capacity(total as usize);
        let mut memory = None;
        for number in 1..=total {
            let last = number == total;
            if let (Some(parent_memory), 2..) = (&parent_memory, number) {
                parent_memory.renew()?;
            }
            let before = limited.as_ref().map(QuotaGroup::throttled).transpose()?;
            let mut run = rep::run(&resources, spec, &self.task.fifo, body, sink, last)?;
            run.rep.throttled = throttled_since(limited.as_ref(), before)?;
            if spec.profile.is_none() {
                run.rep.parent.began_ns = Default::default();
            }
            let wrong = run.failure.clone();
            if let Some(reason) = wrong.or_else(|| different(&reps, &run.rep)) {
                return Ok(Answer::Failed {
                    reason,
                    kept: Some(run.rep),
                    begun: None,
                });
            }
            memory = run.memory;
            reps.push(run.rep);
        }
        let memory = memory.ok_or_else(|| io::Error::other("memory was not read"))?;
        let heap_pages = spec.variant.heap_pages;
        heap_pages
            .map_or(Ok(()), |pages| pages.check_heap(&memory))
            .map_err(io::Error::other)?;
        let proof = reps[0].proof();
        let counted = reps.split_off(spec.warmups as usize);
        Ok(Answer::Done(SlotRecord {
            warmups: reps,
            reps: counted,
            memory,
            timed: None,
            proof,
        }))
    }
}

pub(crate) fn throttled_since(
    group: Option<&QuotaGroup>,
    before: Option<Throttled>,
) -> io::Result<Option<Throttled>> {
    let now = group.map(QuotaGroup::throttled).transpose()?;
    Ok(now.zip(before).map(|(now, before)| now.since(before)))
}

fn different(reps: &[Rep], rep: &Rep) -> Option<Failure> {
    let (expected, got) = (reps.first()?.proof(), rep.proof());
    (expected != got).then(|| Failure::different_work(expected, got))
}
