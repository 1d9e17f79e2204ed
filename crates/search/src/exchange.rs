use crate::job::Task;

/// By what flows share work; unless told, by a flow that shares none.
pub(crate) trait Exchange {
    /// Whether a flow has no work and none is on its way to it. Asked before every file.
    #[inline]
    fn hungry(&self) -> bool {
        false
    }

    /// Gives work away; gives it back when that cannot be done.
    fn give(&self, task: Task) -> Result<(), Task> {
        Err(task)
    }

    fn take(&self) -> Option<Task> {
        None
    }

    fn helps(&self) -> bool {
        self.hungry()
    }

    fn leaves(&self) -> bool {
        false
    }

    /// Makes another flow where there may be more: a flow that asks has work enough for it.
    fn grow(&self) {}
}
