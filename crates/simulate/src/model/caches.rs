use super::Model;
use crate::sets::{NONE, Touch};
use crate::sharing::Cores;
use crate::trace::Access;

impl Model {
    #[inline]
    pub(super) fn beyond(
        &mut self,
        thread: u32,
        (small, line): (u64, u64),
        hit: bool,
        access: Access,
    ) {
        let core = self.threads[thread as usize].core;
        let waits = !hit & (access.load | self.allocates);
        if waits {
            let _nobody_asks_what_goes = self.cores[core as usize].l1.touch(small, small as u32);
        }
        if access.store {
            let others = self.sharing.touch(line as u32, core, true);
            if others != 0 {
                self.take(thread, line, others);
            }
        }
        if !hit | (access.store & !self.allocates) {
            self.below(thread, line, waits, access.store);
        }
    }

    /// Nobody waits for a store that writes through.
    pub(super) fn below(&mut self, thread: u32, line: u64, waits: bool, store: bool) {
        let own = &mut self.threads[thread as usize];
        let (counts, core) = (&mut own.counts, own.core);
        let waits = u64::from(waits);
        counts.l1d += waits;
        if !store {
            self.sharing.touch(line as u32, core, false);
        }
        if let Some(l2) = &mut self.cores[core as usize].l2 {
            if l2.touch(line, line as u32) == Touch::Hit {
                counts.stall += waits * self.ticks.l2;
                return;
            }
            counts.l2 += 1;
        }
        let group = core / self.shared_by;
        match self.llc[group as usize].touch(line, line as u32) {
            Touch::Hit => counts.stall += waits * self.ticks.llc,
            Touch::Miss { evicted } => {
                counts.llc += 1;
                counts.stall += waits * self.ticks.memory;
                if self.inclusive && evicted != NONE {
                    let of_group = group_mask(group, self.shared_by);
                    let holding = self.sharing.evict(evicted) & of_group;
                    self.drop_line(u64::from(evicted), holding);
                }
            }
        }
    }

    #[cold]
    pub(super) fn take(&mut self, thread: u32, line: u64, others: Cores) {
        let group = self.threads[thread as usize].core / self.shared_by;
        let taken = self.drop_line(line, others);
        for (other, llc) in self.llc.iter_mut().enumerate() {
            if others & group_mask(other as u32, self.shared_by) != 0 && other as u32 != group {
                llc.remove(line, line as u32);
            }
        }
        self.threads[thread as usize].counts.taken += u64::from(taken);
    }

    pub(super) fn drop_line(&mut self, line: u64, cores: Cores) -> bool {
        let lines = 1 << (self.line_shift - self.l1_shift);
        let mut had = false;
        let mut left = cores;
        while left != 0 {
            let core = &mut self.cores[left.trailing_zeros() as usize];
            left &= left - 1;
            for part in 0..lines {
                let small = line * lines + part;
                had |= core.l1.remove(small, small as u32);
            }
            if let Some(l2) = &mut core.l2 {
                had |= l2.remove(line, line as u32);
            }
        }
        had
    }
}

fn group_mask(group: u32, shared_by: u32) -> Cores {
    let cores = match shared_by {
        64 => Cores::MAX,
        few => (1 << few) - 1,
    };
    cores << (group * shared_by)
}
