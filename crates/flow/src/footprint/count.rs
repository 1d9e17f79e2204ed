//! Counting pages when all flows have written down theirs.

use std::collections::BTreeMap;

use measure::Measured;
use measure::pagemap::{Page, Pagemap};

use super::board::{Board, RUNS};
use super::runs::{Run, Runs, common};
use crate::record::footprint::{Footprint, OfCore, Touched};

/// Bytes of a huge page.
const HUGE: u64 = 2 << 20;
/// Flows that are told one by one.
const FLOWS: usize = 64;

/// Where a flow is: its process, and its core if it is bound to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pid: i32,
    pub(crate) core: Option<u32>,
}

/// The footprint of the flows at `places`, in flow order.
pub(crate) fn count(board: &Board, places: &[Place], page: u64) -> Measured<Footprint> {
    let mut found: Vec<Vec<Run>> = vec![Vec::new(); places.len()];
    for flow in 0..places.len() {
        let Some(runs) = board.read(flow) else {
            return Measured::not_available(
                format!(
                    "flow {} works on more than {RUNS} separate runs of pages",
                    flow + 1
                ),
                "use a smaller heap",
            );
        };
        for (whose, run) in runs {
            found[whose].push(run);
        }
    }
    let sets = found.into_iter().map(Runs::from_iter).collect();
    Measured::Value(Flows { places, sets, page }.footprint())
}

/// The flows with their pages.
struct Flows<'a> {
    places: &'a [Place],
    sets: Vec<Runs>,
    page: u64,
}

/// A page that processes besides its own map.
#[derive(Debug, Clone, Copy)]
struct Mapped {
    pid: i32,
    number: u64,
    frame: Option<u64>,
}

/// What pagemap told of all pages.
#[derive(Debug, Default)]
struct Told {
    resident: u64,
    mapped: Vec<Mapped>,
}

impl Flows<'_> {
    fn footprint(&self) -> Footprint {
        let told = self.told();
        let by_flow: Vec<usize> = (0..self.sets.len()).collect();
        let cores = self.cores();
        let by_cores = cores.value();
        Footprint {
            page: self.page,
            flows: self
                .sets
                .iter()
                .take(FLOWS)
                .map(|set| self.touched(set))
                .collect(),
            all: self.all(),
            by_flows: self.several(&told, &by_flow),
            by_flows_at_most: self.at_most(&told, &by_flow),
            by_cores_at_most: by_cores.and_then(|cores| self.at_most(&told, cores)),
            by_cores: cores.as_ref().and_then(|cores| self.several(&told, cores)),
            cores: cores.map(|cores| self.of_cores(&cores)),
            resident: told.map(|told| told.resident),
        }
    }

    fn touched(&self, set: &Runs) -> Touched {
        Touched {
            small: set.pages(),
            huge: set.ranges(self.in_huge()).pages(),
        }
    }

    /// Small pages of a huge one.
    fn in_huge(&self) -> u64 {
        (HUGE / self.page).max(1)
    }

    /// The flows of each process.
    fn spaces(&self) -> impl Iterator<Item = (i32, Vec<usize>)> {
        let mut spaces: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for (flow, place) in self.places.iter().enumerate() {
            spaces.entry(place.pid).or_default().push(flow);
        }
        spaces.into_iter()
    }

    fn union(&self, flows: &[usize]) -> Touched {
        self.touched(&self.joined(flows))
    }

    fn joined(&self, flows: &[usize]) -> Runs {
        flows
            .iter()
            .flat_map(|&flow| self.sets[flow].iter())
            .collect()
    }

    /// The core of each flow.
    fn cores(&self) -> Measured<Vec<usize>> {
        let cores: Option<Vec<usize>> = self
            .places
            .iter()
            .map(|place| Some(place.core? as usize))
            .collect();
        cores.map_or_else(
            || {
                Measured::not_available(
                    "flows that may run anywhere have no core of their own",
                    "bind them: placement cores or smt",
                )
            },
            Measured::Value,
        )
    }

    fn of_cores(&self, cores: &[usize]) -> Vec<OfCore> {
        let mut flows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (flow, core) in cores.iter().enumerate() {
            flows_of.entry(*core).or_default().push(flow);
        }
        let of_core = |(core, flows): (&usize, &Vec<usize>)| {
            let spaces = self.spaces().map(|(_, space)| {
                let own: Vec<usize> = space
                    .into_iter()
                    .filter(|flow| flows.contains(flow))
                    .collect();
                self.union(&own)
            });
            OfCore {
                core: *core as u32,
                flows: flows.len() as u32,
                touched: spaces.fold(Touched::default(), |a, b| a + b),
            }
        };
        flows_of.iter().map(of_core).collect()
    }

    /// Pages of more than one group; `groups` says which group each flow is of.
    fn several(&self, told: &Measured<Told>, groups: &[usize]) -> Measured<Touched> {
        let within = self.within_all(groups);
        if self.spaces().count() < 2 {
            return Measured::Value(within);
        }
        told.as_ref()
            .and_then(|told| self.between(&told.mapped, groups))
            .map(|between| within + between)
    }

    /// Where physical pages are hidden, how many can be of more than one group at the most:
    /// each that is takes two of the pages that processes besides their own map.
    fn at_most(&self, told: &Measured<Told>, groups: &[usize]) -> Option<Touched> {
        let told = told.value()?;
        let hidden = told.mapped.iter().any(|page| page.frame.is_none());
        let pairs = told.mapped.len() as u64 / 2;
        (hidden && self.spaces().count() > 1).then(|| {
            let (within, all) = (self.within_all(groups), self.all());
            Touched {
                small: (within.small + pairs).min(all.small),
                huge: (within.huge + pairs).min(all.huge),
            }
        })
    }

    /// Pages of all flows, each address space by itself.
    fn all(&self) -> Touched {
        let each = self.spaces().map(|(_, flows)| self.union(&flows));
        each.fold(Touched::default(), |a, b| a + b)
    }

    /// Pages of more than one group within the processes.
    fn within_all(&self, groups: &[usize]) -> Touched {
        let each = self.spaces().map(|(_, flows)| self.within(&flows, groups));
        each.fold(Touched::default(), |a, b| a + b)
    }

    /// Pages of more than one group in one process.
    fn within(&self, flows: &[usize], groups: &[usize]) -> Touched {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &flow in flows {
            members.entry(groups[flow]).or_default().push(flow);
        }
        let small: Vec<Runs> = members.values().map(|flows| self.joined(flows)).collect();
        let huge: Vec<Runs> = small.iter().map(|set| set.ranges(self.in_huge())).collect();
        Touched {
            small: common(&small),
            huge: common(&huge),
        }
    }

    /// Physical pages that flows of different groups in different processes have.
    fn between(&self, mapped: &[Mapped], groups: &[usize]) -> Measured<Touched> {
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
        let shared: Vec<u64> = frames
            .iter()
            .filter(|(_, pages)| self.is_of_several(pages, groups))
            .map(|(frame, _)| *frame)
            .collect();
        let mut huge: Vec<u64> = shared.iter().map(|frame| frame / self.in_huge()).collect();
        huge.dedup();
        Measured::Value(Touched {
            small: shared.len() as u64,
            huge: huge.len() as u64,
        })
    }

    /// Whether a physical page is in two processes, and flows of two groups have it there.
    fn is_of_several(&self, pages: &[Mapped], groups: &[usize]) -> bool {
        let mut holders: Vec<(usize, i32)> = Vec::new();
        for page in pages {
            let flows = self.places.iter().enumerate();
            let here = flows.filter(|(_, place)| place.pid == page.pid);
            let holding = here.filter(|(flow, _)| self.sets[*flow].contains(page.number));
            holders.extend(holding.map(|(flow, place)| (groups[flow], place.pid)));
        }
        let first = holders.first().copied();
        first.is_some_and(|(group, pid)| {
            holders.iter().any(|(other, _)| *other != group)
                && holders.iter().any(|(_, other)| *other != pid)
        })
    }

    /// Asks the kernel for every page once.
    fn told(&self) -> Measured<Told> {
        let mut told = Told::default();
        for (pid, flows) in self.spaces() {
            let read = Pagemap::of(pid).and_then(|map| self.ask(pid, &map, &flows, &mut told));
            if let Measured::NotAvailable { reason, remedy } = read {
                return Measured::NotAvailable { reason, remedy };
            }
        }
        Measured::Value(told)
    }

    fn ask(&self, pid: i32, map: &Pagemap, flows: &[usize], told: &mut Told) -> Measured<()> {
        let mut take = |number: u64, page: Page| {
            told.resident += u64::from(page.is_present());
            if page.is_present() && !page.is_exclusive() {
                told.mapped.push(Mapped {
                    pid,
                    number,
                    frame: page.frame(),
                });
            }
        };
        for run in self.joined(flows).iter() {
            let read = map.read(run.first, run.end - run.first, &mut take);
            if read.value().is_none() {
                return read;
            }
        }
        Measured::Value(())
    }
}

#[cfg(test)]
mod tests;
