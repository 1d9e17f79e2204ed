//! Who does the work: one file a model. Every model runs the same [`Worker`](crate::worker::Worker)
//! or [`FileSearch`](crate::file::FileSearch). A worker keeps the work that it finds and asks an
//! [`Exchange`](crate::exchange::Exchange) between files whether another flow has none: a queue
//! under a lock for threads, a socket for processes (a process that dies can hold no lock), a new
//! thread for `thread-per-directory`.
//!
//! Flows are not created by crate `flow`, which creates all before the first one works: a searcher
//! does not know how many flows a tree is worth until it has listed it, and a flow a file would be
//! tens of thousands at once. Measured, in 60 rounds of random order on 2 CPUs that others used too
//! (medians with quartiles, whole searches): a tree of 40 files in 5 folders takes 2.4 ms [0.40 …
//! 8.5] and 15 page faults by one flow, as [`auto`] chooses; 8.7 ms [5.7 … 13.9] and 55 faults by a
//! pool of two threads that are created first; 17 ms [13 … 24] and 315 faults by a pool of 16.

mod auto;
mod blocking_tasks;
pub(crate) mod capacity;
mod census;
mod children;
mod fiber;
mod flow_set;
mod frame;
mod packets;
mod process_per_file;
mod process_pool;
mod refused;
pub(crate) mod sequential;
mod shared;
mod shared_memory;
mod size;
mod thread_per_directory;
mod thread_per_file;
mod thread_pool;
mod threads;
mod totals;
mod walker;

use std::io::{self, Write};
use std::sync::Mutex;

use measure::clock;
use sys::Alone;

use crate::error::SearchError;
use crate::job::{Job, Task};
use crate::large::{Large, Sizes};
use crate::lines::Lines;
use crate::outlet::{Here, Outlet};
use crate::output_buffer::Style;
use crate::plan::{Io, Model, Plan};
use crate::problem::Problem;
use crate::query::{Paths, Query};
use crate::read::shrunk::Handler;
use crate::read::uring;
use crate::report::Report;
use crate::usage::Reading;
use crate::walk::{Root, RootKind, Rules, open_roots};

pub(crate) use flow_set::FlowSet;
pub(crate) use shared_memory::{SharedMemory, Slot};
pub(crate) use size::Size;
use thread_pool::Files;
pub(crate) use totals::{Done, Totals};

pub(crate) fn run(
    query: &Query,
    plan: &Plan,
    sizes: Sizes,
    alone: impl FnOnce() -> io::Result<Alone>,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    let (started_ns, before) = (clock::now_ns(), Reading::now());
    check(plan)?;
    let alone = alone_if_it_forks(plan, alone)?;
    let rules = Rules::new(&query.filter)?;
    let shared = shared(plan)?;
    let outlet = Outlet::new(out, say, shared.stop());
    let roots = open_roots(query, &rules, capacity::kept_roots(), &mut |problem| {
        outlet.tell(&problem);
    });
    let style = Style::of(query, shows_paths(query, &roots));
    let pieces = Mutex::new(Here::new(&outlet));
    let large = Large::new(sizes, style.show, &pieces);
    let _handler = (plan.io == Io::Mmap).then(Handler::install);
    let job = Job {
        roots: &roots,
        rules: &rules,
        lines: &Lines::new(&query.pattern),
        style,
        io: plan.io,
        text: query.filter.text,
        profile: plan.profile,
        proof: plan.proof,
        skip: plan.skip,
        block: sizes.block,
        large: cuts(plan).then_some(&large),
        stop: shared.stop(),
    };
    let set = FlowSet {
        job: &job,
        outlet: &outlet,
        shared: &shared,
        alone,
    };
    let done = search(&set, plan, Task::of_roots(&roots));
    let output_closed = outlet.finish();
    let usage = Reading::now().since(&before);
    let total_ns = clock::now_ns() - started_ns;
    Ok(Report {
        counts: done.totals.counts(outlet.errors()),
        profile: plan.profile.then(|| done.profile()),
        times: done.times(total_ns),
        flows: done.flows,
        usage,
        output_closed,
        otherwise: outlet.otherwise(),
        chosen: done.chosen,
    })
}

/// Flows share memory and are not made for single files or folders.
fn cuts(plan: &Plan) -> bool {
    let pools = [Model::ThreadPool, Model::ThreadPrivateFiles, Model::Fiber];
    plan.io != Io::Mmap && plan.model.is_none_or(|model| pools.contains(&model))
}

fn shared(plan: &Plan) -> Result<SharedMemory, SearchError> {
    SharedMemory::new(capacity::slots(plan)).map_err(|source| SearchError::System {
        what: "map memory that flows share",
        source,
    })
}

fn check(plan: &Plan) -> Result<(), SearchError> {
    let io = plan.io;
    let refuse = |reason| SearchError::Io { io, reason };
    if let Some(reason) = plan.model.and_then(|model| io.refused_with(model)) {
        return Err(refuse(reason));
    }
    if io == Io::Uring {
        uring::available().map_err(refuse)?;
    }
    if plan.model == Some(Model::Fiber) {
        ::fiber::available().map_err(|reason| SearchError::Model {
            model: Model::Fiber,
            reason: reason.to_owned(),
        })?;
    }
    Ok(())
}

fn alone_if_it_forks(
    plan: &Plan,
    alone: impl FnOnce() -> io::Result<Alone>,
) -> Result<Option<Alone>, SearchError> {
    let Some(model) = capacity::forking(plan) else {
        return Ok(None);
    };
    alone().map(Some).map_err(|error| SearchError::Model {
        model,
        reason: error.to_string(),
    })
}

fn shows_paths(query: &Query, roots: &[Root]) -> bool {
    match query.paths {
        Paths::Always => true,
        Paths::Never => false,
        Paths::Auto => {
            query.roots.len() > 1 || roots.iter().any(|root| root.kind == RootKind::Folder)
        }
    }
}

fn search<'c>(set: &'c FlowSet<'c, '_>, plan: &Plan, tasks: Vec<Task>) -> Done {
    let Some(model) = plan.model else {
        return auto::run(set, plan.workers, tasks);
    };
    let asked = plan.workers.map(std::num::NonZeroU32::get);
    let (workers, why) = match (asked, model.is_pool()) {
        (Some(workers), true) => (workers, String::new()),
        (None, true) => return auto::run_as(set, model, tasks),
        (asked, false) => capped(model, asked),
    };
    of_model(set, model, Size::fixed(workers), tasks).because(why)
}

/// Flows at one time where each file or folder has one, and why not more.
fn capped(model: Model, asked: Option<u32>) -> (u32, String) {
    let (most, why) = capacity::cap(model);
    match asked.filter(|asked| *asked <= most) {
        Some(asked) => (asked, String::new()),
        None => (most, why),
    }
}

pub(crate) fn within_capacity(set: &FlowSet<'_, '_>, model: Model, size: Size) -> Size {
    let (most, why) = capacity::pool(model);
    if size.most > most {
        let what = match model.forks() {
            true => "processes",
            false => "threads",
        };
        let with = match most {
            0 => "this flow instead".to_owned(),
            _ => format!("{most}"),
        };
        let asked = size.most;
        let said = format!("going on with {with} of {asked} {what}: {why}");
        set.outlet.tell(&Problem::otherwise(said));
    }
    size.within(most)
}

pub(crate) fn of_model<'c>(
    set: &'c FlowSet<'c, '_>,
    model: Model,
    size: Size,
    tasks: Vec<Task>,
) -> Done {
    let size = match model.is_pool() {
        true => within_capacity(set, model, size),
        false => size,
    };
    if size.most == 0 {
        return sequential::run(set, tasks).refused();
    }
    let threads = |tasks, files| thread_pool::run(set, size, tasks, files).0;
    let done = match model {
        Model::Sequential => sequential::run(set, tasks),
        Model::ThreadPerFile => thread_per_file::run(set, size.most, tasks),
        Model::ProcessPerFile => process_per_file::run(set, size.most, tasks),
        Model::ThreadPerDirectory => thread_per_directory::run(set, size.most, tasks),
        Model::ThreadPool => threads(tasks, Files::Shared),
        Model::ThreadPrivateFiles => threads(tasks, Files::Private),
        Model::ProcessPool => process_pool::run(set, size.most, tasks),
        Model::Fiber => fiber::run(set, size.most, tasks),
    };
    done.by(model, size.most)
}
