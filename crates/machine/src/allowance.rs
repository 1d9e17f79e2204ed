use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::cgroup::{Cgroups, CpuQuota};
use crate::cpulist;
use crate::root::{Root, field};
use crate::topology::Topology;

/// What this process may use of the CPUs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allowance {
    /// Online CPUs in the affinity mask, ascending; all online CPUs if the mask cannot be read.
    pub cpus: Vec<u32>,
    /// The smallest CPU quota of the control groups; `None` when there is none.
    pub quota: Measured<Option<CpuQuota>>,
}

impl Allowance {
    pub(crate) fn read(root: &Root, groups: &Cgroups<'_>, topology: &Topology) -> Self {
        let status = root.told("/proc/self/status").unwrap_or_default();
        let mask = field(&status, ':', "Cpus_allowed_list").and_then(cpulist::parse);
        let allows = |cpu: &u32| mask.as_ref().is_none_or(|mask| mask.contains(cpu));
        Self {
            cpus: topology.ids().filter(allows).collect(),
            quota: groups.cpu_quota(),
        }
    }
}
