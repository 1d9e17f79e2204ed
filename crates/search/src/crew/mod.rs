//! Who does the work: one file a model.
//!
//! # Theory
//!
//! Every model runs the same [`Worker`](crate::worker::Worker) or the same
//! [`FileSearch`](crate::file::FileSearch), so that models differ in nothing but their flows.
//! A worker keeps the work that it finds and asks an [`Exchange`] between any two files
//! whether another flow has none. What an exchange is made of is the model's matter: a queue
//! under a lock for threads, a socket for processes (the kernel keeps the queue, so that a
//! process that dies can hold no lock), the making of a thread for `thread-per-directory`.

mod area;
mod auto;
mod children;
mod fiber;
mod frame;
mod packets;
mod parcels;
mod process_per_file;
mod process_pool;
mod room;
mod sequential;
mod shared;
mod thread_per_directory;
mod thread_per_file;
mod thread_pool;
mod totals;
mod walker;

use std::io::Write;

use measure::clock;

use crate::error::SearchError;
use crate::file::FileSearch;
use crate::job::{Job, Task};
use crate::lines::Lines;
use crate::outlet::{Here, Outlet};
use crate::plan::{Io, Model, Plan};
use crate::problem::Problem;
use crate::query::{Paths, Query};
use crate::read::shrunk::Handler;
use crate::read::uring;
use crate::report::{Report, Times};
use crate::sheet::Style;
use crate::usage::Reading;
use crate::walk::{Root, RootKind, Rules, open_roots};
use crate::worker::Worker;

use area::Area;
pub(crate) use totals::{Done, Totals};

/// Where flows give work to others.
pub(crate) trait Exchange {
    /// Whether a flow has no work and none is on its way to it. Asked before every file.
    fn hungry(&self) -> bool;

    /// Gives work away; gives it back when that cannot be done.
    fn give(&self, task: Task) -> Result<(), Task>;

    /// Waits for work; `None`: there will be none.
    fn take(&self) -> Option<Task>;
}

/// A search about to be done by some model.
pub(crate) struct Crew<'c, 'o> {
    pub(crate) job: &'c Job<'c>,
    pub(crate) outlet: &'c Outlet<'o>,
    pub(crate) area: &'c Area,
}

impl<'c> Crew<'c, '_> {
    /// A worker of this process.
    pub(crate) fn worker(&self) -> Worker<'c, 'c> {
        Worker::new(self.job, self.files())
    }

    /// What searches files, for a flow of this process.
    pub(crate) fn files(&self) -> FileSearch<'c, 'c> {
        FileSearch::new(self.job, Box::new(Here::new(self.outlet)))
    }
}

pub(crate) fn run(
    query: &Query,
    plan: &Plan,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    let (started_ns, before) = (clock::now_ns(), Reading::now());
    check(plan)?;
    let rules = Rules::new(&query.filter)?;
    let area = Area::new(room::slots(plan)).map_err(|source| SearchError::System {
        what: "map memory that flows share",
        source,
    })?;
    let outlet = Outlet::new(out, say, area.stop());
    let roots = open_roots(query, &rules, &mut |problem| outlet.tell(&problem));
    let _handler = (plan.io == Io::Mmap).then(Handler::install);
    let job = Job {
        roots: &roots,
        rules: &rules,
        lines: &Lines::new(&query.pattern),
        style: Style::of(query, shows_paths(query, &roots)),
        io: plan.io,
        text: query.filter.text,
        profile: plan.profile,
        proof: plan.proof,
        skip: plan.skip,
        stop: area.stop(),
    };
    let crew = Crew {
        job: &job,
        outlet: &outlet,
        area: &area,
    };
    let done = search(&crew, plan, Task::of_roots(&roots));
    let output_closed = outlet.finish();
    let total_ns = clock::now_ns() - started_ns;
    Ok(Report {
        counts: done.totals.counts(outlet.errors()),
        profile: plan.profile.then_some(done.totals.profile),
        times: Times {
            create_ns: done.create_ns,
            tear_down_ns: done.tear_down_ns,
            steady_ns: total_ns.saturating_sub(done.create_ns + done.tear_down_ns),
            total_ns,
        },
        chosen: done.chosen,
        flows: done.flows,
        usage: Reading::now().since(&before),
        output_closed,
    })
}

fn check(plan: &Plan) -> Result<(), SearchError> {
    if plan.io == Io::Uring {
        uring::available().map_err(|reason| SearchError::Io {
            io: plan.io,
            reason,
        })?;
    }
    if plan.model == Some(Model::Fiber) {
        ::fiber::available().map_err(|reason| SearchError::Model {
            model: Model::Fiber,
            reason: reason.to_owned(),
        })?;
    }
    Ok(())
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

fn search(crew: &Crew<'_, '_>, plan: &Plan, tasks: Vec<Task>) -> Done {
    let Some(model) = plan.model else {
        return auto::run(crew, plan.workers, tasks);
    };
    let asked = plan.workers.map(std::num::NonZeroU32::get);
    let (workers, why) = match asked {
        Some(workers) => (workers, String::new()),
        None if model.is_pool() => return auto::run_as(crew, model, tasks),
        None => room::cap(model),
    };
    let done = of_model(crew, model, workers, tasks);
    done.because(why)
}

/// Does the search, or what is left of it, by one model.
pub(crate) fn of_model(crew: &Crew<'_, '_>, model: Model, workers: u32, tasks: Vec<Task>) -> Done {
    let done = match model {
        Model::Sequential => sequential::run(crew, tasks),
        Model::ThreadPerFile => thread_per_file::run(crew, workers, tasks),
        Model::ProcessPerFile => process_per_file::run(crew, workers, tasks),
        Model::ThreadPerDirectory => thread_per_directory::run(crew, workers, tasks),
        Model::ThreadPool => thread_pool::run(crew, workers, tasks, thread_pool::Files::Shared),
        Model::ThreadPrivateFiles => {
            thread_pool::run(crew, workers, tasks, thread_pool::Files::Private)
        }
        Model::ProcessPool => process_pool::run(crew, workers, tasks),
        Model::Fiber => fiber::run(crew, workers, tasks),
    };
    done.by(model, workers)
}
