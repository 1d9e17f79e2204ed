//! Where flows can be, and how they lie there: on nodes, in ranks, in threads.

use flow::placement::Cpus;
use mpi::{Body, Over, Task};

use crate::args::PlacementArg;

pub(super) const REPS: u32 = 5;

pub(super) struct Place {
    pub(super) cpus: Vec<Cpus>,
    pub(super) sockets: u32,
    pub(super) over: Option<Over>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) nodes: u32,
    pub(super) ranks_each: u32,
    pub(super) threads: u32,
}

impl Place {
    pub(super) fn nodes(&self) -> u32 {
        u32::try_from(self.cpus.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn cpus_each(&self) -> u32 {
        let least = self.cpus.iter().map(|cpus| cpus.allowed.len()).min();
        u32::try_from(least.unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// All up to four, then twice as many each time, and all nodes.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let all = self.nodes();
        let is_one = |nodes: &u32| *nodes <= 4 || nodes.is_power_of_two() || *nodes == all;
        (1..=all).filter(is_one).collect()
    }

    /// Few nodes first, then few ranks.
    pub(super) fn splits(&self, flows: u32, placement: &[PlacementArg]) -> Vec<Split> {
        let fits = |nodes: &u32| flows.is_multiple_of(*nodes) && flows / nodes <= self.cpus_each();
        let numbers: Vec<u32> = (1..=self.nodes()).filter(fits).collect();
        let [fewest, most] = [numbers.first(), numbers.last()].map(|end| end.copied());
        let is_asked = |split: &Split| {
            let is = |how: &PlacementArg| match how {
                PlacementArg::Packed => Some(split.nodes) == fewest,
                PlacementArg::Spread => Some(split.nodes) == most,
                PlacementArg::Node => split.ranks_each == 1,
                PlacementArg::Socket => split.ranks_each == self.sockets,
            };
            placement.is_empty() || placement.iter().any(is)
        };
        let all = numbers.iter().flat_map(|&nodes| {
            let each = flows / nodes;
            let ranks = (1..=each).filter(move |ranks| each.is_multiple_of(*ranks));
            ranks.map(move |ranks_each| Split {
                nodes,
                ranks_each,
                threads: each / ranks_each,
            })
        });
        all.filter(is_asked).collect()
    }

    pub(super) fn label(&self, split: Split, behind: &str) -> String {
        let (ranks, threads) = (split.nodes * split.ranks_each, split.threads);
        let nodes = report::number::many(split.nodes.into(), "node");
        match &self.over {
            None => format!("{ranks}x{threads}{behind}"),
            Some(_) => format!("{ranks}x{threads} on {nodes}{behind}"),
        }
    }

    pub(super) fn task(&self, split: Split, body: &Body) -> Task {
        let own = self.cpus.iter().take(split.nodes as usize);
        let near = |cpus| near(cpus, split.ranks_each * split.threads);
        Task {
            ranks: split.nodes * split.ranks_each,
            threads: split.threads,
            cpus: own.flat_map(near).collect(),
            over: self.over.as_ref().map(|over| Over {
                nodes: over.nodes[..split.nodes as usize].to_vec(),
                ..over.clone()
            }),
            body: body.clone(),
            warmups: 1,
            reps: REPS,
        }
    }
}

/// Cores first, then hardware threads; those of a core side by side.
fn near(cpus: &Cpus, flows: u32) -> Vec<u32> {
    let others = cpus.smt.iter().filter(|cpu| !cpus.cores.contains(cpu));
    let mut chosen: Vec<u32> = cpus
        .cores
        .iter()
        .chain(others)
        .copied()
        .take(flows as usize)
        .collect();
    chosen.sort_by_key(|cpu| cpus.smt.iter().position(|one| one == cpu));
    chosen
}

#[cfg(test)]
pub(super) fn four() -> Cpus {
    Cpus {
        allowed: vec![0, 1, 2, 3],
        cores: vec![0, 1],
        smt: vec![0, 2, 1, 3],
        numa: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_rank_are_near_each_other_and_cores_come_first() {
        assert_eq!(near(&four(), 2), [0, 1]);
        assert_eq!(near(&four(), 3), [0, 2, 1]);
        assert_eq!(near(&four(), 4), [0, 2, 1, 3]);
    }
}
