use crate::job::Task;

pub(crate) trait Exchange {
    /// Whether a flow has no work and none is on its way to it. Asked before every file.
    fn hungry(&self) -> bool;

    /// Gives work away; gives it back when that cannot be done.
    fn give(&self, task: Task) -> Result<(), Task>;

    fn take(&self) -> Option<Task>;

    fn helps(&self) -> bool {
        self.hungry()
    }

    fn leaves(&self) -> bool {
        false
    }

    /// Makes another flow where there may be more: a flow that asks has work enough for it.
    fn grow(&self) {}
}
