use sys::Alone;

use crate::file::FileSearch;
use crate::job::Job;
use crate::models::shared_memory::SharedMemory;
use crate::outlet::{Here, Outlet};
use crate::worker::Worker;

pub(crate) struct FlowSet<'c, 'o> {
    pub(crate) job: &'c Job<'c>,
    pub(crate) outlet: &'c Outlet<'o>,
    pub(crate) shared: &'c SharedMemory,
    /// Where flows may be processes.
    pub(crate) alone: Option<Alone>,
}

impl<'c> FlowSet<'c, '_> {
    pub(crate) fn worker(&self) -> Worker<'c, 'c> {
        Worker::new(self.job, self.files())
    }

    /// Of a flow beside which there is no other now.
    pub(crate) fn worker_alone(&self) -> Worker<'c, 'c> {
        let to = Box::new(Here::alone(self.outlet));
        Worker::new(self.job, FileSearch::new(self.job, to))
    }

    pub(crate) fn files(&self) -> FileSearch<'c, 'c> {
        FileSearch::new(self.job, Box::new(Here::new(self.outlet)))
    }
}
