//! The footprint: which pages flows work on, and which several do (docs/scaling.md). No file tells
//! which pages a core *has touched*. A flow knows its objects: after the last repetition, untimed,
//! it writes down their pages ([`crate::Body::touched`]):
//! ```text
//!   done ─┤ memory is read ├─┤ survey: flows write runs of pages ├─┤ parent counts ├─┤end gate├
//! ```
//! Counted as [`runs`] of neighbours are the pages of each flow, of each core (flows bound to one
//! of its hardware threads), and those in more than one such set. Within a process two flows share
//! a page if both have it; between processes, if both have the same *physical* page:
//! `/proc/PID/pagemap` says which pages no other process maps, to root alone the others' numbers.
//! Not seen: pages of the stack, of code, of tables of the allocator and the harness, and objects
//! freed before the end. Source: Linux's admin-guide/mm/pagemap.rst.

mod board;
mod count;
mod runs;

use measure::Measured;
pub use measure::memory::page_bytes;

pub(crate) use board::Board;
pub(crate) use count::{Place, count};
use runs::Run;

pub(crate) fn carried() -> Measured<crate::record::footprint::Footprint> {
    Measured::not_available(
        "user-level flows are not asked for their pages",
        "use process, thread or a mix such as 2x2",
    )
}

/// The pages of a flow, as it finds them.
#[derive(Debug)]
pub struct Pieces {
    own: usize,
    shift: u32,
    pages: Vec<(usize, u64)>,
}

impl Pieces {
    fn new(own: usize, page: u64) -> Self {
        Self {
            own,
            shift: page.trailing_zeros(),
            pages: Vec::new(),
        }
    }

    /// None yet, of that flow.
    #[must_use]
    pub fn of_flow(flow: usize) -> Self {
        Self::new(flow, page_bytes())
    }

    /// How many different pages were found so far, those of other flows included.
    #[must_use]
    pub fn pages(&self) -> usize {
        let pages: std::collections::BTreeSet<_> = self.pages.iter().collect();
        pages.len()
    }

    /// Something that the flow works on: its address and its bytes.
    pub fn add(&mut self, address: usize, bytes: usize) {
        self.add_of(self.own, address, bytes);
    }

    /// All elements of a slice.
    pub fn slice<T>(&mut self, slice: &[T]) {
        self.add(slice.as_ptr().addr(), size_of_val(slice));
    }

    /// Something that flow `flow` of the same process works on.
    pub fn add_of(&mut self, flow: usize, address: usize, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let last = (address + bytes - 1) as u64 >> self.shift;
        for page in (address as u64 >> self.shift)..=last {
            if self.pages.last() != Some(&(flow, page)) {
                self.pages.push((flow, page));
            }
        }
    }

    fn runs(mut self) -> Vec<(usize, Run)> {
        self.pages.sort_unstable();
        self.pages.dedup();
        let mut runs: Vec<(usize, Run)> = Vec::new();
        for (flow, page) in self.pages {
            match runs.last_mut() {
                Some((whose, run)) if *whose == flow && run.end == page => run.end += 1,
                _ => runs.push((flow, Run::of(page))),
            }
        }
        runs
    }
}

/// The lowest CPU of a CPU's core; the CPU itself if unknown.
pub(crate) fn core_of(cpu: u32) -> u32 {
    let list = |file| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/{file}");
        std::fs::read_to_string(path).ok()
    };
    let list = list("core_cpus_list").or_else(|| list("thread_siblings_list"));
    let first = |list: String| list.split([',', '-', '\n']).next()?.parse().ok();
    list.and_then(first).unwrap_or(cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_runs_of_neighbouring_pages() {
        let mut pieces = Pieces::new(3, 4096);
        pieces.add(3 * 4096 + 4000, 200);
        pieces.add(4096, 1);
        pieces.add(5 * 4096, 4096);
        pieces.add(9 * 4096, 0);
        pieces.add_of(1, 4096, 4096);
        let run = |first, end| Run { first, end };
        assert_eq!(
            pieces.runs(),
            [(1, run(1, 2)), (3, run(1, 2)), (3, run(3, 6))]
        );
    }

    #[test]
    fn a_slice_counts_with_all_its_bytes() {
        let numbers = vec![0_u64; 4096];
        let mut pieces = Pieces::new(0, 4096);
        pieces.slice(&numbers);
        let runs = pieces.runs().into_iter();
        let pages: u64 = runs.map(|(_, run)| run.end - run.first).sum();
        assert!((8..=9).contains(&pages), "{pages}");
    }
}
