use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::rc::Rc;

use crate::control::{Control, Stage, place};
use crate::core::Core;
use crate::current;
use crate::error::JoinError;
use crate::fiber::FiberId;

/// The right to a fiber's result. Dropped unused, the fiber runs on and its result is dropped.
pub struct JoinHandle<T> {
    core: Rc<Core>,
    index: u32,
    result: PhantomData<T>,
}

impl<T> JoinHandle<T> {
    #[inline(always)]
    pub(crate) fn new(core: Rc<Core>, index: u32) -> JoinHandle<T> {
        JoinHandle {
            core,
            index,
            result: PhantomData,
        }
    }

    /// The fiber.
    #[must_use]
    pub fn id(&self) -> FiberId {
        self.core.id(self.index)
    }

    /// Has it ended, well or badly?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.core.is_dropped() || self.stage().is_over()
    }

    /// The fiber's result, when it has ended. In a fiber, lets the others run until then; outside,
    /// runs the scheduler. Errors: see [`JoinError`].
    #[inline]
    pub fn join(self) -> Result<T, JoinError> {
        if self.stage() == Stage::Done {
            // SAFETY: it is done, so a `T` lies there.
            Ok(unsafe { self.take() })
        } else {
            self.join_unfinished()
        }
    }

    #[cold]
    #[inline(never)]
    fn join_unfinished(self) -> Result<T, JoinError> {
        if self.core.is_dropped() {
            return Err(JoinError::Dropped);
        }
        if !self.is_finished() {
            self.wait();
        }
        match self.stage() {
            // SAFETY: it is done, so a `T` lies there.
            Stage::Done => Ok(unsafe { self.take() }),
            // SAFETY: it has thrown, and what it threw lies there.
            Stage::Panicked => Err(JoinError::Panicked(unsafe { self.take() })),
            Stage::Lost => Err(JoinError::Lost {
                process: self.core.lost_with(self.index),
            }),
            _ if self.core.is_running() && !self.is_asked_inside() => Err(JoinError::Waiting),
            _ => Err(JoinError::Stuck),
        }
    }

    #[inline(always)]
    fn stage(&self) -> Stage {
        self.core.mark(self.index).stage.get()
    }

    #[inline(always)]
    fn control(&self) -> &Control {
        self.core.control(self.index)
    }

    fn is_asked_inside(&self) -> bool {
        let inside = std::ptr::eq(current::core(), &raw const *self.core);
        inside && current::is_turn(current::turn())
    }

    fn wait(&self) {
        if self.is_asked_inside() {
            self.core.wait_for_end(self.index, current::turn());
        } else if !self.core.is_running() {
            self.core.run_and_wait(|| self.is_finished());
        }
    }

    /// Takes the value and gives back the slot. Safety: a `V` lies at the top of it.
    #[inline(always)]
    unsafe fn take<V>(self) -> V {
        // Nothing to detach: only the scheduler's count is returned.
        let this = mem::ManuallyDrop::new(self);
        // SAFETY: the field is read once, as `this` is not used again nor dropped.
        let core = unsafe { std::ptr::read(&raw const this.core) };
        let (control, index) = (core.control(this.index), this.index);
        // SAFETY: the caller's promise; it is read once, since the slot is freed.
        let value = unsafe { place::<V>(core.slots.top(index)).read() };
        if mem::needs_drop::<V>() {
            control.set_discard(None);
        }
        core.free(control, index);
        value
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if self.core.is_dropped() {
            return;
        }
        if self.stage() == Stage::Lost {
            // The slot's content is unknown: nobody gets it.
        } else if self.is_finished() {
            self.core.discard(self.index);
            self.core.free(self.control(), self.index);
        } else {
            self.control().link.set(crate::control::NOBODY);
            self.control().detached.set(true);
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
