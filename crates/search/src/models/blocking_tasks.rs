//! Tasks from fibers to threads that block, and news of finished ones.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fiber::FiberId;

use crate::exchange::Exchange;
use crate::job::Task;

/// Names handed on at once: some tens of files.
const TASK_BYTES: usize = 512;

pub(crate) struct BlockingTask {
    pub(crate) task: Task,
    pub(crate) waits: Option<Waits>,
}

#[derive(Clone)]
pub(crate) struct Waits {
    pub(crate) fiber: FiberId,
    pub(crate) left: Arc<AtomicUsize>,
}

#[derive(Default)]
pub(crate) struct BlockingTasks {
    state: Mutex<State>,
    work: Condvar,
    news: Condvar,
    idle: AtomicUsize,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<BlockingTask>,
    busy: usize,
    waiting: usize,
    ready: Vec<FiberId>,
    over: bool,
}

impl BlockingTasks {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn post(&self, tasks: impl IntoIterator<Item = BlockingTask>) {
        let mut state = self.lock();
        state.tasks.extend(tasks);
        self.update(&state);
        drop(state);
        self.work.notify_all();
    }

    /// `None` at the end: a large file may come up while others work. `worked`: after a task.
    pub(crate) fn take(&self, worked: bool) -> Option<BlockingTask> {
        let mut state = self.lock();
        state.busy -= usize::from(worked);
        loop {
            if let Some(task) = state.tasks.pop_front() {
                state.busy += 1;
                self.update(&state);
                return Some(task);
            }
            if state.over && state.busy == 0 {
                self.work.notify_all();
                return None;
            }
            state.waiting += 1;
            self.update(&state);
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn update(&self, state: &State) {
        let idle = state.waiting.saturating_sub(state.tasks.len());
        self.idle.store(idle, Ordering::Relaxed);
    }

    pub(crate) fn done(&self, waits: &Waits) {
        if waits.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.lock().ready.push(waits.fiber);
            self.news.notify_one();
        }
    }

    pub(crate) fn ready(&self) -> Vec<FiberId> {
        let mut state = self.lock();
        while state.ready.is_empty() {
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut state.ready)
    }

    pub(crate) fn end(&self) {
        self.lock().over = true;
        self.work.notify_all();
    }
}

/// Helpers share only large files: a fiber waits for its files.
impl Exchange for BlockingTasks {
    fn hungry(&self) -> bool {
        false
    }

    fn helps(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        if !task.is_large() {
            return Err(task);
        }
        self.post([BlockingTask { task, waits: None }]);
        Ok(())
    }

    fn take(&self) -> Option<Task> {
        None
    }
}

pub(crate) fn cut(names: &[u8]) -> Vec<Vec<u8>> {
    let mut tasks: Vec<Vec<u8>> = Vec::new();
    for name in names.split_inclusive(|&byte| byte == 0) {
        match tasks.last_mut() {
            Some(last) if last.len() < TASK_BYTES => last.extend_from_slice(name),
            _ => tasks.push(name.to_vec()),
        }
    }
    tasks
}
