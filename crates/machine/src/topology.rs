//! CPUs, cores, caches and memory nodes. A CPU's number means nothing: `topology/core_cpus_list`
//! says which CPUs share a core (`thread_siblings_list` before Linux 5.0),
//! `cache/index*/shared_cpu_list` which share a cache. `core_id` repeats in every package.

use std::collections::BTreeSet;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::root::{Root, field, listed};

const CPUS: &str = "/sys/devices/system/cpu";
const NODES: &str = "/sys/devices/system/node";

/// The hardware that flows run on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Every logical CPU that is online, ascending by id.
    pub cpus: Vec<Cpu>,
    /// Whether the kernel describes cores. If not, every CPU is taken for a core.
    pub described: bool,
    /// Each cache once, however many CPUs share it.
    pub caches: Measured<Vec<Cache>>,
    /// The memory nodes.
    pub nodes: Measured<Vec<Node>>,
}

/// A logical CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Its number, as in an affinity mask.
    pub id: u32,
    /// Number of its core, unique only within the package.
    pub core: Option<u32>,
    /// Number of its package (socket).
    pub package: Option<u32>,
    /// The online CPUs of its core, itself included, ascending.
    pub siblings: Vec<u32>,
    /// Capacity relative to the fastest CPU (1,024).
    pub capacity: Option<u32>,
    /// It belongs to an efficiency core of a hybrid x86 processor.
    pub efficiency: bool,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Size in bytes.
    pub bytes: Option<u64>,
    /// Size of a line in bytes.
    pub line: Option<u64>,
    /// Ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ways: Option<u64>,
    /// The CPUs that share it, ascending.
    pub cpus: Vec<u32>,
}

/// A memory node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its number.
    pub id: u32,
    /// The CPUs for which it is local, ascending; none when it is only memory.
    pub cpus: Vec<u32>,
    /// Its memory in bytes.
    pub bytes: Option<u64>,
}

impl Topology {
    /// Cores with this many hardware threads each, numbered core by core: another machine.
    #[must_use]
    pub fn of_cores(cores: u32, threads_per_core: u32) -> Self {
        let cpu = |id: u32| {
            let core = id / threads_per_core;
            let first = core * threads_per_core;
            Cpu {
                id,
                core: Some(core),
                package: Some(0),
                siblings: (first..first + threads_per_core).collect(),
                capacity: None,
                efficiency: false,
            }
        };
        Self {
            cpus: (0..cores * threads_per_core).map(cpu).collect(),
            described: true,
            caches: Measured::not_available("a simulated machine", ""),
            nodes: Measured::not_available("a simulated machine", ""),
        }
    }

    pub(crate) fn read(root: &Root) -> Self {
        let online = online(root);
        let efficiency = root.cpus("/sys/devices/cpu_atom/cpus");
        let efficiency = efficiency.into_value().unwrap_or_default();
        let cpus = online.iter().map(|&id| Cpu::read(root, id, &efficiency));
        let cpus: Vec<_> = cpus.collect();
        Self {
            described: cpus.iter().any(|cpu| cpu.core.is_some()),
            caches: caches(root, &online),
            nodes: nodes(root),
            cpus,
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.cpus.iter().map(|cpu| cpu.id)
    }

    pub(crate) fn cores(&self) -> impl Iterator<Item = &Cpu> {
        let is_first = |cpu: &&Cpu| cpu.siblings.first() == Some(&cpu.id);
        self.cpus.iter().filter(is_first)
    }

    /// Hardware threads of the core that has most of them.
    pub fn threads_per_core(&self) -> usize {
        let threads = self.cpus.iter().map(|cpu| cpu.siblings.len());
        threads.max().unwrap_or(1)
    }

    /// Number of physical cores that are online.
    pub fn core_count(&self) -> usize {
        self.cores().count()
    }

    /// Number of packages; 1 where none are listed.
    pub fn package_count(&self) -> usize {
        let packages: BTreeSet<_> = self.cpus.iter().map(|cpu| cpu.package).collect();
        packages.len().max(1)
    }

    /// Whether some cores are faster than others: a hybrid processor.
    pub fn is_hybrid(&self) -> bool {
        self.cpus.windows(2).any(|pair| {
            pair[0].efficiency != pair[1].efficiency || pair[0].capacity != pair[1].capacity
        })
    }
}

impl Cpu {
    fn read(root: &Root, id: u32, efficiency: &[u32]) -> Self {
        let told = |file| root.count(format!("{CPUS}/cpu{id}/{file}"));
        Self {
            id,
            core: told("topology/core_id"),
            package: told("topology/physical_package_id"),
            siblings: siblings(root, id),
            capacity: told("cpu_capacity"),
            efficiency: efficiency.contains(&id),
        }
    }
}

fn siblings(root: &Root, id: u32) -> Vec<u32> {
    let list = |file| {
        root.cpus(&format!("{CPUS}/cpu{id}/topology/{file}"))
            .into_value()
    };
    list("core_cpus_list")
        .or_else(|| list("thread_siblings_list"))
        .filter(|cpus| cpus.contains(&id))
        .unwrap_or_else(|| vec![id])
}

/// Sandboxes without `/sys` still have `cpuinfo`.
fn online(root: &Root) -> Vec<u32> {
    let online = root.cpus(&format!("{CPUS}/online")).into_value();
    online.unwrap_or_else(|| {
        let cpuinfo = root.told("/proc/cpuinfo").unwrap_or_default();
        let id = |line| field(line, ':', "processor")?.parse().ok();
        cpuinfo.lines().filter_map(id).collect()
    })
}

fn caches(root: &Root, online: &[u32]) -> Measured<Vec<Cache>> {
    let mut caches: Vec<Cache> = Vec::new();
    for cpu in online {
        let dir = format!("{CPUS}/cpu{cpu}/cache");
        for index in root.numbered(&dir, "index") {
            let cache = Cache::read(root, &format!("{dir}/index{index}"));
            caches.extend(cache.filter(|cache| !caches.contains(cache)));
        }
    }
    caches.sort_by(|a, b| (a.level, &a.kind, &a.cpus).cmp(&(b.level, &b.kind, &b.cpus)));
    listed(caches, "this machine does not describe its caches")
}

impl Cache {
    fn read(root: &Root, dir: &str) -> Option<Self> {
        let text = |file| root.told(format!("{dir}/{file}"));
        Some(Self {
            level: root.count(format!("{dir}/level"))?,
            kind: text("type")?,
            bytes: text("size").and_then(|size| size_of(&size)),
            line: root.count(format!("{dir}/coherency_line_size")),
            ways: root.count(format!("{dir}/ways_of_associativity")),
            cpus: root.cpus(&format!("{dir}/shared_cpu_list")).into_value()?,
        })
    }
}

fn size_of(text: &str) -> Option<u64> {
    let unit = |suffix, bytes: u64| Some(text.strip_suffix(suffix)?.parse::<u64>().ok()? * bytes);
    unit('K', 1 << 10)
        .or_else(|| unit('M', 1 << 20))
        .or_else(|| text.parse().ok())
}

fn nodes(root: &Root) -> Measured<Vec<Node>> {
    let ids = root.numbered(NODES, "node").into_iter();
    let nodes = ids.map(|id| Node::read(root, id)).collect();
    listed(nodes, "this kernel does not describe memory nodes")
}

impl Node {
    fn read(root: &Root, id: u32) -> Self {
        let cpus = root.cpus(&format!("{NODES}/node{id}/cpulist"));
        let meminfo = root.told(format!("{NODES}/node{id}/meminfo"));
        Self {
            id,
            cpus: cpus.into_value().unwrap_or_default(),
            bytes: meminfo.and_then(|text| node_total(&text)),
        }
    }
}

/// Of the line `Node 0 MemTotal:  24684084 kB`.
fn node_total(meminfo: &str) -> Option<u64> {
    let (_, rest) = meminfo.split_once("MemTotal:")?;
    let kib = rest.split_whitespace().next()?;
    kib.parse::<u64>().ok()?.checked_mul(1_024)
}
