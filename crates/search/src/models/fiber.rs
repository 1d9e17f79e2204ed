//! Fibers of one thread walk, a fiber a folder; a pool of threads does what blocks, as a fiber that
//! blocks in a system call puts its whole thread to sleep. A fiber lists its folder, hands the
//! files' names to the pool, and suspends until they are searched.
//!
//! ```text
//!  this thread: fiber a ─┐                    ┌─ helper 1: open, read, search, close
//!               fiber b ─┼─▶ queue of files ──┼─ helper 2
//!               fiber c ─┘◀── done: awaken ───┘
//! ```
//!
//! Listing blocks too, on a cold disk. At most [`FIBERS`] fibers, or as many as open folders and
//! address space allow, are there; other folders wait.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fiber::{Config, ConfigError, Scheduler};
use measure::clock;

use crate::file::FileSearch;
use crate::job::{FilesTask, FolderTask, Task};
use crate::models::blocking_tasks::{BlockingTask, BlockingTasks, Waits, cut};
use crate::models::sequential;
use crate::models::threads::{self, Ended};
use crate::models::{Done, FlowSet, Totals, capacity};
use crate::problem::{Problem, words};
use crate::report::{Class, Flows};
use crate::walk::{Folder, Listing};

/// Open folders: bounds descriptors.
const FIBERS: usize = 128;
pub(crate) fn run(set: &FlowSet<'_, '_>, workers: u32, tasks: Vec<Task>) -> Done {
    let common = BlockingTasks::default();
    let most = FIBERS
        .min(capacity::folders())
        .min(capacity::fibers(workers));
    // Before a helper is made: without fibers there is nothing for it to do.
    // SAFETY: `Walk::run` drops it, on this thread.
    let scheduler =
        match unsafe { Scheduler::new(Config::guarded(capacity::FIBER_BYTES).capacity(most)) } {
            Ok(scheduler) => scheduler,
            Err(error) => return alone(set, &error, tasks),
        };
    std::thread::scope(|scope| {
        let started_ns = clock::now_ns();
        let body = || helper(set, &common);
        let helpers = threads::make(scope, set, workers as usize, body);
        if helpers.is_empty() {
            return sequential::run(set, tasks).refused();
        }
        let create_ns = clock::now_ns() - started_ns;
        let made = helpers.len() as u64;
        let walk = Walk::new(set, &common, most);
        let fibers = walk.run(scheduler, tasks);
        common.end();
        let mut totals = walk.totals();
        let last_ns = threads::join(helpers, &mut totals);
        Done::new(totals, together(made, u64::from(workers), fibers)).taking(create_ns, last_ns)
    })
}

fn alone(set: &FlowSet<'_, '_>, error: &ConfigError, tasks: Vec<Task>) -> Done {
    let why = match error {
        ConfigError::Memory { source, .. } => words(source),
        error => error.to_string(),
    };
    let said = format!("no fibers can be made ({why}): going on with this flow");
    set.outlet.tell(&Problem::otherwise(said));
    sequential::run(set, tasks).refused()
}

fn together(helpers: u64, wanted: u64, fibers: Flows) -> Flows {
    let refused = helpers < wanted;
    Flows {
        made: helpers + fibers.made,
        most: helpers + fibers.most,
        held_at: refused.then_some(helpers).or(fibers.held_at),
        refused,
    }
}

fn helper(set: &FlowSet<'_, '_>, common: &BlockingTasks) -> Ended {
    let mut worker = set.worker();
    let mut works = false;
    while let Some(task) = common.take(works) {
        works = true;
        worker.files.watch.lap(Class::Wait);
        worker.task(task.task, common);
        if let Some(waits) = task.waits {
            common.done(&waits);
        }
    }
    worker.files.buffer.deliver();
    (worker.files.totals(), clock::now_ns())
}

struct Walk<'w, 'c, 'o> {
    set: &'w FlowSet<'c, 'o>,
    common: &'w BlockingTasks,
    files: RefCell<FileSearch<'c, 'w>>,
    listing: RefCell<Listing>,
    folders: RefCell<Vec<FolderTask>>,
    live: Cell<usize>,
    most: usize,
}

impl<'w, 'c, 'o> Walk<'w, 'c, 'o>
where
    'c: 'w,
{
    fn new(set: &'w FlowSet<'c, 'o>, common: &'w BlockingTasks, most: usize) -> Walk<'w, 'c, 'o> {
        Walk {
            set,
            common,
            files: RefCell::new(set.files()),
            listing: RefCell::default(),
            folders: RefCell::default(),
            live: Cell::new(0),
            most,
        }
    }

    fn run(&self, scheduler: Scheduler, tasks: Vec<Task>) -> Flows {
        for task in tasks.into_iter().rev() {
            match task {
                Task::Folder(folder) => self.folders.borrow_mut().push(folder),
                task => self.common.post([BlockingTask { task, waits: None }]),
            }
        }
        let mut flows = Flows::default();
        loop {
            self.make_fibers(&scheduler, &mut flows);
            scheduler.run();
            if self.live.get() == 0 && self.folders.borrow().is_empty() {
                return flows;
            }
            if self.live.get() == 0 {
                continue;
            }
            self.files.borrow_mut().watch.lap(Class::Walk);
            for fiber in self.common.ready() {
                scheduler.awaken(fiber);
            }
            self.files.borrow_mut().watch.lap(Class::Wait);
        }
    }

    fn make_fibers(&self, scheduler: &Scheduler, flows: &mut Flows) {
        while self.live.get() < self.most {
            let Some(folder) = self.folders.borrow_mut().pop() else {
                return;
            };
            let walk = Erased(std::ptr::from_ref(self).cast());
            let body = move |_: &mut fiber::Fiber| {
                // SAFETY: `Walk::run`, which owns the scheduler, borrows the walk for longer than
                // the scheduler lives, and fibers run, or are dropped, no later, on this thread, as
                // all that use the walk do.
                let walk = unsafe { &*walk.get::<Walk<'_, '_, '_>>() };
                walk.folder(&folder);
                walk.live.set(walk.live.get() - 1);
            };
            match scheduler.spawn(body) {
                Ok(detached) => drop(detached),
                Err(error) => {
                    let what = format!("no fiber can be made: {error}: a folder was not searched");
                    return self.set.outlet.tell(&Problem::error(what));
                }
            }
            self.live.set(self.live.get() + 1);
            flows.made += 1;
            flows.most = flows.most.max(self.live.get() as u64);
        }
        if !self.folders.borrow().is_empty() {
            flows.held_at = Some(self.most as u64);
        }
    }

    fn folder(&self, task: &FolderTask) {
        if self.set.job.stop.load(Ordering::Relaxed) {
            return;
        }
        let opened = self.files.borrow_mut().open_folder(task);
        let Some(mut folder) = opened else {
            return;
        };
        while self.list(task, &mut folder) {
            self.hand_on(task, &folder);
        }
    }

    fn list(&self, task: &FolderTask, folder: &mut Folder<'_>) -> bool {
        let (mut files, mut listing) = (self.files.borrow_mut(), self.listing.borrow_mut());
        files.list(task.place(), folder, &mut listing)
    }

    fn hand_on(&self, task: &FolderTask, folder: &Folder<'_>) {
        let listing = self.listing.borrow();
        let found = task.folders_in(&listing, &folder.chain);
        self.folders.borrow_mut().extend(found);
        let parts = cut(&listing.files);
        drop(listing);
        if parts.is_empty() {
            return;
        }
        let waits = Waits {
            fiber: fiber::current(),
            left: Arc::new(AtomicUsize::new(parts.len())),
        };
        self.common
            .post(parts.into_iter().map(|names| BlockingTask {
                task: Task::Files(FilesTask {
                    root: task.root,
                    path: task.path.clone(),
                    names,
                    heavy: false,
                }),
                waits: Some(waits.clone()),
            }));
        while waits.left.load(Ordering::Acquire) > 0 {
            fiber::suspend();
        }
    }

    fn totals(&self) -> Totals {
        let mut files = self.files.borrow_mut();
        files.buffer.deliver();
        files.totals()
    }
}

/// The pointee outlives every fiber, which its type cannot say.
#[derive(Clone, Copy)]
struct Erased(*const ());

impl Erased {
    fn get<T>(self) -> *const T {
        self.0.cast()
    }
}
