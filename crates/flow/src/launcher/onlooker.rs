use std::time::Instant;

/// Looks from the main process at a slot's processes. The launcher wakes for it.
pub trait Onlooker {
    /// The slot's process leads process group `group`, and waits for its task.
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

pub(super) struct Several<'a>(pub(super) Vec<&'a mut dyn Onlooker>);

impl Onlooker for Several<'_> {
    fn slot_began(&mut self, group: i32) {
        self.0.iter_mut().for_each(|one| one.slot_began(group));
    }

    fn next_look(&self) -> Option<Instant> {
        self.0.iter().filter_map(|one| one.next_look()).min()
    }

    fn look(&mut self) {
        let now = Instant::now();
        let is_due = |one: &&mut &mut dyn Onlooker| one.next_look().is_some_and(|at| at <= now);
        self.0.iter_mut().filter(is_due).for_each(|one| one.look());
    }

    fn slot_ends(&mut self) {
        self.0.iter_mut().for_each(|one| one.slot_ends());
    }
}
