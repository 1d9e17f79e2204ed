use crate::config::{Config, Stack};
use crate::core;
use crate::memory::{HUGE_PAGE, PAGE, in_whole_pages};
use crate::movable::{member, shared};
use crate::slots;

impl Config {
    /// Address space of one fiber: slot, guard, and its entry in each table.
    #[must_use]
    pub fn bytes_per_fiber(&self) -> usize {
        let in_region = match self.stack {
            Stack::Movable { .. } => shared::TABLE_BYTES + member::TABLE_BYTES,
            Stack::Packed { .. } | Stack::Guarded { .. } => 0,
        };
        let tables = core::TABLE_BYTES + in_region;
        slots::stride(self.stack).saturating_add(tables)
    }

    /// Address space that a scheduler takes beside its fibers, while it is made.
    #[must_use]
    pub fn bytes_besides(&self) -> usize {
        let slots = match self.stack {
            Stack::Packed { .. } | Stack::Guarded { .. } => slots::LANDING + HUGE_PAGE,
            // A region says where it lies, and counts what is between its parts.
            Stack::Movable { .. } => 0,
        };
        core::last_stack_bytes(self.stack).saturating_add(slots + PAGE + PAGE)
    }

    /// Address space of fibers beyond [`bytes_per_fiber`](Self::bytes_per_fiber) each: the rest of
    /// the last huge page of packed slots and of each table; in a region the gaps.
    #[must_use]
    pub fn bytes_rounded(&self, fibers: usize) -> usize {
        let rounded = |bytes: usize| in_whole_pages(bytes) - bytes;
        let tables = core::TABLES.map(|each| rounded(fibers.saturating_mul(each)));
        let slots = match self.stack {
            Stack::Packed { .. } => {
                rounded(slots::stride(self.stack).saturating_mul(fibers) + slots::LANDING)
            }
            Stack::Guarded { .. } => 0,
            Stack::Movable { .. } => {
                let leaving = rounded(fibers.saturating_mul(member::TABLE_BYTES));
                let last_table = in_whole_pages(fibers.saturating_mul(core::TABLES[3]));
                // A table of huge pages takes one more while it is made.
                let while_made = if last_table < HUGE_PAGE { 0 } else { HUGE_PAGE };
                shared::bytes_between(self, fibers.min(self.most())) + leaving + while_made
            }
        };
        tables.iter().sum::<usize>() + slots
    }
}
