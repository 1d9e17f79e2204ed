use crate::data::{RawSlot, Simulated};

/// A slot of the reference, and that of the subject in the same round.
pub(super) struct Pair<'a> {
    pub(super) reference: (&'a RawSlot, &'a Simulated),
    pub(super) subject: (&'a RawSlot, &'a Simulated),
}
