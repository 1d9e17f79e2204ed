//! Some threads share the work. With a shared table of files each open takes its lock, and each
//! read counts references atomically; with `thread-private-files` (`unshare(CLONE_FILES |
//! CLONE_FS)`) each thread has its own, as processes do. Roots are opened before: their numbers are
//! good in every table. A pool whose number was chosen begins with what the known work keeps busy,
//! and a thread with more folders than it can soon list makes another.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use measure::clock;
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};

use crate::exchange::Exchange;
use crate::job::Task;
use crate::models::shared::Shared;
use crate::models::threads::{self, Ended, STACK_BYTES};
use crate::models::{Done, FlowSet, Size, Totals, refused};
use crate::problem::Problem;
use crate::report::Flows;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    Shared,
    Private,
    PrivateIfAllowed,
}

struct Pool<'c, 'o> {
    set: &'c FlowSet<'c, 'o>,
    queue: Shared,
    files: Files,
    later: Mutex<Later>,
}

#[derive(Default)]
struct Later {
    made: usize,
    totals: Totals,
    last_ns: Option<u64>,
    refused: bool,
    denied: Option<Errno>,
}

#[derive(Clone, Copy)]
struct Seat<'scope, 'env, 'c, 'o> {
    scope: &'scope Scope<'scope, 'env>,
    pool: &'env Pool<'c, 'o>,
}

pub(crate) fn run(
    set: &FlowSet<'_, '_>,
    size: Size,
    tasks: Vec<Task>,
    files: Files,
) -> (Done, Option<Errno>) {
    let (first, most) = (size.first as usize, size.most as usize);
    let pool = Pool {
        set,
        queue: Shared::new(tasks, first).growing_to(most),
        files,
        later: Mutex::default(),
    };
    let at_once = std::thread::scope(|scope| Seat { scope, pool: &pool }.begin(first));
    let later = pool.later.into_inner();
    at_once.with(later.unwrap_or_else(PoisonError::into_inner), first)
}

struct AtOnce {
    made: usize,
    create_ns: u64,
    totals: Totals,
    last_ns: Option<u64>,
}

impl AtOnce {
    fn with(mut self, later: Later, wanted: usize) -> (Done, Option<Errno>) {
        self.totals.add(later.totals);
        let made = self.made + later.made;
        let refused = later.refused || self.made < wanted;
        let flows = Flows {
            made: made as u64,
            most: made.max(1) as u64,
            held_at: refused.then_some(made as u64),
            refused,
        };
        let last_ns = self.last_ns.max(later.last_ns);
        let done = Done::new(self.totals, flows).taking(self.create_ns, last_ns);
        (done, later.denied)
    }
}

impl<'c, 'o> Seat<'_, '_, 'c, 'o> {
    fn begin(self, wanted: usize) -> AtOnce {
        let Seat { scope, pool } = self;
        let started_ns = clock::now_ns();
        let threads = threads::make(scope, pool.set, wanted, move || self.flow());
        let create_ns = clock::now_ns() - started_ns;
        let made = threads.len();
        let mut totals = Totals::default();
        if made < wanted {
            // Without any thread, this flow works.
            pool.queue.lose(wanted - made.max(1));
        }
        if made == 0 {
            totals.add(self.work().0);
        }
        let last_ns = threads::join(threads, &mut totals);
        AtOnce {
            made,
            create_ns,
            totals,
            last_ns,
        }
    }

    fn flow(self) -> Ended {
        if self.pool.files != Files::Shared {
            self.pool.have_own_files();
        }
        self.work()
    }

    fn work(self) -> Ended {
        let mut worker = self.pool.set.worker();
        worker.run(&self);
        (Totals::of(worker.totals()), clock::now_ns())
    }
}

impl Pool<'_, '_> {
    fn later(&self) -> MutexGuard<'_, Later> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn have_own_files(&self) {
        let Err(errno) = unshare(CloneFlags::CLONE_FILES | CloneFlags::CLONE_FS) else {
            return;
        };
        self.later().denied = Some(errno);
        if self.files == Files::Private {
            let what = format!("{}: they share one", denied(errno));
            self.set.outlet.tell(&Problem::otherwise(what));
        }
    }

    fn leave(&self, (totals, done_ns): Ended) {
        let mut later = self.later();
        later.totals.add(totals);
        later.last_ns = later.last_ns.max(Some(done_ns));
    }
}

pub(crate) fn denied(errno: Errno) -> String {
    format!("tables of files of their own are denied to threads here ({errno})")
}

impl Exchange for Seat<'_, '_, '_, '_> {
    #[inline]
    fn hungry(&self) -> bool {
        self.pool.queue.hungry()
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        self.pool.queue.give(task)
    }

    fn take(&self) -> Option<Task> {
        self.pool.queue.take()
    }

    fn grow(&self) {
        if !self.pool.queue.enlist() {
            return;
        }
        let seat = *self;
        let made = Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(self.scope, move || seat.pool.leave(seat.flow()));
        let mut later = self.pool.later();
        match made {
            Ok(_joined_by_the_scope) => later.made += 1,
            Err(error) => {
                let had = self.pool.queue.lose(1);
                later.refused = true;
                drop(later);
                let wanted = self.pool.queue.most();
                refused::tell_pool(self.pool.set, had, wanted, "threads", &error);
            }
        }
    }
}
