//! Waiting for a fiber, and not waiting for it.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::rc::Rc;

use crate::control::{Control, Stage, place};
use crate::core::Core;
use crate::current;
use crate::error::JoinError;
use crate::fiber::FiberId;

/// The right to a fiber's result. Dropped unused, the fiber runs on and its result is
/// dropped when it ends.
pub struct JoinHandle<T> {
    core: Rc<Core>,
    id: FiberId,
    result: PhantomData<T>,
}

impl<T> JoinHandle<T> {
    pub(crate) fn new(core: Rc<Core>, id: FiberId) -> JoinHandle<T> {
        JoinHandle {
            core,
            id,
            result: PhantomData,
        }
    }

    /// The fiber.
    #[must_use]
    pub fn id(&self) -> FiberId {
        self.id
    }

    /// Has it ended, well or badly?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.core.is_dropped() || self.control().stage.get().is_over()
    }

    /// The fiber's result, when it has ended. Called in a fiber, lets the others run until
    /// then; called outside, runs the scheduler until then.
    ///
    /// # Errors
    /// The fiber panicked, cannot end, or its scheduler was dropped; or its scheduler runs, and
    /// the fiber that asks is none of it.
    pub fn join(self) -> Result<T, JoinError> {
        if self.core.is_dropped() {
            return Err(JoinError::Dropped);
        }
        if !self.is_finished() {
            self.wait();
        }
        self.take()
    }

    fn control(&self) -> &Control {
        self.core.control(self.id.index)
    }

    /// Does a fiber of the same scheduler ask?
    fn is_asked_inside(&self) -> bool {
        let inside = std::ptr::eq(current::core(), &raw const *self.core);
        inside && current::is_turn(current::turn())
    }

    fn wait(&self) {
        if self.is_asked_inside() {
            self.core.wait_for_end(self.id.index, current::turn());
        } else if !self.core.is_running() {
            self.core.run(|| self.is_finished());
        }
    }

    fn take(self) -> Result<T, JoinError> {
        let (core, index) = (&self.core, self.id.index);
        let top = core.slots.top(index);
        let outcome = match self.control().stage.get() {
            // SAFETY: the fiber is done, so a `T` lies there; it is read once, since the
            // slot is freed below.
            Stage::Done => Ok(unsafe { place::<T>(top).read() }),
            Stage::Panicked => {
                // SAFETY: the same, for what it threw.
                let thrown = unsafe { place::<Box<dyn Any + Send>>(top).read() };
                Err(JoinError::Panicked(thrown))
            }
            _ if core.is_running() && !self.is_asked_inside() => return Err(JoinError::Waiting),
            _ => return Err(JoinError::Stuck),
        };
        self.control().discard.set(None);
        core.free_slot(index);
        self.forget();
        outcome
    }

    /// Drops the handle without detaching the fiber, which is gone.
    fn forget(self) {
        let mut this = mem::ManuallyDrop::new(self);
        // SAFETY: the field is dropped once: `this` is not dropped, nor used again.
        unsafe { std::ptr::drop_in_place(&raw mut this.core) };
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if self.core.is_dropped() {
            return;
        }
        if self.is_finished() {
            self.core.discard(self.id.index);
            self.core.free_slot(self.id.index);
        } else {
            self.control().link.set(crate::control::NOBODY);
            self.control().detached.set(true);
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
