use crate::arch::{self, Floats, Turn};
use crate::control::Stage;
use crate::core::{AHEAD, Core};
use crate::current::{arrive, publish};
use crate::fatal;
use crate::fiber::FiberId;
use crate::naming;

/// In ids.
const AWAKEN_AHEAD: usize = 16;

impl Core {
    #[inline(always)]
    pub(crate) fn suspend(&self, turn: Turn) -> Turn {
        let index = self.index_at(turn);
        if self.mark(index).permit.take() {
            return turn;
        }
        self.stop(index, turn, Stage::Suspended)
    }

    pub(crate) fn wait_for_end(&self, whom: u32, turn: Turn) -> Turn {
        let index = self.index_at(turn);
        self.control(whom).link.set(index);
        self.stop(index, turn, Stage::Joining)
    }

    #[inline(always)]
    fn stop(&self, index: u32, turn: Turn, stage: Stage) -> Turn {
        let control = self.control(index);
        // SAFETY: the ring has AHEAD cells more than it can hold contexts.
        let ahead = |cells| unsafe { turn.wrapping_add(cells).read() };
        arch::prefetch(ahead(AHEAD));
        // SAFETY: each of those cells holds a context, or nothing yet.
        unsafe { arch::prefetch_stack(ahead(AHEAD / 2)) };
        self.mark(index).stage.set(stage);
        self.leave_hole(turn);
        self.away(index, turn, |next| {
            // SAFETY: the fiber's own context; a fiber, a hole or the scheduler is in `next`.
            unsafe { arch::switch(control.context(), next) }
        })
    }

    /// For a fiber without a copy of the turn, or with its own floating-point state.
    #[inline(always)]
    pub(crate) fn give_up(&self, turn: Turn) -> Turn {
        let index = self.index_at(turn);
        // SAFETY: the ring has AHEAD cells more than it can hold contexts.
        arch::prefetch(unsafe { turn.wrapping_add(AHEAD).read() });
        self.away(index, turn, |next| {
            // SAFETY: the turn is this fiber's cell of the ring.
            let own = unsafe { turn.read() };
            // SAFETY: the context is this fiber's own; `next` is a cell of the ring.
            unsafe { arch::switch(own, next) }
        })
    }

    /// `floats`: the interrupted fiber's own, or common. The kernel takes them back at the return.
    #[cold]
    pub(crate) fn stop_at_tick(&self, turn: Turn, floats: Floats) {
        let index = self.index_at(turn);
        let has_own = self.control(index).own_floats.get();
        let common = self.common_floats.get().filter(|_| has_own);
        common.unwrap_or(floats).load();
        // SAFETY: the turn is this fiber's cell of the ring.
        let own = unsafe { turn.read() };
        // SAFETY: the context is this fiber's own; the next cell is one of the ring.
        let turn = unsafe { arch::switch(own, turn.wrapping_add(1)) };
        if turn.is_null() {
            fatal::end(format_args!(
                "fiber {index} was interrupted by a timer when its scheduler was dropped: let it end first"
            ));
        }
        if has_own {
            self.keep_common_floats();
        }
        publish(turn);
    }

    /// Keeps nothing over the switch in the usual case: inlined, it needs no stack.
    #[inline(always)]
    fn away(&self, index: u32, turn: Turn, switch: impl FnOnce(Turn) -> Turn) -> Turn {
        if self.floats_asked.get() && self.control(index).own_floats.get() {
            return self.away_with_floats(turn, switch);
        }
        let turn = switch(turn.wrapping_add(1));
        arrive(turn);
        turn
    }

    #[cold]
    #[inline(never)]
    fn away_with_floats(&self, turn: Turn, switch: impl FnOnce(Turn) -> Turn) -> Turn {
        let own = self.put_floats_away();
        let turn = switch(turn.wrapping_add(1));
        // Unwound fibers end the same way.
        self.take_floats_back(own);
        arrive(turn);
        turn
    }

    #[cold]
    pub(crate) fn floats_are_asked(&self) {
        self.floats_asked.set(true);
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn keep_common_floats(&self) {
        self.common_floats.set(Some(Floats::read()));
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn take_floats_back(&self, own: Floats) {
        self.keep_common_floats();
        own.load();
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn put_floats_away(&self) -> Floats {
        let own = Floats::read();
        if let Some(common) = self.common_floats.get() {
            common.load();
        }
        own
    }

    #[inline(always)]
    pub(crate) fn check_now(&self, index: u32) {
        if !self.slots.is_whole(index) {
            naming::overflowed(self, index);
        }
    }

    #[inline]
    pub(crate) fn awaken(&self, index: u32) -> bool {
        let mark = self.mark(index);
        match mark.stage.get() {
            Stage::Suspended => self.resume(index),
            Stage::Fresh | Stage::Started | Stage::Joining => mark.permit.set(true),
            Stage::Free
            | Stage::Done
            | Stage::Panicked
            | Stage::Away
            | Stage::Lost
            | Stage::Paused
            | Stage::Resumed => return false,
        }
        true
    }

    #[inline]
    pub(crate) fn awaken_by(&self, id: FiberId) -> bool {
        self.find(id).is_some_and(|index| self.awaken(index))
    }

    /// Returns those not ended. Prefetches, so that cache misses overlap.
    pub(crate) fn awaken_all(&self, ids: &[FiberId]) -> usize {
        let awakened = ids.iter().enumerate().filter(|(place, id)| {
            if let Some(ahead) = ids.get(place + AWAKEN_AHEAD) {
                self.prefetch_mark(ahead.index);
            }
            self.awaken_by(**id)
        });
        awakened.count()
    }

    #[inline]
    pub(crate) fn resume(&self, index: u32) {
        self.mark(index).stage.set(Stage::Started);
        self.enqueue(self.control(index).context());
    }
}
