//! A thread for each folder, made by the thread that found it: to give a folder away. At the cap
//! (or where the kernel refuses another thread, said once) folders wait for a thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use measure::clock;

use crate::exchange::Exchange;
use crate::job::Task;
use crate::models::threads::STACK_BYTES;
use crate::models::{Done, FlowSet, Totals, refused};
use crate::report::{Class, Flows};

struct Common {
    state: Mutex<State>,
    cap: u64,
    create_ns: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    live: u64,
    flows: Flows,
    totals: Totals,
    last_ns: Option<u64>,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Maker<'scope, 'env, 'c, 'o> {
    scope: &'scope Scope<'scope, 'env>,
    set: &'env FlowSet<'c, 'o>,
    common: &'env Common,
}

impl Clone for Maker<'_, '_, '_, '_> {
    fn clone(&self) -> Self {
        Maker { ..*self }
    }
}

pub(crate) fn run(set: &FlowSet<'_, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let common = Common {
        state: Mutex::default(),
        cap: u64::from(cap),
        create_ns: AtomicU64::new(0),
    };
    std::thread::scope(|scope| {
        let maker = Maker {
            scope,
            set,
            common: &common,
        };
        for task in tasks {
            let _kept_where_none_can_be_made = maker.give(task);
        }
        while let Some(task) = maker.take_if_nobody_works() {
            maker.work(task);
        }
    });
    let state = common.state.into_inner();
    let state = state.unwrap_or_else(PoisonError::into_inner);
    Done::new(state.totals, state.flows).taking(common.create_ns.into_inner(), state.last_ns)
}

impl Exchange for Maker<'_, '_, '_, '_> {
    fn hungry(&self) -> bool {
        // Files stay with their folder's thread.
        false
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        let mut state = self.common.lock();
        if state.live >= self.common.cap {
            state.flows.held_at = Some(self.common.cap);
            state.waiting.push(task);
            return Ok(());
        }
        state.live += 1;
        state.flows.made += 1;
        state.flows.most = state.flows.most.max(state.live);
        drop(state);
        self.make(task);
        Ok(())
    }

    fn take(&self) -> Option<Task> {
        None
    }
}

impl Maker<'_, '_, '_, '_> {
    fn make(&self, task: Task) {
        let started_ns = clock::now_ns();
        // By way of the queue: a closure would be lost if no thread can be made.
        self.common.lock().waiting.push(task);
        let maker = self.clone();
        let made = Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(self.scope, move || maker.work_while_there_is());
        let spent_ns = clock::now_ns() - started_ns;
        self.common.create_ns.fetch_add(spent_ns, Ordering::Relaxed);
        if let Err(error) = made {
            self.refuse(&error);
        }
    }

    fn refuse(&self, error: &std::io::Error) {
        let mut state = self.common.lock();
        state.live -= 1;
        state.flows.made -= 1;
        let live = state.live;
        state.flows.held_at = Some(live);
        let first = !std::mem::replace(&mut state.flows.refused, true);
        drop(state);
        if first {
            refused::tell_each(self.set, live, "threads", error);
        }
    }

    fn work_while_there_is(&self) {
        loop {
            let mut state = self.common.lock();
            let Some(task) = state.waiting.pop() else {
                state.live -= 1;
                state.last_ns = Some(clock::now_ns());
                return;
            };
            drop(state);
            self.work(task);
        }
    }

    fn take_if_nobody_works(&self) -> Option<Task> {
        let mut state = self.common.lock();
        if state.live > 0 {
            return None;
        }
        state.flows.most = state.flows.most.max(1);
        state.waiting.pop()
    }

    fn work(&self, task: Task) {
        let mut worker = self.set.worker();
        worker.task(task, self);
        while let Some(found) = worker.own().pop_front() {
            let _given = self.give(found);
        }
        worker.files.watch.lap(Class::Create);
        worker.files.buffer.deliver();
        worker.files.watch.lap(Class::Print);
        self.common.lock().totals.add(Totals::of(worker.totals()));
    }
}
