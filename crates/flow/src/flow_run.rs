//! What one flow does, whatever it is made of; a carrier too, with its user-level flows inside
//! ([`crate::start::fiber`], [`crate::start::task`]).
//! ```text
//!  born ─ prepare ─ arrive ─┤start gate├─ start stamp ─ units ─ end stamp ─ done ─┤end gate├─ gone
//!         create phase                     steady phase                            tear-down
//! ```
//! Everything the harness needs is ready before the gate. Between the stamps there is of it only
//! the hand-out of units (an addition, or one `fetch_add` on a queue).

mod trouble;
mod units;

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use measure::clock::now_ns;
use measure::usage::{self, Usage};
use nix::unistd::{getpid, gettid};

use crate::Model;
use crate::body::Body;
use crate::channel::Outlet;
use crate::context::{Context, InContext};
use crate::flow_status::Tally;
use crate::footprint::Pieces;
use crate::futex;
use crate::pace;
use crate::recording;
use crate::shared_memory::{SHUT, SURVEY};
use crate::turn::KernelTurn;

use trouble::trouble;
pub(crate) use trouble::{Step, Trouble, describe_trouble};
pub(crate) use units::{say, unit_of_queue, units};

impl<B: Body> InContext<'_, B> {
    pub(crate) fn settle(&self, state: &mut B::State) {
        self.body.settle(state);
        if let Some((together, own)) = self.latencies.zip(self.body.latencies(state)) {
            together.merge(own);
        }
    }
}

pub(crate) fn run<B: Body>(work: InContext<'_, B>, index: usize) {
    match B::TURNS {
        true => take_turns(work, index),
        false => do_units(work, index),
    }
}

fn do_units<B: Body>(work: InContext<'_, B>, index: usize) {
    let context = work.context;
    let ready = prepare(context, index);
    let mut state = work.body.state(index);
    wait_at_gate(context, index);
    // The outlet stays open: a named pipe without writers would wake the parent over and over.
    let mut opened = None;
    let worked = ready.and_then(|outlet| {
        let outlet = opened.insert(outlet);
        let mut tally = begin();
        let before = usage::this_thread();
        begins(context, index);
        units(work, index, &mut state, outlet, &mut tally);
        pace::wait();
        ends(context, index);
        let mut tally = finish(tally, before, outlet)?;
        let used = [tally.steady, work.body.hired(&state)];
        tally.steady = used.into_iter().sum();
        work.settle(&mut state);
        Ok(tally)
    });
    report(context, index, worked);
    wait_for_the_end(context, || take_part(work, index, &state));
}

fn take_turns<B: Body>(work: InContext<'_, B>, index: usize) {
    let InContext { body, context } = work;
    let ready = prepare(context, index);
    let mut state = body.state(index);
    at_gate(context, index);
    let mut turn = KernelTurn {
        shared: context.shared,
        pipes: context.pipes,
        how: context.facts.hand_over,
        index,
        flows: context.variant.flows as usize,
        handed: 0,
    };
    let unit = index as u64;
    let worked = ready.map(|_sends_nothing| {
        turn.run(body.laps(false), async |turn| {
            body.turns(&mut state, unit, turn).await
        })
    });
    leave(context, index, worked);
}

pub(crate) fn at_gate(context: &Context<'_>, index: usize) {
    wait_at_gate(context, index);
    begins(context, index);
}

fn wait_at_gate(context: &Context<'_>, index: usize) {
    let (pid, tid) = (getpid().as_raw(), gettid().as_raw());
    let status = context.shared.flow(index);
    status.arrived(pid, tid, usage::this_thread());
    count_in(context, &context.shared.header().arrived.0);
    wait_while(&context.shared.header().start.0, SHUT);
}

fn begins(context: &Context<'_>, index: usize) {
    if context.recorded.is_some() {
        recording::flow_begins(index);
    }
}

pub(crate) fn begin() -> Tally {
    Tally {
        start_ns: now_ns(),
        ..Tally::default()
    }
}

pub(crate) fn finish(
    mut tally: Tally,
    before: Usage,
    outlet: &mut Outlet<'_>,
) -> Result<Tally, Trouble> {
    let sent = outlet.finish();
    tally.sent = outlet.sent();
    tally.steady = usage::this_thread().since(before);
    tally.end_ns = now_ns();
    match (outlet.failure(), sent) {
        (Some(error), _) => Err((Step::Unit, error)),
        (None, Err(error)) => Err((Step::Send, error)),
        (None, Ok(())) => Ok(tally),
    }
}

pub(crate) fn leave(context: &Context<'_>, index: usize, worked: Result<Tally, Trouble>) {
    report(context, index, worked);
    wait_for_the_end(context, || {});
}

/// Only the first call counts.
fn ends(context: &Context<'_>, index: usize) {
    if context.recorded.is_some() {
        recording::flow_ends(index);
    }
}

fn report(context: &Context<'_>, index: usize, worked: Result<Tally, Trouble>) {
    ends(context, index);
    let status = context.shared.flow(index);
    match worked {
        Ok(tally) => status.done(&tally),
        Err((step, error)) => status.troubled(&Tally::default(), trouble(step, &error)),
    }
    count_in(context, &context.shared.header().done.0);
}

fn wait_for_the_end(context: &Context<'_>, survey: impl FnOnce()) {
    let end = &context.shared.header().end.0;
    wait_while(end, SHUT);
    if end.load(Ordering::Acquire) == SURVEY {
        survey();
        wait_while(end, SURVEY);
    }
}

pub(crate) fn prepare<'a>(context: &Context<'a>, index: usize) -> Result<Outlet<'a>, Trouble> {
    bind_in_turn(context.cpus, index).map_err(|error| (Step::Affinity, error))?;
    if let Some(recorded) = context.recorded {
        recorded.flow_is_born(index);
    }
    if context.variant.model == Model::ThreadPrivateFiles {
        let own = nix::sched::CloneFlags::CLONE_FILES | nix::sched::CloneFlags::CLONE_FS;
        nix::sched::unshare(own).map_err(|errno| (Step::FileTable, errno.into()))?;
    }
    let entrance = context.entrance;
    let outlet = entrance.outlet(context.shared, context.notify, index);
    outlet.map_err(|error| (Step::OpenChannel, error))
}

pub(crate) fn bind_in_turn(cpus: &[u32], number: usize) -> io::Result<()> {
    match cpus {
        [] => Ok(()),
        cpus => sys::bind(&[cpus[number % cpus.len()]]),
    }
}

fn count_in(context: &Context<'_>, there: &AtomicU32) {
    if there.fetch_add(1, Ordering::AcqRel) + 1 == context.variant.carriers() {
        context.notify.wake();
    }
}

fn wait_while(gate: &AtomicU32, value: u32) {
    while gate.load(Ordering::Acquire) == value {
        futex::wait(gate, value);
    }
}

fn take_part<B: Body>(work: InContext<'_, B>, index: usize, state: &B::State) {
    if let Some(Ok(board)) = work.board {
        let mut pieces = Pieces::of_flow(index);
        work.body.touched(state, index, &mut pieces);
        board.write(index, pieces);
    }
    count_in(work.context, &work.shared.header().surveyed.0);
}
