//! Which CPUs flows may be put on: from allowed CPUs only, in the order of ids.
//! - CPUs that are **online** exist.
//! - The **affinity mask** (also `cpuset` groups) says which of them this process may run on.
//! - A **quota** of a control group says how much time per period may be used, on any CPUs: with 2
//!   on 8 CPUs, 8 flows run at once, then all stand still for three quarters.

use std::collections::BTreeMap;

use crate::Machine;
pub use crate::allowance::Allowance;
use crate::cgroup::CpuQuota;
use crate::topology::Node;

impl Machine {
    /// CPUs for flows, ascending; empty only if neither `/sys` nor `/proc` shows any.
    pub fn allowed(&self) -> &[u32] {
        &self.allowance.cpus
    }

    /// One allowed CPU of each physical core, ascending: the placement `cores`.
    pub fn cores(&self) -> Vec<u32> {
        self.by_core().iter().map(|core| core[0]).collect()
    }

    /// Allowed CPUs, all hardware threads of one core before the next: the placement `smt`.
    pub fn smt_order(&self) -> Vec<u32> {
        self.by_core().concat()
    }

    /// Allowed CPUs of each memory node in turn, cores first: placement `numa`. Empty for one node.
    pub fn numa_order(&self) -> Vec<u32> {
        let nodes = self.by_node();
        if nodes.len() < 2 {
            return Vec::new();
        }
        let most = nodes.iter().map(Vec::len).max().unwrap_or(0);
        let turns = (0..most).flat_map(|turn| nodes.iter().filter_map(move |node| node.get(turn)));
        turns.copied().collect()
    }

    /// One of each core before further hardware threads; only nodes with CPUs.
    fn by_node(&self) -> Vec<Vec<u32>> {
        let cores = self.cores();
        let nodes = self.topology.nodes.value().map_or(&[][..], Vec::as_slice);
        let of_node = |node: &Node| {
            let there = node.cpus.iter().filter(|cpu| self.allowed().contains(cpu));
            let (mut first, others): (Vec<u32>, Vec<u32>) =
                there.partition(|cpu| cores.contains(cpu));
            first.extend(others);
            first
        };
        let nodes = nodes.iter().map(of_node);
        nodes.filter(|cpus| !cpus.is_empty()).collect()
    }

    /// Flows that can compute all the time: allowed CPUs, or whole CPUs of the quota; at least 1.
    pub fn usable_cpus(&self) -> usize {
        let allowed = self.allowed().len();
        let quota = self.quota().map_or(allowed, |quota| quota.cpus as usize);
        allowed.min(quota).max(1)
    }

    pub(crate) fn quota(&self) -> Option<&CpuQuota> {
        self.allowance.quota.value()?.as_ref()
    }

    fn by_core(&self) -> Vec<Vec<u32>> {
        let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let cpus = self.topology.cpus.iter();
        for cpu in cpus.filter(|cpu| self.allowed().contains(&cpu.id)) {
            // The first sibling names the core, allowed or not.
            let core = cpu.siblings.first().copied().unwrap_or(cpu.id);
            cores.entry(core).or_default().push(cpu.id);
        }
        let mut cores: Vec<_> = cores.into_values().collect();
        cores.sort_unstable();
        cores
    }
}

#[cfg(test)]
mod tests;
