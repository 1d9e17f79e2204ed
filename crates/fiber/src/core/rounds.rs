use crate::arch::{self, Context, Turn};
use crate::core::Core;
use crate::current::Entered;

/// Often enough to name a fiber that spoils its neighbours, too seldom to cost anything.
pub(super) const LOOK_EVERY: u32 = 64;

impl Core {
    #[inline]
    pub(crate) fn enqueue(&self, context: Context) {
        let (table, len) = if self.in_round.get() {
            self.lap.most.set(0);
            (&self.late, &self.late_len)
        } else {
            (&self.ring, &self.len)
        };
        table.at(len.get()).set(context);
        len.set(len.get() + 1);
    }

    #[inline(always)]
    pub(crate) fn leave_hole(&self, turn: Turn) {
        // SAFETY: a turn is a cell of the ring.
        unsafe { turn.write(&raw const self.hole) };
        self.holes.set(self.holes.get() + 1);
        self.lap.most.set(0);
    }

    pub(crate) fn run(&self, mut until: impl FnMut() -> bool) {
        assert!(
            !self.in_round.get(),
            "a scheduler was run by one of its own fibers: fibers yield, suspend or join"
        );
        let _entered = Entered::to_run(self);
        self.exchange();
        while self.len.get() > 0 && !until() {
            self.round();
            self.close_holes();
            self.admit();
            self.exchange();
        }
    }

    fn admit(&self) {
        let (len, late) = (self.len.get(), self.late_len.take());
        for place in 0..late {
            self.ring.at(len + place).set(self.late.at(place).get());
        }
        self.len.set(len + late);
    }

    /// Once each, or more often while nobody comes or leaves.
    fn round(&self) {
        self.in_round.set(true);
        let round = self.rounds.replace(self.rounds.get().wrapping_add(1));
        let looks = self.slots.is_packed() && round.is_multiple_of(LOOK_EVERY);
        match &self.staged {
            Some(staged) => self.staged_round(staged),
            None if looks => self.looking_round(),
            None => self.run_laps(LOOK_EVERY - 1 - round % LOOK_EVERY),
        }
        self.in_round.set(false);
    }

    fn looking_round(&self) {
        for place in 0..self.len.get() {
            let index = self.index_of(self.ring.at(place).get());
            self.run_cells(place, place + 1, &raw const self.own_context);
            if self.mark(index).stage.get().is_here() {
                self.check_now(index);
            }
        }
    }

    /// Repeats `more` times while nobody comes or leaves, or may have from other processes.
    fn run_laps(&self, more: u32) {
        let lap = &self.lap;
        lap.first.set(self.ring.at(0).as_ptr());
        lap.scheduler.set(&raw const self.own_context);
        lap.done.set(0);
        lap.most.set(match self.member {
            Some(_) => 0,
            None => more as usize,
        });
        self.run_cells(0, self.len.get(), &raw const lap.saved);
        let rounds = self.rounds.get().wrapping_add(lap.done.get() as u32);
        self.rounds.set(rounds);
    }

    /// From cell `first` to `end`, where `last` stands meanwhile and goes on with the scheduler.
    fn run_cells(&self, first: usize, end: usize, last: Context) {
        let own = self.ring.at(end);
        let next = own.replace(last);
        let first = self.ring.at(first).as_ptr();
        // SAFETY: the cells before `own` hold contexts of fibers, each once.
        let turn = unsafe { arch::switch(&raw const self.own_context, first) };
        debug_assert_eq!(turn, own.as_ptr(), "the turn came back to another cell");
        own.set(next);
    }

    fn close_holes(&self) {
        let (len, holes) = (self.len.get(), self.holes.take());
        if holes == 0 {
            return;
        }
        let mut kept = 0;
        if holes < len {
            for place in 0..len {
                let context = self.ring.at(place).get();
                self.ring.at(kept).set(context);
                kept += usize::from(context != &raw const self.hole);
            }
        }
        self.len.set(kept);
    }
}
