//! The exchange of threads: a queue under a lock, to which flows come only without work, some
//! hundred times in a search. How many wait beyond the queue is a word that flows at work read
//! without the lock before every file. The search is over when all flows wait and the queue is
//! empty. A flow is counted before it is made: all is not over while it is on its way.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use crate::exchange::Exchange;
use crate::job::Task;
use crate::locks::{held, waited};

pub(crate) struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    hunger: AtomicUsize,
    grows: AtomicBool,
}

struct Queue {
    tasks: VecDeque<Task>,
    flows: usize,
    most: usize,
    waiting: usize,
    over: bool,
}

impl Shared {
    pub(crate) fn new(tasks: Vec<Task>, flows: usize) -> Shared {
        Shared {
            queue: Mutex::new(Queue {
                tasks: tasks.into(),
                flows,
                most: flows,
                waiting: 0,
                over: false,
            }),
            ready: Condvar::new(),
            hunger: AtomicUsize::new(0),
            grows: AtomicBool::new(false),
        }
    }

    pub(crate) fn growing_to(self, most: usize) -> Shared {
        {
            let mut queue = held(&self.queue);
            queue.most = queue.flows.max(most);
            self.grows
                .store(queue.most > queue.flows, Ordering::Relaxed);
        }
        self
    }

    pub(crate) fn lose(&self, flows: usize) -> usize {
        let mut queue = held(&self.queue);
        queue.flows -= flows;
        self.grows.store(false, Ordering::Relaxed);
        self.end_if_over(&mut queue);
        queue.flows
    }

    pub(crate) fn enlist(&self) -> bool {
        if !self.grows.load(Ordering::Relaxed) {
            return false;
        }
        let mut queue = held(&self.queue);
        let enlists = queue.waiting == 0 && queue.flows < queue.most && !queue.over;
        queue.flows += usize::from(enlists);
        if queue.flows == queue.most {
            self.grows.store(false, Ordering::Relaxed);
        }
        enlists
    }

    pub(crate) fn most(&self) -> usize {
        held(&self.queue).most
    }

    fn update_hunger(&self, queue: &Queue) {
        let hunger = queue.waiting.saturating_sub(queue.tasks.len());
        self.hunger.store(hunger, Ordering::Relaxed);
    }

    fn end_if_over(&self, queue: &mut Queue) {
        if queue.tasks.is_empty() && queue.waiting >= queue.flows {
            queue.over = true;
            self.ready.notify_all();
        }
    }
}

impl Exchange for Shared {
    #[inline]
    fn hungry(&self) -> bool {
        self.hunger.load(Ordering::Relaxed) > 0
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        let mut queue = held(&self.queue);
        queue.tasks.push_back(task);
        self.update_hunger(&queue);
        drop(queue);
        self.ready.notify_one();
        Ok(())
    }

    fn take(&self) -> Option<Task> {
        let mut queue = held(&self.queue);
        queue.waiting += 1;
        loop {
            if queue.over {
                return None;
            }
            if let Some(task) = queue.tasks.pop_front() {
                queue.waiting -= 1;
                self.update_hunger(&queue);
                return Some(task);
            }
            self.end_if_over(&mut queue);
            if queue.over {
                return None;
            }
            self.update_hunger(&queue);
            queue = waited(&self.ready, queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_taken_once_and_then_all_flows_end() {
        let shared = Shared::new(vec![Task::Root(0)], 4);
        let taken = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some(task) = shared.take() {
                        taken.fetch_add(1, Ordering::Relaxed);
                        let Task::Root(depth) = task else { panic!() };
                        if depth < 8 {
                            assert!(shared.give(Task::Root(depth + 1)).is_ok());
                            assert!(shared.give(Task::Root(depth + 1)).is_ok());
                        }
                    }
                });
            }
        });
        assert_eq!(taken.into_inner(), 511);
    }

    #[test]
    fn flows_are_enlisted_up_to_their_number_while_none_waits() {
        let shared = Shared::new(vec![Task::Root(0)], 1).growing_to(3);
        assert!(shared.enlist() && shared.enlist());
        assert!(!shared.enlist(), "a fourth of three");
        assert_eq!(shared.lose(1), 2);
        assert!(
            !shared.enlist(),
            "one that could not be made is not tried again"
        );
        let fixed = Shared::new(Vec::new(), 2);
        assert!(!fixed.enlist(), "a pool whose number was asked for");
        assert_eq!((shared.most(), fixed.most()), (3, 2));
        std::thread::scope(|scope| {
            let all = [(); 2].map(|()| scope.spawn(|| while shared.take().is_some() {}));
            assert!(all.into_iter().all(|flow| flow.join().is_ok()));
        });
    }

    #[test]
    fn flows_that_were_never_made_are_not_waited_for() {
        let shared = Shared::new(Vec::new(), 3);
        std::thread::scope(|scope| {
            let only = scope.spawn(|| shared.take().is_none());
            shared.lose(2);
            assert!(only.join().is_ok_and(|ended| ended));
        });
    }
}
