use std::io;
use std::sync::atomic::Ordering;

use nix::unistd::{getpid, gettid};

use crate::body::Body;
use crate::channel::Outlet;
use crate::context::{Context, InContext};
use crate::flow_status::Tally;
use crate::variant::Schedule;

pub(crate) fn units<B: Body>(
    work: InContext<'_, B>,
    index: usize,
    state: &mut B::State,
    outlet: &mut Outlet<'_>,
    tally: &mut Tally,
) {
    match work.variant.schedule {
        Schedule::Static => {
            let stride = work.variant.flows as usize;
            for unit in (index as u64..work.body.units()).step_by(stride) {
                do_unit(work, state, unit, outlet, tally);
            }
        }
        Schedule::Queue => while unit_of_queue(work, state, outlet, tally) {},
    }
}

pub(crate) fn unit_of_queue<B: Body>(
    work: InContext<'_, B>,
    state: &mut B::State,
    outlet: &mut Outlet<'_>,
    tally: &mut Tally,
) -> bool {
    let unit = next_unit(work);
    if let Some(unit) = unit {
        do_unit(work, state, unit, outlet, tally);
    }
    unit.is_some()
}

fn next_unit<B: Body>(work: InContext<'_, B>) -> Option<u64> {
    let cursor = &work.shared.header().cursor.0;
    let unit = cursor.fetch_add(1, Ordering::Relaxed);
    (unit < work.body.units()).then_some(unit)
}

#[inline]
fn do_unit<B: Body>(
    work: InContext<'_, B>,
    state: &mut B::State,
    unit: u64,
    outlet: &mut Outlet<'_>,
    tally: &mut Tally,
) {
    if work.narrate.is_some() {
        narrate(work.context, unit, "starting on");
    }
    outlet.begin(unit);
    tally.proof += work.body.unit(state, unit, outlet);
    tally.units += 1;
    if work.narrate.is_some() {
        narrate(work.context, unit, "finished");
    }
}

/// In one write: lines never mix.
#[cold]
fn narrate(context: &Context<'_>, unit: u64, what: &str) {
    let model = context.variant.model;
    let shape = model.shape(context.variant.flows);
    let who = match (shape.processes, shape.flows_in_each) {
        _ if model.stacks().is_some() => format!("a fiber of thread {}", gettid()),
        _ if model.is_user_level() => format!("a task of thread {}", gettid()),
        (0, _) => format!("thread {}", gettid()),
        (_, 1) => format!("process {}", getpid()),
        _ => format!("process {} thread {}", getpid(), gettid()),
    };
    say(&format!(
        "{who} {what} {}",
        context.body.unit_in_words(unit)
    ));
}

#[cold]
pub(crate) fn say(line: &str) {
    use std::io::Write;
    let _closed_is_fine = io::stderr().write_all(format!("{line}\n").as_bytes());
}
