use std::fmt;

use crate::class::size_of_class;
use crate::heap::HeapStats;
use crate::large::LargeStats;
use crate::{CoreAware, Place};

/// What the heaps of an allocator hold.
#[derive(Clone, Copy)]
pub struct Stats<'a> {
    allocator: &'a CoreAware,
    /// Large blocks.
    pub large: LargeStats,
}

impl fmt::Debug for Stats<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl<'a> Stats<'a> {
    pub(crate) fn of(allocator: &'a CoreAware) -> Self {
        Self {
            allocator,
            large: allocator.large.stats(),
        }
    }

    /// One entry a core. Blocks in magazines are free.
    pub fn cores(&self) -> impl Iterator<Item = HeapStats> + '_ {
        let heaps = self.allocator.heaps.iter().enumerate();
        heaps.map(|(core, heap)| self.without_magazines(core, heap.stats()))
    }

    fn without_magazines(&self, core: usize, mut stats: HeapStats) -> HeapStats {
        let CoreAware {
            magazines, cores, ..
        } = self.allocator;
        let mut is_free = |class: usize, blocks: usize| {
            stats.live_blocks = stats.live_blocks.saturating_sub(blocks);
            stats.live_bytes = (stats.live_bytes).saturating_sub(blocks * size_of_class(class));
        };
        for cpu in (0..magazines.cpus()).filter(|&cpu| cores.of(cpu) == core) {
            magazines.held(cpu, &mut is_free);
        }
        self.allocator.before_fork();
        let see = |block| {
            // SAFETY: the block waits to go home, and its region stays as long as all locks are held.
            if let Place::Region(region, owner) = unsafe { self.allocator.place(block) }
                && owner == core
            {
                // SAFETY: as above.
                let class = unsafe { self.allocator.class_in(region, block.as_ptr()) };
                is_free(usize::from(class), 1);
            }
        };
        // SAFETY: all locks are held, so no heap takes blocks home.
        unsafe { magazines.away(see) };
        // SAFETY: the locks were taken above, and nothing of the heaps is borrowed.
        unsafe { self.allocator.after_fork() };
        stats
    }

    /// Bytes of live blocks, as large as their classes.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        self.cores().map(|heap| heap.live_bytes).sum::<usize>() + self.large.live_bytes
    }

    /// Live blocks.
    #[must_use]
    pub fn live_blocks(&self) -> usize {
        self.cores().map(|heap| heap.live_blocks).sum::<usize>() + self.large.live_blocks
    }
}

/// One line a core that has any memory, and one for large blocks; nothing is allocated.
impl fmt::Display for Stats<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.allocator.config.region.bytes() >> 20;
        let cores = self.cores().enumerate();
        for (core, heap) in cores.filter(|(_, heap)| heap.regions > 0) {
            writeln!(
                out,
                "core {core}: {} live blocks, {} bytes, {} regions of {size} MiB",
                heap.live_blocks, heap.live_bytes, heap.regions
            )?;
        }
        let large = self.large;
        writeln!(
            out,
            "large: {} live blocks, {} bytes, {} bytes kept",
            large.live_blocks, large.live_bytes, large.kept_bytes
        )
    }
}
