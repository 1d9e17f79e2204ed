//! What this machine is and what it can measure: every result carries a [`Machine`].
//!
//! | module | tells |
//! |---|---|
//! | [`processor`] | the CPU model, its clock speed and who steers that |
//! | [`topology`] | CPUs, cores, caches, memory nodes |
//! | [`placement`] | which CPUs flows may be put on, and in what order |
//! | [`memory`] | memory, page sizes |
//! | [`kernel`] | kernel, distribution, mitigations, clock |
//! | [`cgroup`] | quotas and limits of the control groups above this process |
//! | [`limits`], [`ceiling`] | what bounds the number of flows, and by how many |
//! | [`filesystem`] | what a folder is on, and whether waiting for its disk means anything |
//! | [`counters`] | which events can be counted here, and why others cannot |
//! | [`probe`] | what memory costs, by trying |
//! | [`warnings`], [`facts`], [`differences()`] | all this in words |
//!
//! The kernel's files are read below a root directory that is a parameter: tests have machines
//! nobody has at hand. What a machine does not tell is a
//! [`Measured::NotAvailable`](measure::Measured) with its reason.
#![forbid(unsafe_code)]

mod allowance;
pub mod ceiling;
pub mod cgroup;
pub mod counters;
mod cpulist;
mod credentials;
mod differences;
pub mod facts;
pub mod filesystem;
#[cfg(test)]
mod fixture;
pub mod kernel;
pub mod limits;
pub mod memory;
pub mod placement;
pub mod probe;
pub mod processor;
mod root;
pub mod topology;
pub mod warnings;

use std::path::Path;

use measure::Measured;
use serde::{Deserialize, Serialize};

pub use ceiling::{Ceiling, FlowKind, Needs, Unit};
pub use counters::Counters;
pub use differences::{differences, traits};
pub use facts::{Fact, Group};
pub use filesystem::Filesystem;
pub use warnings::Warning;

use cgroup::Cgroups;
use credentials::Credentials;
use root::Root;

/// What the machine is, as this process sees it at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the host.
    pub host: Measured<String>,
    /// The CPU model and its clock speed.
    pub processor: processor::Processor,
    /// CPUs, cores, caches, memory nodes.
    pub topology: topology::Topology,
    /// What of these this process may use.
    pub allowance: placement::Allowance,
    /// Memory and page sizes.
    pub memory: memory::MainMemory,
    /// Kernel, distribution, mitigations, clock.
    pub kernel: kernel::Kernel,
    /// What bounds the number of flows.
    pub limits: limits::Limits,
    /// Which events can be counted.
    pub counters: Counters,
    /// What memory costs, where that was tried ([`Machine::probed`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<probe::Probe>,
}

impl Machine {
    /// Reads this machine. Takes some milliseconds, more with many CPUs.
    pub fn read() -> Machine {
        Self::read_below(Path::new("/"))
    }

    /// Reads the machine below `root`; page size, clock cost and counters are this kernel's.
    pub fn read_below(root: &Path) -> Machine {
        Self::read_with(root, &mut counters::perf)
    }

    /// As [`Machine::read_below`], asking `events` what can be counted.
    pub fn read_with(root: &Path, events: &mut counters::EventSource<'_>) -> Machine {
        let root = Root::new(root);
        let groups = Cgroups::read(&root);
        let topology = topology::Topology::read(&root);
        let credentials = Credentials::read(&root);
        let permission = counters::Permission::read(&root, credentials.may_count_events());
        Machine {
            host: root.text("/proc/sys/kernel/hostname"),
            processor: processor::Processor::read(&root, &topology),
            allowance: placement::Allowance::read(&root, &groups, &topology),
            memory: memory::MainMemory::read(&root, &groups),
            kernel: kernel::Kernel::read(&root),
            limits: limits::Limits::read(&root, &groups, &credentials),
            counters: Counters::probe(events, permission),
            topology,
            probe: None,
        }
    }

    /// This machine with the cores of a simulated one of that name; memory, kernel and limits stay.
    #[must_use]
    pub fn simulating(self, name: &str, cores: u32, threads_per_core: u32) -> Self {
        let topology = topology::Topology::of_cores(cores, threads_per_core);
        let allowance = placement::Allowance {
            cpus: topology.ids().collect(),
            quota: Measured::Value(None),
        };
        let processor = processor::Processor {
            model: Measured::Value(format!("{name}, simulated")),
            ..self.processor
        };
        Self {
            topology,
            allowance,
            processor,
            ..self
        }
    }
}
