//! One flow walks and makes a thread for each file.
//!
//! # Theory
//!
//! The design of the source's first attempt, which took seven times as long as no threads: a
//! thread is made, opens its file, searches it and ends. The source had no cap; with some
//! 80,000 files there would be as many threads as the kernel allows, so here is one, and it
//! is said when it held threads back. Each thread needs a descriptor for its file, which is
//! what bounds the cap as a rule.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use measure::clock;

use crate::crew::thread_pool::STACK_BYTES;
use crate::crew::walker::{Later, Walker};
use crate::crew::{Crew, Done, Totals};
use crate::job::Task;
use crate::report::Flows;

/// What all threads share.
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
    last_ns: u64,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until fewer than `cap` threads live, and counts one more.
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
        state.last_ns = clock::now_ns();
        drop(state);
        self.ended.notify_one();
    }

    /// The thread could not be made: how many there are.
    fn refuse(&self) -> u64 {
        let mut state = self.lock();
        state.live -= 1;
        state.flows.made -= 1;
        state.flows.held_at = Some(state.live);
        state.live
    }
}

pub(crate) fn run(crew: &Crew<'_, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let common = Common::default();
    let mut create_ns = 0;
    let walked = std::thread::scope(|scope| {
        let mut cap = u64::from(cap);
        let mut walker = Walker::new(crew);
        walker.walk(tasks, |files, found| {
            common.enter(cap);
            let started_ns = clock::now_ns();
            let made = make(scope, crew, &common, found.later());
            create_ns += clock::now_ns() - started_ns;
            if made.is_err() {
                // No room for another: as many as there are, from now on.
                cap = common.refuse();
                found.search(files);
            }
        });
        walker.totals()
    });
    let now_ns = clock::now_ns();
    let mut state = common
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state.totals.add(walked);
    state.flows.most = state.flows.most.max(1);
    Done::new(state.totals, state.flows).taking(create_ns, now_ns.saturating_sub(state.last_ns))
}

fn make<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    crew: &'env Crew<'_, '_>,
    common: &'env Common,
    file: Later,
) -> std::io::Result<()> {
    let body = move || {
        let mut files = crew.files();
        file.search(&mut files);
        files.sheet.deliver();
        common.leave(Totals::of((files.counts, files.watch.profile())));
    };
    Builder::new()
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, body)?;
    Ok(())
}
