//! One flow walks and makes a thread for each file: the source's first attempt, seven times as long
//! as no threads. It had no cap; here is one, by descriptors as a rule, and said if it was met.

use std::sync::{Condvar, Mutex};
use std::thread::{Builder, Scope};

use measure::clock;

use crate::file::FileSearch;
use crate::job::Task;
use crate::locks::{held, left, waited};
use crate::models::census::Census;
use crate::models::threads::STACK_BYTES;
use crate::models::walker::{Found, Later, Walker};
use crate::models::{Done, FlowSet, Totals, refused};
use crate::report::Class;

#[derive(Default)]
struct Common {
    census: Mutex<Census>,
    ended: Condvar,
}

impl Common {
    /// Waits for fewer than `cap` threads, and counts one more.
    fn enter(&self, cap: u64) {
        let mut census = held(&self.census);
        while census.live >= cap.max(1) {
            census.flows.held_at = Some(cap);
            census = waited(&self.ended, census);
        }
        census.enter();
    }

    fn leave(&self, more: Totals) {
        let mut census = held(&self.census);
        census.totals.add(more);
        census.leave(Some(clock::now_ns()));
        drop(census);
        self.ended.notify_one();
    }
}

struct Maker<'scope, 'env, 'c, 'o> {
    scope: &'scope Scope<'scope, 'env>,
    set: &'env FlowSet<'c, 'o>,
    common: &'env Common,
    cap: u64,
    create_ns: u64,
}

pub(crate) fn run(set: &FlowSet<'_, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let common = Common::default();
    let (walked, create_ns) = std::thread::scope(|scope| {
        let mut maker = Maker {
            scope,
            set,
            common: &common,
            cap: u64::from(cap),
            create_ns: 0,
        };
        let mut walker = Walker::new(set);
        walker.walk(tasks, |files, found| maker.file(files, found));
        (walker.files.totals(), maker.create_ns)
    });
    let mut census = left(common.census);
    census.totals.add(walked);
    census.done(create_ns)
}

impl Maker<'_, '_, '_, '_> {
    fn file(&mut self, files: &mut FileSearch<'_, '_>, found: Found<'_>) {
        self.common.enter(self.cap);
        files.watch.lap(Class::Wait);
        let started_ns = clock::now_ns();
        let made = self.make(found.later());
        self.create_ns += clock::now_ns() - started_ns;
        files.watch.lap(Class::Create);
        if let Err(error) = made {
            // The present number becomes the cap.
            let mut census = held(&self.common.census);
            census.withdraw();
            let is_first = census.refuse();
            self.cap = census.live;
            drop(census);
            if is_first {
                refused::tell_each(self.set, self.cap, "threads", &error);
            }
            found.search(files);
        }
    }

    fn make(&self, file: Later) -> std::io::Result<()> {
        let (set, common) = (self.set, self.common);
        let body = move || {
            let mut files = set.files();
            file.search(&mut files);
            files.buffer.deliver();
            common.leave(files.totals());
        };
        Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(self.scope, body)?;
        Ok(())
    }
}
