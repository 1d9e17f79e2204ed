use std::ptr;

use crate::arch::{self, Saved, Turn};
use crate::control::{Control, NOBODY, Stage};
use crate::core::Core;
use crate::current::{self, Entered};
use crate::fatal;
use crate::naming;

impl Core {
    #[inline(always)]
    pub(crate) fn end(&self, control: &Control, index: u32) -> ! {
        let turn = current::turn();
        let is_plain = !control.detached.get()
            && !control.own_floats.get()
            && control.link.get() == NOBODY
            && turn != current::NOBODYS
            && self.is_home_of(index)
            && self.slots.is_whole(index);
        if is_plain {
            self.left();
            self.leave_hole(turn);
            // SAFETY: the cell after a turn holds a fiber, a hole or the scheduler.
            unsafe { arch::leave(turn.wrapping_add(1)) }
        }
        self.ending.set(index);
        let top = self.last_stack.end();
        // SAFETY: only ends of fibers use this stack, one at a time, and none switches meanwhile;
        // the fiber's frames are not needed any more.
        unsafe { arch::call_on(top, last_words) }
    }

    fn after_end(&self, turn: Turn) -> ! {
        let index = self.ending.get();
        let control = self.control(index);
        self.check_now(index);
        self.left();
        if control.own_floats.get() {
            self.put_floats_away();
        }
        if !self.is_home_of(index) {
            self.send_home(index);
        } else if control.detached.get() {
            // A destructor that yields must find itself outside any fiber; it may spawn and awaken.
            current::publish(ptr::null_mut());
            self.discard_unheard(index);
            self.free(control, index);
        } else if control.link.get() != NOBODY && !self.is_dropped() {
            self.resume(control.link.get());
        }
        if !self.dropper.get().is_null() {
            // SAFETY: the dropper saved its context there and waits for this.
            unsafe { arch::leave(self.dropper.as_ptr()) }
        }
        self.leave_hole(turn);
        // SAFETY: the cell after a turn holds a fiber, a hole or the scheduler.
        unsafe { arch::leave(turn.wrapping_add(1)) }
    }

    /// False when some hold values that were not dropped: their memory must stay.
    pub(crate) fn drop_fibers(&self) -> bool {
        if self.in_round.get() {
            // SAFETY: this one runs, so one does on this kernel thread, below us.
            let innermost = unsafe { &*current::core() };
            let index = innermost.acting_index();
            fatal::end(format_args!(
                "fiber {index} dropped the scheduler that runs it"
            ));
        }
        self.dropped.set(true);
        let _entered = Entered::outside(self);
        self.len.set(0);
        let kept = self.used_slots().filter(|index| !self.drop_fiber(*index));
        kept.count() == 0
    }

    fn drop_fiber(&self, index: u32) -> bool {
        match self.mark(index).stage.get() {
            Stage::Free | Stage::Fresh | Stage::Done | Stage::Panicked => {}
            Stage::Away | Stage::Lost | Stage::Resumed => return true,
            Stage::Paused => {
                let _entered = Entered::to_unwind(self);
                self.ending.set(index);
                self.unwind_generator(index);
            }
            Stage::Started | Stage::Suspended | Stage::Joining if self.catches => {
                self.unwind(index);
            }
            Stage::Started | Stage::Suspended | Stage::Joining => {
                if self.slots.is_guarded() {
                    naming::cannot_unwind(self, index);
                }
                return false;
            }
        }
        // Its handle must find no result; also when the destructor of the result asks for it.
        self.mark(index).stage.set(Stage::Free);
        self.discard_unheard(index);
        true
    }

    fn unwind(&self, index: u32) {
        let _entered = Entered::to_unwind(self);
        self.ending.set(index);
        let control = self.control(index);
        if let Some(staged) = &self.staged {
            self.enter_window(staged, index, control);
        }
        self.resume_to_unwind(control);
    }

    fn resume_to_unwind(&self, control: &Control) {
        let own = Saved::default();
        self.dropper.set(&raw const own);
        // SAFETY: the fiber's context takes a null turn for "unwind", and its end comes back here.
        unsafe { arch::switch_to(self.dropper.get(), control.context(), ptr::null_mut()) };
        self.dropper.set(ptr::null());
    }
}

extern "C" fn last_words() -> ! {
    // SAFETY: a fiber is ending, so a scheduler runs on this kernel thread, below us.
    unsafe { &*current::core() }.after_end(current::turn())
}
