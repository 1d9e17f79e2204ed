//! Some threads share the work. With a shared table of files each open takes its lock, and each
//! read counts references atomically; with `thread-private-files` (`unshare(CLONE_FILES |
//! CLONE_FS)`) each thread has its own, as processes do. Roots are opened before: their numbers are
//! good in every table. A pool whose number was chosen begins with what the known work keeps busy,
//! and a thread with more folders than it can soon list makes another.

use std::sync::Mutex;
use std::thread::{Builder, Scope};

use measure::clock;
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};

use crate::exchange::Exchange;
use crate::job::Task;
use crate::locks::{held, left};
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
    sum: Mutex<Sum>,
}

#[derive(Default)]
struct Sum {
    made: u64,
    totals: Totals,
    last_ns: Option<u64>,
    refused: bool,
    denied: Option<Errno>,
}

impl Sum {
    fn add(&mut self, totals: Totals, last_ns: Option<u64>) {
        self.totals.add(totals);
        self.last_ns = self.last_ns.max(last_ns);
    }
}

#[derive(Clone, Copy)]
struct Seat<'scope, 'env, 'c, 'o> {
    scope: &'scope Scope<'scope, 'env>,
    pool: &'env Pool<'c, 'o>,
}

pub(crate) fn run<'c>(
    set: &'c FlowSet<'c, '_>,
    size: Size,
    tasks: Vec<Task>,
    files: Files,
) -> (Done, Option<Errno>) {
    let (first, most) = (size.first as usize, size.most as usize);
    let pool = Pool {
        set,
        queue: Shared::new(tasks, first).growing_to(most),
        files,
        sum: Mutex::default(),
    };
    let create_ns = std::thread::scope(|scope| Seat { scope, pool: &pool }.begin(first));
    let sum = left(pool.sum);
    let flows = Flows {
        made: sum.made,
        most: sum.made.max(1),
        held_at: sum.refused.then_some(sum.made),
        refused: sum.refused,
    };
    let done = Done::new(sum.totals, flows).taking(create_ns, sum.last_ns);
    (done, sum.denied)
}

impl<'c, 'o> Seat<'_, '_, 'c, 'o> {
    /// With the time that it takes to make as many threads as are `wanted` first.
    fn begin(self, wanted: usize) -> u64 {
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
        let mut sum = held(&pool.sum);
        sum.made += made as u64;
        sum.refused |= made < wanted;
        sum.add(totals, last_ns);
        create_ns
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
        (worker.files.totals(), clock::now_ns())
    }
}

impl Pool<'_, '_> {
    fn have_own_files(&self) {
        let Err(errno) = unshare(CloneFlags::CLONE_FILES | CloneFlags::CLONE_FS) else {
            return;
        };
        held(&self.sum).denied = Some(errno);
        if self.files == Files::Private {
            let what = format!("{}: they share one", denied(errno));
            self.set.outlet.tell(&Problem::otherwise(what));
        }
    }

    fn leave(&self, (totals, done_ns): Ended) {
        held(&self.sum).add(totals, Some(done_ns));
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
        let mut sum = held(&self.pool.sum);
        match made {
            Ok(_joined_by_the_scope) => sum.made += 1,
            Err(error) => {
                let had = self.pool.queue.lose(1);
                sum.refused = true;
                drop(sum);
                let wanted = self.pool.queue.most();
                refused::tell_pool(self.pool.set, had, wanted, "threads", &error);
            }
        }
    }
}
