use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::arch;
use crate::control::{Control, Mark, NOBODY, Stage};
use crate::core::Core;
use crate::error::SpawnError;
use crate::fiber::FiberId;

/// A destructor's panic was reported; its payload is gone, since it may panic again when dropped.
pub(crate) fn unheard(drops: impl FnOnce()) {
    catch_unwind(AssertUnwindSafe(drops)).unwrap_or_else(mem::forget);
}

impl Core {
    #[inline]
    pub(crate) fn take_slot(&self) -> Result<(&Control, u32), SpawnError> {
        let index = self.free.get();
        if index != NOBODY {
            let control = self.control(index);
            self.free.set(control.link.get());
            self.tell_of_slot(index, false);
            return Ok((control, index));
        }
        let index = self.used.get();
        if index as usize == self.slots_end {
            return Err(SpawnError::Full {
                capacity: self.slots_end - self.first_slot as usize,
            });
        }
        if let Some(member) = &self.member {
            let (slot, bytes) = self.slots.extent(index);
            member.shared.about_to_use(slot, bytes);
        }
        self.slots.prepare(index)?;
        self.tell_of_slot(index, true);
        self.used.set(index + 1);
        Ok((self.control(index), index))
    }

    pub(crate) fn used_slots(&self) -> Range<u32> {
        self.first_slot..self.used.get()
    }

    #[inline(always)]
    fn tell_of_slot(&self, index: u32, is_new: bool) {
        if let Some(stacks) = &self.watched {
            let (lowest, end) = (self.slots.lowest(index), self.slots.top(index));
            stacks.tell(lowest, end, is_new && self.member.is_none());
        }
    }

    #[inline]
    pub(crate) fn free(&self, control: &Control, index: u32) {
        let mark = self.mark(index);
        mark.stage.set(Stage::Free);
        mark.generation.set(mark.generation.get().wrapping_add(1));
        control.link.set(self.free.replace(index));
    }

    pub(crate) fn discard_unheard(&self, index: u32) {
        unheard(|| self.discard(index));
    }

    pub(crate) fn discard(&self, index: u32) {
        let control = self.control(index);
        if let Some(discard) = control.discard() {
            control.set_discard(None);
            // SAFETY: `discard` is set only when the value is there; taken out, it drops once.
            unsafe { discard(self.slots.top(index)) };
        }
    }

    #[inline(always)]
    pub(crate) fn control(&self, index: u32) -> &Control {
        self.controls.at(index as usize)
    }

    #[inline(always)]
    pub(crate) fn mark(&self, index: u32) -> &Mark {
        self.marks.at(index as usize)
    }

    pub(crate) fn prefetch_mark(&self, index: u32) {
        arch::prefetch(self.marks.address(index as usize).cast());
    }

    #[inline]
    pub(crate) fn id(&self, index: u32) -> FiberId {
        FiberId {
            scheduler: self.number,
            index,
            generation: self.mark(index).generation.get(),
        }
    }

    #[inline]
    pub(crate) fn find(&self, id: FiberId) -> Option<u32> {
        let ours = id.scheduler == self.number && (id.index as usize) < self.marks.len();
        let mark = ours.then(|| self.mark(id.index))?;
        (mark.generation.get() == id.generation && mark.stage.get() != Stage::Free)
            .then_some(id.index)
    }
}
