use crate::exchange::Exchange;
use crate::job::Task;
use crate::models::{Done, FlowSet};
use crate::report::Flows;

pub(crate) struct Sequential;

impl Exchange for Sequential {}

pub(crate) const ONE: Flows = Flows {
    made: 0,
    most: 1,
    held_at: None,
    refused: false,
};

pub(crate) fn run(set: &FlowSet<'_, '_>, tasks: Vec<Task>) -> Done {
    let mut worker = set.worker_alone();
    worker.own().extend(tasks.into_iter().rev());
    worker.run(&Sequential);
    Done::new(worker.files.totals(), ONE)
}
