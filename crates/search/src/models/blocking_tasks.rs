//! Work on its way from fibers to the threads that do what blocks, and the news that it is done.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fiber::FiberId;

use crate::job::Task;

/// Bytes of names that are handed on at once: some tens of files.
const TASK_BYTES: usize = 512;

/// Work for a helper, and who waits for it.
pub(crate) struct BlockingTask {
    pub(crate) task: Task,
    pub(crate) waits: Option<Waits>,
}

/// A fiber that waits until all its tasks are done.
#[derive(Clone)]
pub(crate) struct Waits {
    pub(crate) fiber: FiberId,
    pub(crate) left: Arc<AtomicUsize>,
}

/// What the thread of the fibers and its helpers share: work, and news of work that is done.
#[derive(Default)]
pub(crate) struct BlockingTasks {
    state: Mutex<State>,
    work: Condvar,
    news: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<BlockingTask>,
    /// Fibers that can go on.
    ready: Vec<FiberId>,
    over: bool,
}

impl BlockingTasks {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts work where helpers find it.
    pub(crate) fn post(&self, tasks: impl IntoIterator<Item = BlockingTask>) {
        self.lock().tasks.extend(tasks);
        self.work.notify_all();
    }

    /// The next task, for a helper; `None` at the end.
    pub(crate) fn take(&self) -> Option<BlockingTask> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
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

    /// A task is done.
    pub(crate) fn done(&self, waits: &Waits) {
        if waits.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.lock().ready.push(waits.fiber);
            self.news.notify_one();
        }
    }

    /// Waits for fibers that can go on.
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

    /// There will be no more work.
    pub(crate) fn end(&self) {
        self.lock().over = true;
        self.work.notify_all();
    }
}

/// Cuts names, each with a NUL after it, into tasks.
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
