//! What one flow does, whatever it is made of.
//!
//! ```text
//!  born ─ prepare ─ arrive ─┤start gate├─ start stamp ─ units ─ end stamp ─ done ─┤end gate├─ gone
//!         create phase                     steady phase                            tear-down
//! ```
//!
//! A carrier of user-level flows lives the same way, with all of its flows inside: see
//! [`crate::start::fiber`] and [`crate::start::task`].
//!
//! Everything the harness needs (state, outlet, CPU mask) is ready before the gate.
//! Between the two stamps there is the body, and of the harness only the hand-out of
//! units (an addition, or one `fetch_add` on a queue).

use std::io;
use std::sync::atomic::Ordering;

use measure::clock::now_ns;
use measure::usage::{self, Usage};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::{Pid, getpid, gettid};

use crate::area::Area;
use crate::body::Body;
use crate::channel::{Entrance, Outlet};
use crate::flow_cell::Tally;
use crate::futex;
use crate::notify::Notify;
use crate::start;
use crate::turn::{KernelTurn, Pipes};
use crate::variant::Schedule;
use crate::{Model, Variant};

/// What flows borrow from the parent for one repetition.
#[derive(Debug)]
pub(crate) struct Context<'a, B: Body> {
    pub(crate) body: &'a B,
    pub(crate) variant: &'a Variant,
    pub(crate) cpus: &'a [u32],
    pub(crate) narrate: bool,
    pub(crate) area: &'a Area,
    pub(crate) notify: &'a Notify,
    pub(crate) entrance: &'a Entrance,
    /// The pipes of a ring, where flows hand over by them.
    pub(crate) pipes: &'a Pipes,
    /// The parent's pid, so that a child can tell that it was orphaned at birth.
    pub(crate) parent: Pid,
}

/// Where a flow's preparation or work failed; the number is stored with the errno.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Affinity = 1,
    FileTable = 2,
    OpenChannel = 3,
    Send = 4,
    Stacks = 5,
    StackSize = 6,
}

/// What a flow could not do.
pub(crate) type Trouble = (Step, io::Error);

/// A step and its errno in one word, and back to text.
fn trouble(step: Step, error: &io::Error) -> u64 {
    let errno = u64::from(error.raw_os_error().unwrap_or(0).unsigned_abs());
    ((step as u64) << 32) | errno
}

/// What a stored trouble means.
pub(crate) fn describe_trouble(word: u64) -> String {
    let step = match word >> 32 {
        1 => "could not be bound to its CPU",
        2 => "could not get a file table of its own",
        3 => "could not open its end of the channel",
        5 => "could not make the stacks of its fibers (fewer flows or smaller stacks help)",
        6 => "cannot run fibers here, or not on stacks of that size",
        _ => "could not send its results",
    };
    let errno = i32::try_from(word & 0xffff_ffff).unwrap_or(0);
    let way_out = match errno {
        libc::EMFILE => "; raise the limit (ulimit -n), or use --channel pipe",
        _ => "",
    };
    format!("{step}: {}{way_out}", io::Error::from_raw_os_error(errno))
}

/// Runs one of the kernel's flows from its birth to the end gate: flow `index` itself, or
/// the carrier of that number with all it carries.
pub(crate) fn run<B: Body>(context: &Context<'_, B>, index: usize) {
    match context.variant.model {
        Model::Fiber { stacks, .. } => start::fiber::carry(context, index, stacks),
        Model::Task => start::task::carry(context, index),
        _ if B::TURNS => take_turns(context, index),
        _ => do_units(context, index),
    }
}

/// The life of a flow that does units of work.
fn do_units<B: Body>(context: &Context<'_, B>, index: usize) {
    let ready = prepare(context, index);
    let mut state = context.body.state();
    at_gate(context, index);
    // The outlet stays open until the end: a named pipe without writers would wake the
    // parent over and over.
    let mut opened = None;
    let worked = ready.and_then(|outlet| {
        let outlet = opened.insert(outlet);
        let mut tally = begin();
        let before = usage::this_thread();
        units(context, index, &mut state, outlet, &mut tally);
        let tally = finish(tally, before, outlet)?;
        context.body.settle(&mut state);
        Ok(tally)
    });
    leave(context, index, worked);
}

/// The life of a flow that takes turns with the others.
fn take_turns<B: Body>(context: &Context<'_, B>, index: usize) {
    let ready = prepare(context, index);
    let mut state = context.body.state();
    at_gate(context, index);
    let mut turn = KernelTurn {
        area: context.area,
        pipes: context.pipes,
        how: context.body.hand_over(),
        index,
        flows: context.variant.flows as usize,
        handed: 0,
    };
    let (body, unit) = (context.body, index as u64);
    let worked = ready.map(|_sends_nothing| {
        turn.run(body.laps(false), async |turn| {
            body.turns(&mut state, unit, turn).await
        })
    });
    leave(context, index, worked);
}

/// Arrives, and waits for the release.
pub(crate) fn at_gate<B: Body>(context: &Context<'_, B>, index: usize) {
    let (pid, tid) = (getpid().as_raw(), gettid().as_raw());
    let cell = context.area.flow(index);
    cell.arrived(pid, tid, usage::this_thread());
    arrive(context);
    wait_at(&context.area.header().start.0);
}

/// Stamps the beginning of the timed part.
pub(crate) fn begin() -> Tally {
    Tally {
        start_ns: now_ns(),
        ..Tally::default()
    }
}

/// Sends the rest and stamps the end of the timed part.
pub(crate) fn finish(
    mut tally: Tally,
    before: Usage,
    outlet: &mut Outlet<'_>,
) -> Result<Tally, Trouble> {
    let sent = outlet.finish();
    tally.sent = outlet.sent();
    tally.steady = usage::this_thread().since(before);
    tally.end_ns = now_ns();
    match sent {
        Ok(()) => Ok(tally),
        Err(error) => Err((Step::Send, error)),
    }
}

/// Leaves what was done for the parent, and waits for the second release.
pub(crate) fn leave<B: Body>(
    context: &Context<'_, B>,
    index: usize,
    worked: Result<Tally, Trouble>,
) {
    let cell = context.area.flow(index);
    match worked {
        Ok(tally) => cell.done(&tally),
        Err((step, error)) => cell.troubled(&Tally::default(), trouble(step, &error)),
    }
    finished(context);
    wait_at(&context.area.header().end.0);
}

/// Binds the flow and opens its outlet.
pub(crate) fn prepare<'a, B: Body>(
    context: &Context<'a, B>,
    index: usize,
) -> Result<Outlet<'a>, Trouble> {
    if !context.cpus.is_empty() {
        let cpu = context.cpus[index % context.cpus.len()];
        bind(&[cpu]).map_err(|error| (Step::Affinity, error))?;
    }
    if context.variant.model == Model::ThreadPrivateFiles {
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_FILES)
            .map_err(|errno| (Step::FileTable, errno.into()))?;
    }
    context
        .entrance
        .outlet(context.area, context.notify, index)
        .map_err(|error| (Step::OpenChannel, error))
}

/// Restricts the calling thread to `cpus`.
pub(crate) fn bind(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu as usize)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)?;
    Ok(())
}

/// Does what is there for flow `index` to do, one unit after the other.
pub(crate) fn units<B: Body>(
    context: &Context<'_, B>,
    index: usize,
    state: &mut B::State,
    outlet: &mut Outlet<'_>,
    tally: &mut Tally,
) {
    match context.variant.schedule {
        Schedule::Static => {
            let stride = context.variant.flows as usize;
            for unit in (index as u64..context.body.units()).step_by(stride) {
                do_unit(context, state, unit, outlet, tally);
            }
        }
        Schedule::Queue => {
            while let Some(unit) = next_unit(context) {
                do_unit(context, state, unit, outlet, tally);
            }
        }
    }
}

fn next_unit<B: Body>(context: &Context<'_, B>) -> Option<u64> {
    let unit = context
        .area
        .header()
        .cursor
        .0
        .fetch_add(1, Ordering::Relaxed);
    (unit < context.body.units()).then_some(unit)
}

#[inline]
fn do_unit<B: Body>(
    context: &Context<'_, B>,
    state: &mut B::State,
    unit: u64,
    outlet: &mut Outlet<'_>,
    tally: &mut Tally,
) {
    if context.narrate {
        narrate(context, unit, "starting on");
    }
    outlet.begin(unit);
    tally.proof += context.body.unit(state, unit, outlet);
    tally.units += 1;
    if context.narrate {
        narrate(context, unit, "finished");
    }
}

/// Says on standard error what this flow does, in one write so that lines never mix.
#[cold]
fn narrate<B: Body>(context: &Context<'_, B>, unit: u64, what: &str) {
    use std::io::Write;
    let who = match context.variant.model {
        Model::Process | Model::ProcessSharedFiles => format!("process {}", getpid()),
        Model::Thread | Model::ThreadPrivateFiles => format!("thread {}", gettid()),
        Model::Mix { .. } => format!("process {} thread {}", getpid(), gettid()),
        Model::Fiber { .. } => format!("a fiber of thread {}", gettid()),
        Model::Task => format!("a task of thread {}", gettid()),
    };
    let line = format!("{who} {what} {}\n", context.body.describe(unit));
    let _closed_is_fine = io::stderr().write_all(line.as_bytes());
}

fn arrive<B: Body>(context: &Context<'_, B>) {
    let arrived = context
        .area
        .header()
        .arrived
        .0
        .fetch_add(1, Ordering::AcqRel)
        + 1;
    if arrived == context.variant.carriers() {
        context.notify.wake();
    }
}

fn finished<B: Body>(context: &Context<'_, B>) {
    let done = context.area.header().done.0.fetch_add(1, Ordering::AcqRel) + 1;
    if done == context.variant.carriers() {
        context.notify.wake();
    }
}

fn wait_at(gate: &std::sync::atomic::AtomicU32) {
    while gate.load(Ordering::Acquire) == 0 {
        futex::wait(gate, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_keeps_the_step_and_the_errno() {
        let word = trouble(
            Step::OpenChannel,
            &io::Error::from_raw_os_error(libc::EMFILE),
        );
        let text = describe_trouble(word);
        assert!(
            text.contains("its end of the channel")
                && text.contains("Too many open")
                && text.contains("ulimit -n"),
            "{text}"
        );
    }
}
