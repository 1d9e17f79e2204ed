//! Which pages are shared: those that flows of more than one group have. Within a process, groups
//! share a page by address; between processes, by physical page, counted once at its address in the
//! first process. So do touched ranges of 2 MiB *of addresses*, wherever they lie in memory.

use std::collections::BTreeMap;

use measure::Measured;

use super::super::runs::{Run, Runs, common};
use super::{Flows, Mapped, PageCounts};
use crate::record::footprint::Touched;

#[derive(Debug, Default)]
struct Shared {
    small: Runs,
    huge: Runs,
}

fn joined(
    mut spaces: BTreeMap<i32, Shared>,
    others: BTreeMap<i32, Shared>,
) -> BTreeMap<i32, Shared> {
    for (pid, other) in others {
        let shared = spaces.entry(pid).or_default();
        shared.small = shared.small.iter().chain(other.small.iter()).collect();
        shared.huge = shared.huge.iter().chain(other.huge.iter()).collect();
    }
    spaces
}

impl Flows<'_> {
    pub(super) fn several(
        &self,
        told: &Measured<PageCounts>,
        groups: &[usize],
    ) -> Measured<Touched> {
        let within = self.within(groups);
        if within.len() < 2 {
            return Measured::Value(self.sizes(&within));
        }
        told.as_ref()
            .and_then(|told| self.between(&told.mapped, groups))
            .map(|between| self.sizes(&joined(within, between)))
    }

    /// Upper bound where physical pages are hidden: a shared one takes two of `mapped`.
    pub(super) fn at_most(&self, told: &Measured<PageCounts>, groups: &[usize]) -> Option<Touched> {
        let told = told.value()?;
        let hidden = told.mapped.iter().any(|page| page.frame.is_none());
        let pairs = told.mapped.len() as u64 / 2;
        (hidden && self.spaces().count() > 1).then(|| {
            let (within, all) = (self.sizes(&self.within(groups)), self.all());
            Touched {
                small: (within.small + pairs).min(all.small),
                huge: (within.huge + pairs).min(all.huge),
            }
        })
    }

    fn sizes(&self, spaces: &BTreeMap<i32, Shared>) -> Touched {
        let of = |shared: &Shared| Touched {
            small: shared.small.pages(),
            huge: shared.huge.pages(),
        };
        let each = spaces.values().map(of);
        each.fold(Touched::default(), |a, b| a + b)
    }

    fn within(&self, groups: &[usize]) -> BTreeMap<i32, Shared> {
        let of = |(pid, flows): (i32, Vec<usize>)| (pid, self.within_one(&flows, groups));
        self.spaces().map(of).collect()
    }

    fn within_one(&self, flows: &[usize], groups: &[usize]) -> Shared {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &flow in flows {
            members.entry(groups[flow]).or_default().push(flow);
        }
        let small: Vec<Runs> = members.values().map(|flows| self.joined(flows)).collect();
        let huge: Vec<Runs> = small.iter().map(|set| set.ranges(self.in_huge())).collect();
        Shared {
            small: common(&small),
            huge: common(&huge),
        }
    }

    fn between(&self, mapped: &[Mapped], groups: &[usize]) -> Measured<BTreeMap<i32, Shared>> {
        let mut frames: BTreeMap<u64, Vec<Mapped>> = BTreeMap::new();
        for page in mapped {
            let Some(frame) = page.frame else {
                return Measured::not_available(
                    format!(
                        "{} of the pages are mapped by more than one process, and the kernel \
                         does not show which are the same",
                        mapped.len()
                    ),
                    "run as root (CAP_SYS_ADMIN)",
                );
            };
            frames.entry(frame).or_default().push(*page);
        }
        let mut once: BTreeMap<i32, Vec<Run>> = BTreeMap::new();
        for pages in frames.values() {
            if let Some(page) = self.of_several(pages, groups) {
                once.entry(page.pid).or_default().push(Run::of(page.number));
            }
        }
        let shared = |(pid, runs): (i32, Vec<Run>)| {
            let small: Runs = runs.into_iter().collect();
            let huge = small.ranges(self.in_huge());
            (pid, Shared { small, huge })
        };
        Measured::Value(once.into_iter().map(shared).collect())
    }

    fn of_several(&self, pages: &[Mapped], groups: &[usize]) -> Option<Mapped> {
        let mut holders: Vec<(usize, Mapped)> = Vec::new();
        for page in pages {
            let flows = self.places.iter().enumerate();
            let here = flows.filter(|(_, place)| place.pid == page.pid);
            let holding = here.filter(|(flow, _)| self.sets[*flow].contains(page.number));
            holders.extend(holding.map(|(flow, _)| (groups[flow], *page)));
        }
        let (group, page) = holders.first().copied()?;
        let of_two = holders.iter().any(|(other, _)| *other != group)
            && holders.iter().any(|(_, other)| other.pid != page.pid);
        of_two.then_some(page)
    }
}
