//! One flow does everything: the caller's own.

use crate::crew::{Crew, Done, Exchange, Totals};
use crate::job::Task;
use crate::report::Flows;

/// Nobody to give work to.
pub(crate) struct Alone;

impl Exchange for Alone {
    fn hungry(&self) -> bool {
        false
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        Err(task)
    }

    fn take(&self) -> Option<Task> {
        None
    }
}

/// The caller's flow, and no other.
pub(crate) const ONE: Flows = Flows {
    made: 0,
    most: 1,
    held_at: None,
    refused: false,
};

pub(crate) fn run(crew: &Crew<'_, '_>, tasks: Vec<Task>) -> Done {
    let mut worker = crew.worker();
    // What was named first is done first.
    worker.own().extend(tasks.into_iter().rev());
    worker.run(&Alone);
    Done::new(Totals::of(worker.totals()), ONE)
}
