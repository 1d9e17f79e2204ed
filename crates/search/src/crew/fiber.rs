//! Fibers of one thread walk, a fiber a folder; a pool of threads does what blocks.
//!
//! # Theory
//!
//! A fiber that blocks in a system call puts all fibers of its thread to sleep, so fibers
//! must not read files. What they are good for is to keep many folders under way without a
//! thread for each: a fiber lists its folder, hands the names of the files to the pool, and
//! suspends until they are searched; meanwhile its thread runs the fibers of other folders.
//!
//! ```text
//!  this thread: fiber a ─┐                    ┌─ helper 1: open, read, search, close
//!               fiber b ─┼─▶ queue of files ──┼─ helper 2
//!               fiber c ─┘◀── done: awaken ───┘
//! ```
//!
//! Listing blocks too, on a cold disk; then this thread waits, as one thread would. There are
//! at most [`FIBERS`] fibers; other folders wait.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use fiber::{Config, FiberId, Scheduler};
use measure::clock;

use crate::crew::sequential::{self, Alone};
use crate::crew::thread_pool::{STACK_BYTES, tell_held};
use crate::crew::{Crew, Done, Totals};
use crate::file::FileSearch;
use crate::job::{FilesTask, FolderTask, Task};
use crate::problem::Problem;
use crate::report::{Class, Flows};
use crate::walk::{Folder, Listing};
use crate::worker::join;

/// Folders under way at one time. Each is open, so that this bounds descriptors.
const FIBERS: usize = 128;
/// Bytes of a fiber's stack: listing matches globs there.
const FIBER_BYTES: usize = 256 << 10;
/// Bytes of names that are handed on at once: some tens of files.
const PARCEL_BYTES: usize = 512;

/// Work for a helper, and who waits for it.
struct Parcel {
    task: Task,
    waits: Option<Waits>,
}

/// A fiber that waits until all its parcels are done.
#[derive(Clone)]
struct Waits {
    fiber: FiberId,
    left: Arc<AtomicUsize>,
}

/// What the thread of the fibers and its helpers share.
#[derive(Default)]
struct Common {
    state: Mutex<State>,
    work: Condvar,
    news: Condvar,
}

#[derive(Default)]
struct State {
    parcels: VecDeque<Parcel>,
    /// Fibers that can go on.
    ready: Vec<FiberId>,
    over: bool,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, parcels: impl IntoIterator<Item = Parcel>) {
        self.lock().parcels.extend(parcels);
        self.work.notify_all();
    }

    /// The next parcel, for a helper; `None` at the end.
    fn take(&self) -> Option<Parcel> {
        let mut state = self.lock();
        loop {
            if let Some(parcel) = state.parcels.pop_front() {
                return Some(parcel);
            }
            if state.over {
                return None;
            }
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A parcel is done.
    fn done(&self, waits: &Waits) {
        if waits.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.lock().ready.push(waits.fiber);
            self.news.notify_one();
        }
    }

    /// Waits for fibers that can go on.
    fn ready(&self) -> Vec<FiberId> {
        let mut state = self.lock();
        while state.ready.is_empty() {
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut state.ready)
    }

    fn end(&self) {
        self.lock().over = true;
        self.work.notify_all();
    }
}

pub(crate) fn run(crew: &Crew<'_, '_>, workers: u32, tasks: Vec<Task>) -> Done {
    let common = Common::default();
    std::thread::scope(|scope| {
        let started_ns = clock::now_ns();
        let helpers = help(scope, crew, &common, workers as usize);
        if helpers.is_empty() {
            return sequential::run(crew, tasks);
        }
        let create_ns = clock::now_ns() - started_ns;
        let walk = Walk::new(crew, &common);
        let fibers = walk.run(tasks);
        common.end();
        let mut totals = walk.totals();
        let mut last_ns = 0;
        let made = helpers.len() as u64;
        for helper in helpers {
            match helper.join() {
                Ok((more, done_ns)) => {
                    totals.add(more);
                    last_ns = last_ns.max(done_ns);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let flows = Flows {
            made: made + fibers.made,
            most: made + fibers.most,
            held_at: (made < u64::from(workers))
                .then_some(made)
                .or(fibers.held_at),
        };
        Done::new(totals, flows).taking(create_ns, clock::now_ns().saturating_sub(last_ns))
    })
}

/// Makes the helpers.
fn help<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    crew: &'env Crew<'_, '_>,
    common: &'env Common,
    wanted: usize,
) -> Vec<ScopedJoinHandle<'scope, (Totals, u64)>> {
    let mut helpers = Vec::new();
    for _ in 0..wanted {
        let body = || helper(crew, common);
        match Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, body)
        {
            Ok(helper) => helpers.push(helper),
            Err(error) => {
                tell_held(crew, helpers.len(), wanted, "threads", &error);
                break;
            }
        }
    }
    helpers
}

fn helper(crew: &Crew<'_, '_>, common: &Common) -> (Totals, u64) {
    let mut worker = crew.worker();
    while let Some(parcel) = common.take() {
        worker.files.watch.lap(Class::Wait);
        worker.task(parcel.task, &Alone);
        if let Some(waits) = parcel.waits {
            common.done(&waits);
        }
    }
    worker.files.sheet.deliver();
    (Totals::of(worker.totals()), clock::now_ns())
}

/// The thread of the fibers.
struct Walk<'w, 'c, 'o> {
    crew: &'w Crew<'c, 'o>,
    common: &'w Common,
    /// For what the fibers have to tell and to count.
    files: RefCell<FileSearch<'c, 'w>>,
    listing: RefCell<Listing>,
    /// Folders without a fiber.
    folders: RefCell<Vec<FolderTask>>,
    live: Cell<usize>,
}

impl<'w, 'c, 'o> Walk<'w, 'c, 'o>
where
    'c: 'w,
{
    fn new(crew: &'w Crew<'c, 'o>, common: &'w Common) -> Walk<'w, 'c, 'o> {
        Walk {
            crew,
            common,
            files: RefCell::new(crew.files()),
            listing: RefCell::default(),
            folders: RefCell::default(),
            live: Cell::new(0),
        }
    }

    /// Walks: how many fibers there were.
    fn run(&self, tasks: Vec<Task>) -> Flows {
        for task in tasks.into_iter().rev() {
            match task {
                Task::Folder(folder) => self.folders.borrow_mut().push(folder),
                task => self.common.post([Parcel { task, waits: None }]),
            }
        }
        let mut flows = Flows::default();
        let config = Config::guarded(FIBER_BYTES).capacity(FIBERS);
        let scheduler = match Scheduler::new(config) {
            Ok(scheduler) => scheduler,
            Err(error) => {
                let what = format!("no fibers can be made: {error}: folders were not searched");
                self.crew.outlet.tell(&Problem::error(what));
                return flows;
            }
        };
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

    /// A fiber for each folder that has none, while there is room.
    fn make_fibers(&self, scheduler: &Scheduler, flows: &mut Flows) {
        while self.live.get() < FIBERS {
            let Some(folder) = self.folders.borrow_mut().pop() else {
                return;
            };
            let walk = Erased(std::ptr::from_ref(self).cast());
            let body = move |_: &mut fiber::Fiber| {
                // SAFETY: `Walk::run`, which makes the scheduler, borrows the walk for longer
                // than the scheduler lives, and fibers run, or are dropped, no later. Each
                // runs on this thread, as all that use the walk do.
                let walk = unsafe { &*walk.get::<Walk<'_, '_, '_>>() };
                walk.folder(folder);
                walk.live.set(walk.live.get() - 1);
            };
            match scheduler.spawn(body) {
                Ok(detached) => drop(detached),
                Err(error) => {
                    let what = format!("no fiber can be made: {error}: a folder was not searched");
                    return self.crew.outlet.tell(&Problem::error(what));
                }
            }
            self.live.set(self.live.get() + 1);
            flows.made += 1;
            flows.most = flows.most.max(self.live.get() as u64);
        }
        if !self.folders.borrow().is_empty() {
            flows.held_at = Some(FIBERS as u64);
        }
    }

    /// What a fiber does.
    fn folder(&self, task: FolderTask) {
        let FolderTask { root, path, chain } = task;
        let job = self.crew.job;
        let origin = &job.roots[root as usize];
        let chain = chain.unwrap_or_else(|| job.rules.again(origin, &path));
        let fail = |error| self.files.borrow_mut().failed(root, &path, b"", &error);
        if job.stop.load(Ordering::Relaxed) {
            return;
        }
        let mut folder = match Folder::open(origin, &path, chain) {
            Ok(folder) => folder,
            Err(error) => return fail(error),
        };
        self.files.borrow_mut().counts.folders += 1;
        loop {
            let next = folder.next(&mut self.listing.borrow_mut(), job.rules, job.skip);
            match next {
                Ok(true) => self.hand_on(root, &path, &folder),
                Ok(false) => return,
                Err(error) => return fail(error),
            }
        }
    }

    /// Hands on what a part of a folder's listing holds, and waits until it is searched.
    fn hand_on(&self, root: u32, path: &[u8], folder: &Folder<'_>) {
        let listing = self.listing.borrow();
        for name in listing.folders.split_inclusive(|&byte| byte == 0).rev() {
            self.folders.borrow_mut().push(FolderTask {
                root,
                path: join(path, &name[..name.len() - 1]),
                chain: Some(folder.chain.clone()),
            });
        }
        let parts = parcels(&listing.files);
        drop(listing);
        if parts.is_empty() {
            return;
        }
        let waits = Waits {
            fiber: fiber::current(),
            left: Arc::new(AtomicUsize::new(parts.len())),
        };
        self.common.post(parts.into_iter().map(|names| Parcel {
            task: Task::Files(FilesTask {
                root,
                path: path.into(),
                names,
            }),
            waits: Some(waits.clone()),
        }));
        while waits.left.load(Ordering::Acquire) > 0 {
            fiber::suspend();
        }
    }

    fn totals(&self) -> Totals {
        let mut files = self.files.borrow_mut();
        files.sheet.deliver();
        Totals::of((files.counts, files.watch.profile()))
    }
}

/// A pointer whose target outlives every fiber, though its type cannot say so.
#[derive(Clone, Copy)]
struct Erased(*const ());

impl Erased {
    fn get<T>(self) -> *const T {
        self.0.cast()
    }
}

/// Cuts names, each with a NUL after it, into parcels.
fn parcels(names: &[u8]) -> Vec<Vec<u8>> {
    let mut parcels: Vec<Vec<u8>> = Vec::new();
    for name in names.split_inclusive(|&byte| byte == 0) {
        match parcels.last_mut() {
            Some(last) if last.len() < PARCEL_BYTES => last.extend_from_slice(name),
            _ => parcels.push(name.to_vec()),
        }
    }
    parcels
}
