use std::time::Instant;

/// Looks from the main process at a slot's processes. The launcher wakes for it; without one, it
/// sleeps until the slot writes.
pub trait Onlooker {
    /// The slot's process is there, leads process group `group`, and waits for its task.
    fn slot_began(&mut self, group: i32);

    /// When to look next; `None` for never.
    fn next_look(&self) -> Option<Instant> {
        None
    }

    /// Looks. The slot continues meanwhile.
    fn look(&mut self) {}

    /// The slot has answered, or will be killed now. Its process was not waited for yet.
    fn slot_ends(&mut self);
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Nobody;

impl Onlooker for Nobody {
    fn slot_began(&mut self, _group: i32) {}
    fn slot_ends(&mut self) {}
}

/// Both look at one slot, the first one first.
pub(super) struct Both<'a>(
    pub(super) &'a mut dyn Onlooker,
    pub(super) &'a mut dyn Onlooker,
);

impl Onlooker for Both<'_> {
    fn slot_began(&mut self, group: i32) {
        self.0.slot_began(group);
        self.1.slot_began(group);
    }

    fn next_look(&self) -> Option<Instant> {
        let looks = [self.0.next_look(), self.1.next_look()];
        looks.into_iter().flatten().min()
    }

    fn look(&mut self) {
        let now = Instant::now();
        for onlooker in [&mut *self.0, &mut *self.1] {
            if onlooker.next_look().is_some_and(|at| at <= now) {
                onlooker.look();
            }
        }
    }

    fn slot_ends(&mut self) {
        self.0.slot_ends();
        self.1.slot_ends();
    }
}
