//! A pointer chase through the model, to hold it against one that is timed: a step costs more where
//! the cells exceed a level, on a machine and in its model. The order is that of a linear
//! congruential generator with full period (Hull and Dobell 1962) over the next power of two,
//! without the numbers that are no cell: nothing is stored, and the model has no prefetcher.

use crate::machine::Machine;
use crate::model::Model;
use crate::trace::{Access, GRANULE_BITS};

const CELL: u64 = 64;
const FACTOR: u64 = 6_364_136_223_846_793_005;
const SUMMAND: u64 = 1_442_695_040_888_963_407;

/// Cells that are visited in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chase {
    /// How many.
    pub cells: u64,
    /// Each lies somewhere in this many bytes of its own.
    pub apart: u64,
}

/// What a step of a chase costs by the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Misses of the first-level data cache a step.
    pub l1d: f64,
    /// Of the last level.
    pub llc: f64,
    /// Of the first-level data TLB.
    pub dtlb: f64,
    /// Page walks.
    pub walks: f64,
    /// Time of the model, in ns.
    pub ns: f64,
}

impl Chase {
    /// Chases over cells one behind the other, in this many bytes.
    #[must_use]
    pub fn over(bytes: u64) -> Self {
        Self {
            cells: (bytes / CELL).max(2),
            apart: CELL,
        }
    }

    fn granules(self) -> impl Iterator<Item = u64> {
        let mask = self.cells.next_power_of_two() - 1;
        let next = move |at: &u64| Some(at.wrapping_mul(FACTOR).wrapping_add(SUMMAND) & mask);
        let cells = std::iter::successors(Some(0), next).filter(move |at| *at < self.cells);
        cells.map(move |cell| {
            let random = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let within = random % (self.apart / CELL).max(1);
            (cell * self.apart + within * CELL) >> GRANULE_BITS
        })
    }

    /// One warm-up round, then `steps` steps, on pages of that size.
    #[must_use]
    pub fn through(self, machine: &Machine, page: u64, steps: u64) -> Step {
        let mut model = Model::new(machine, page);
        let mut granules = self.granules();
        let mut walk = |model: &mut Model, steps: u64| {
            for granule in granules.by_ref().take(steps as usize) {
                let (load, store, times) = (true, false, 1);
                let access = Access {
                    granule,
                    load,
                    store,
                    times,
                };
                model.access(0, access);
            }
        };
        walk(&mut model, self.cells);
        let warm = model.counts(0);
        walk(&mut model, steps);
        let counts = model.counts(0).since(warm);
        let each = |count: u64| count as f64 / counts.accesses.max(1) as f64;
        Step {
            l1d: each(counts.l1d),
            llc: each(counts.llc),
            dtlb: each(counts.dtlb),
            walks: each(counts.walks),
            ns: each(1) * Model::cycles(counts.base + counts.stall) * 1e3
                / f64::from(machine.clock_mhz),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nehalem() -> Machine {
        crate::builtin("xeon-x5570").unwrap().unwrap()
    }

    #[test]
    fn each_cell_is_visited_once_before_any_is_again() {
        let chase = Chase::over(100 * CELL);
        let first: Vec<u64> = chase.granules().take(100).collect();
        let mut sorted = first.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 100);
        assert_ne!(sorted, first, "in another order");
        let again: Vec<u64> = chase.granules().skip(100).take(100).collect();
        assert_eq!(again, first);
    }

    #[test]
    fn a_chase_within_a_cache_hits_and_one_beyond_it_misses() {
        let machine = nehalem();
        let [within, beyond] = [16 << 10, 1 << 20].map(|bytes| {
            let huge = 2 << 20;
            Chase::over(bytes).through(&machine, huge, 50_000)
        });
        assert_eq!((within.l1d, within.llc), (0.0, 0.0));
        assert!(beyond.l1d > 0.95 && beyond.llc == 0.0, "{beyond:?}");
        assert!(beyond.ns > within.ns);
    }

    #[test]
    fn beyond_the_tlb_small_pages_miss_and_large_ones_do_not() {
        let pages = Chase {
            cells: 4096,
            apart: 4096,
        };
        let [small, large] = [4096, 2 << 20].map(|page| pages.through(&nehalem(), page, 50_000));
        assert!(small.dtlb > 0.95 && small.walks > 0.85, "{small:?}");
        assert!(large.walks < 0.01, "{large:?}");
    }
}
