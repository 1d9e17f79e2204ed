use measure::Measured;
use serde::{Deserialize, Serialize};

use super::chase::{Chase, PASSES, Random, median, too_little};
use super::pages::{Block, PageKind};
use crate::memory::binary;

const FEWEST: u64 = 16;
const MOST: u64 = 65_536;
/// Those of x86-64, and of most kernels for aarch64: others are not tried.
pub(crate) const PAGE: u64 = 4 << 10;
const PAGE_WORDS: u64 = PAGE / 8;
const LINE_WORDS: u64 = 8;
const STEPS: u64 = 100_000;
/// The two differ if by more than this factor and by [`TELLING_NS`].
const APART: f64 = 1.15;
const TELLING_NS: f64 = 0.4;

/// What a step costs by pages of either kind, against their number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// The points, by number of pages.
    pub points: Vec<ReachPoint>,
}

/// One number of pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReachPoint {
    /// Pages of 4 KiB in each of which one line was touched in turn.
    pub pages: u64,
    /// ns a step where they are mapped by pages of 4 KiB.
    pub small_ns: f64,
    /// ns a step where they are mapped by pages of 2 MiB.
    pub huge_ns: f64,
}

impl ReachPoint {
    fn apart(&self) -> bool {
        self.small_ns > APART * self.huge_ns && self.small_ns - self.huge_ns > TELLING_NS
    }
}

impl Reach {
    /// The most 4 KiB pages for which huge pages gain nothing; 0: they always gain; `None`: never.
    pub fn small_pages(&self) -> Option<u64> {
        let first = self.points.iter().position(ReachPoint::apart)?;
        let before = first.checked_sub(1);
        Some(before.map_or(0, |before| self.points[before].pages))
    }

    /// Numbers of pages not tried for lack of memory.
    pub fn untried(&self) -> impl Iterator<Item = u64> {
        let last = self.points.last().map_or(0, |point| point.pages);
        counts().skip_while(move |pages| *pages <= last)
    }

    /// The largest extra cost of a 4 KiB page, in ns.
    pub fn miss_ns(&self) -> Option<f64> {
        let apart = self.points.iter().filter(|point| point.apart());
        apart
            .map(|point| point.small_ns - point.huge_ns)
            .max_by(f64::total_cmp)
    }
}

pub(super) fn probe(room: u64, page: &Measured<u64>) -> Measured<Reach> {
    if let Some(other) = page.value().filter(|page| **page != PAGE) {
        return Measured::not_available(
            format!(
                "pages of 4 KiB are compared with huge ones, and this kernel's have {}",
                binary(*other)
            ),
            "boot a kernel with pages of 4 KiB",
        );
    }
    let most = MOST.min(room / 2 / PAGE);
    if most < FEWEST * 8 {
        return too_little(chase_bytes(FEWEST * 8), room);
    }
    let bytes = (most * PAGE) as usize;
    let small = Block::new(bytes, PageKind::Small);
    let huge = Block::new(bytes, PageKind::Huge);
    small.and_then(|mut small| {
        huge.map(|mut huge| {
            let points = counts()
                .take_while(|pages| *pages <= most)
                .map(|pages| point(pages, &mut small, &mut huge));
            Reach {
                points: points.collect(),
            }
        })
    })
}

pub(crate) fn chase_bytes(pages: u64) -> u64 {
    pages * 2 * PAGE
}

fn counts() -> impl Iterator<Item = u64> {
    let doubled = std::iter::successors(Some(FEWEST), |pages| Some(pages * 2));
    doubled.take_while(|pages| *pages <= MOST)
}

fn point(pages: u64, small: &mut Block, huge: &mut Block) -> ReachPoint {
    let chases = [small, huge].map(|block| {
        let mut random = Random(pages);
        let places = (0..pages)
            .map(|page| page * PAGE_WORDS + random.below(PAGE_WORDS / LINE_WORDS) * LINE_WORDS);
        let places = places.collect();
        Chase::link(block.words(), places, &mut random)
    });
    let steps = STEPS.max(2 * pages);
    let mut times = [const { Vec::new() }; 2];
    for pass in 0..=PASSES {
        for (chase, times) in chases.iter().zip(&mut times) {
            let ns = chase.ns_a_step(steps);
            if pass > 0 {
                times.push(ns);
            }
        }
    }
    let [small_ns, huge_ns] = times.map(median);
    ReachPoint {
        pages,
        small_ns,
        huge_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(times: &[(f64, f64)]) -> Reach {
        let times = times.iter().enumerate();
        let points = times.map(|(at, &(small_ns, huge_ns))| ReachPoint {
            pages: 16 << at,
            small_ns,
            huge_ns,
        });
        Reach {
            points: points.collect(),
        }
    }

    #[test]
    fn reach_ends_where_the_two_come_apart() {
        let beyond = reach(&[(1.2, 1.2), (1.3, 1.2), (3.5, 1.5), (9.0, 4.0)]);
        assert_eq!(beyond.small_pages(), Some(32));
        assert_eq!(beyond.miss_ns(), Some(5.0));
    }

    /// Pages of 64 KiB were called pages of 4 KiB.
    #[test]
    fn other_pages_are_not_tried() {
        let told = probe(1 << 30, &Measured::Value(64 << 10));
        let Measured::NotAvailable { reason, .. } = told else {
            panic!("{told:?}");
        };
        assert!(reason.contains("64.0 KiB"), "{reason}");
    }

    #[test]
    fn where_they_never_come_apart_nothing_is_claimed() {
        let never = reach(&[(1.2, 1.2), (1.5, 1.2), (40.0, 38.0)]);
        assert_eq!((never.small_pages(), never.miss_ns()), (None, None));
        assert_eq!(reach(&[(9.0, 1.0)]).small_pages(), Some(0));
    }
}
