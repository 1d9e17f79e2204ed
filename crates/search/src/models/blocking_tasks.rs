//! Tasks from fibers to threads that block, and news of finished ones.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use fiber::FiberId;

use crate::exchange::Exchange;
use crate::job::Task;
use crate::locks::{held, waited};

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
    pub(crate) fn post(&self, tasks: impl IntoIterator<Item = BlockingTask>) {
        let mut state = held(&self.state);
        state.tasks.extend(tasks);
        self.update(&state);
        drop(state);
        self.work.notify_all();
    }

    /// `None` at the end: a large file may come up while others work. `worked`: after a task.
    pub(crate) fn take(&self, worked: bool) -> Option<BlockingTask> {
        let mut state = held(&self.state);
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
            state = waited(&self.work, state);
            state.waiting -= 1;
        }
    }

    fn update(&self, state: &State) {
        let idle = state.waiting.saturating_sub(state.tasks.len());
        self.idle.store(idle, Ordering::Relaxed);
    }

    pub(crate) fn done(&self, waits: &Waits) {
        if waits.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            held(&self.state).ready.push(waits.fiber);
            self.news.notify_one();
        }
    }

    pub(crate) fn ready(&self) -> Vec<FiberId> {
        let mut state = held(&self.state);
        while state.ready.is_empty() {
            state = waited(&self.news, state);
        }
        std::mem::take(&mut state.ready)
    }

    pub(crate) fn end(&self) {
        held(&self.state).over = true;
        self.work.notify_all();
    }
}

/// Helpers share only large files: a fiber waits for its files.
impl Exchange for BlockingTasks {
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
