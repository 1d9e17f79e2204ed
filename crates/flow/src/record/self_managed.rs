use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is missing of usage where processes ended that nobody waited for: the kernel forgets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgotten {
    /// Faults, switches and bytes. CPU time is known from a control group.
    Counts,
    /// CPU time too.
    All,
}

/// What the work tells of the flows that it made, of what it did and of where its time went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfManagedUsage {
    /// CPU time in user mode of all flows, in ns.
    pub user_ns: u64,
    /// CPU time in the kernel of all flows, in ns.
    pub system_ns: u64,
    /// Flows that were made in all.
    pub made: u64,
    /// Flows that were alive at one time, at the most.
    pub most: u64,
    /// The cap that held flows back; `None` where nothing was held back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<u64>,
    /// Blocks of 512 bytes that were read from a disk.
    pub disk_blocks: u64,
    /// Highest RSS, in bytes: the slot process's, and the highest of its own for each alive.
    pub peak_rss: u64,
    /// What the work counted, by name.
    pub counts: BTreeMap<String, u64>,
    /// Wall time by class of work, summed over flows, in ns; only of a repetition with timers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes_ns: BTreeMap<String, u64>,
    /// What the other fields and the usage of the flow record lack; `None` where they are whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<Forgotten>,
}
