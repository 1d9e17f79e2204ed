//! A thread for each folder, made by the thread that found it: to give a folder away. At the cap
//! (or where the kernel refuses another thread, said once) folders wait for a thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, Scope};

use measure::clock;

use crate::exchange::Exchange;
use crate::job::Task;
use crate::locks::{held, left};
use crate::models::census::Census;
use crate::models::threads::STACK_BYTES;
use crate::models::{Done, FlowSet, refused};
use crate::report::Class;

struct Common {
    state: Mutex<State>,
    cap: u64,
    create_ns: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    census: Census,
}

#[derive(Clone, Copy)]
struct Maker<'scope, 'env, 'c, 'o> {
    scope: &'scope Scope<'scope, 'env>,
    set: &'env FlowSet<'c, 'o>,
    common: &'env Common,
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
    let state = left(common.state);
    state.census.done(common.create_ns.into_inner())
}

/// Files stay with their folder's thread.
impl Exchange for Maker<'_, '_, '_, '_> {
    fn give(&self, task: Task) -> Result<(), Task> {
        let mut state = held(&self.common.state);
        if state.census.live >= self.common.cap {
            state.census.flows.held_at = Some(self.common.cap);
            state.waiting.push(task);
            return Ok(());
        }
        state.census.enter();
        drop(state);
        self.make(task);
        Ok(())
    }
}

impl Maker<'_, '_, '_, '_> {
    fn make(&self, task: Task) {
        let started_ns = clock::now_ns();
        // By way of the queue: a closure would be lost if no thread can be made.
        held(&self.common.state).waiting.push(task);
        let maker = *self;
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
        let mut state = held(&self.common.state);
        state.census.withdraw();
        let (first, live) = (state.census.refuse(), state.census.live);
        drop(state);
        if first {
            refused::tell_each(self.set, live, "threads", error);
        }
    }

    fn work_while_there_is(&self) {
        loop {
            let mut state = held(&self.common.state);
            let Some(task) = state.waiting.pop() else {
                return state.census.leave(Some(clock::now_ns()));
            };
            drop(state);
            self.work(task);
        }
    }

    fn take_if_nobody_works(&self) -> Option<Task> {
        let mut state = held(&self.common.state);
        match state.census.live {
            0 => state.waiting.pop(),
            _ => None,
        }
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
        held(&self.common.state)
            .census
            .totals
            .add(worker.files.totals());
    }
}
