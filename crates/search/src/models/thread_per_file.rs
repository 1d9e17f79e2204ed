//! One flow walks and makes a thread for each file: the source's first attempt, seven times as long
//! as no threads. It had no cap; here is one, by descriptors as a rule, and said if it was met.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use measure::clock;

use crate::file::FileSearch;
use crate::job::Task;
use crate::models::threads::STACK_BYTES;
use crate::models::walker::{Found, Later, Walker};
use crate::models::{Done, FlowSet, Totals, refused};
use crate::report::{Class, Flows};

#[derive(Default)]
struct Common {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    live: u64,
    flows: Flows,
    totals: Totals,
    last_ns: Option<u64>,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for fewer than `cap` threads, and counts one more.
    fn enter(&self, cap: u64) {
        let mut state = self.lock();
        while state.live >= cap.max(1) {
            state.flows.held_at = Some(cap);
            state = self
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.live += 1;
        state.flows.made += 1;
        state.flows.most = state.flows.most.max(state.live);
    }

    fn leave(&self, more: Totals) {
        let mut state = self.lock();
        state.live -= 1;
        state.totals.add(more);
        state.last_ns = Some(clock::now_ns());
        drop(state);
        self.ended.notify_one();
    }

    fn refuse(&self) -> (u64, bool) {
        let mut state = self.lock();
        state.live -= 1;
        state.flows.made -= 1;
        state.flows.held_at = Some(state.live);
        let first = !std::mem::replace(&mut state.flows.refused, true);
        (state.live, first)
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
        (walker.totals(), maker.create_ns)
    });
    let state = common.state.into_inner();
    let mut state = state.unwrap_or_else(PoisonError::into_inner);
    state.totals.add(walked);
    state.flows.most = state.flows.most.max(1);
    Done::new(state.totals, state.flows).taking(create_ns, state.last_ns)
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
            let (live, first) = self.common.refuse();
            self.cap = live;
            if first {
                refused::tell_each(self.set, live, "threads", &error);
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
            common.leave(Totals::of((files.counts, files.watch.profile())));
        };
        Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(self.scope, body)?;
        Ok(())
    }
}
