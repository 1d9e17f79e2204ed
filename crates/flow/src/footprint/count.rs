mod shared;

use std::collections::BTreeMap;

use measure::Measured;
use measure::pagemap::{Page, Pagemap};

use super::board::{Board, RUNS};
use super::runs::{Run, Runs};
use crate::record::footprint::{Footprint, OfCore, Touched};

const HUGE: u64 = 2 << 20;
const FLOWS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pid: i32,
    pub(crate) core: Option<u32>,
}

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

struct Flows<'a> {
    places: &'a [Place],
    sets: Vec<Runs>,
    page: u64,
}

#[derive(Debug, Clone, Copy)]
struct Mapped {
    pid: i32,
    number: u64,
    frame: Option<u64>,
}

#[derive(Debug, Default)]
struct PageCounts {
    resident: u64,
    mapped: Vec<Mapped>,
}

impl Flows<'_> {
    fn footprint(&self) -> Footprint {
        let told = self.page_counts();
        let by_flow: Vec<usize> = (0..self.sets.len()).collect();
        let cores = self.cores();
        let by_cores = cores.value();
        let flows = self.sets.iter().take(FLOWS);
        Footprint {
            page: self.page,
            flows: flows.map(|set| self.touched(set)).collect(),
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

    fn in_huge(&self) -> u64 {
        (HUGE / self.page).max(1)
    }

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
        let sets = flows.iter().map(|&flow| &self.sets[flow]);
        sets.flat_map(Runs::iter).collect()
    }

    fn cores(&self) -> Measured<Vec<usize>> {
        let places = self.places.iter();
        let cores = places.map(|place| Some(place.core? as usize));
        Measured::of(
            cores.collect(),
            "flows that may run anywhere have no core of their own",
            "bind them: placement cores or smt",
        )
    }

    fn of_cores(&self, cores: &[usize]) -> Vec<OfCore> {
        let mut flows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (flow, core) in cores.iter().enumerate() {
            flows_of.entry(*core).or_default().push(flow);
        }
        let of_core = |(core, flows): (&usize, &Vec<usize>)| {
            let spaces = self.spaces().map(|(_, space)| {
                let own = space.into_iter().filter(|flow| flows.contains(flow));
                self.union(&own.collect::<Vec<_>>())
            });
            OfCore {
                core: *core as u32,
                flows: flows.len() as u32,
                touched: spaces.fold(Touched::default(), |a, b| a + b),
            }
        };
        flows_of.iter().map(of_core).collect()
    }

    fn all(&self) -> Touched {
        let each = self.spaces().map(|(_, flows)| self.union(&flows));
        each.fold(Touched::default(), |a, b| a + b)
    }

    fn page_counts(&self) -> Measured<PageCounts> {
        let mut told = PageCounts::default();
        for (pid, flows) in self.spaces() {
            let read = Pagemap::of(pid).and_then(|map| self.ask(pid, &map, &flows, &mut told));
            if let Measured::NotAvailable { reason, remedy } = read {
                return Measured::NotAvailable { reason, remedy };
            }
        }
        Measured::Value(told)
    }

    fn ask(&self, pid: i32, map: &Pagemap, flows: &[usize], told: &mut PageCounts) -> Measured<()> {
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
