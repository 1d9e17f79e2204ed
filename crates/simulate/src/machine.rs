//! A machine's description: cores, hardware threads, caches, data TLBs, each figure with its
//! source, in a TOML file ([docs/simulate.md](../../../docs/simulate.md) explains each key;
//! `machines/` holds those built in). In each table `source` names a document, or `assumed` says
//! what was taken instead; a table with neither is refused.
//!
//! Refused with the line: what the model cannot be built from (a line, page size or number of sets
//! that is no power of two, zero ways, a size that is not whole sets, more cores, hardware threads
//! or lines than it has room for), and what it would not use (a cost of a level that is not there,
//! two TLBs for the same pages).

mod bytes;
mod check;
mod written;

use serde::{Deserialize, Serialize};

pub use bytes::{read_bytes, show_bytes};

/// Sets of cores are 64 bits.
pub(crate) const MOST_CORES: u32 = 64;
pub(crate) const MOST_THREADS: u32 = 16;

const WHOLE: &str = "expected a whole number that is not negative";

/// A machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// What it is called: the word on the command line.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// Cores.
    pub cores: u32,
    /// Hardware threads of each core.
    pub threads_per_core: u32,
    /// Clock speed in MHz.
    pub clock_mhz: u32,
    /// Page sizes in bytes; the first is used where none is asked for.
    pub pages: Vec<u64>,
    /// What tells TLB entries of hardware threads apart.
    pub tags: Tags,
    /// Whether TLB entries stay valid when a hardware thread returns to an address space.
    #[serde(default = "yes")]
    pub entries_outlive_switches: bool,
    /// First-level data cache of each core.
    pub l1d: Cache,
    /// Second-level cache of each core, where the last level is another one.
    pub l2: Option<Cache>,
    /// Last-level cache, shared by cores.
    pub llc: Cache,
    /// Data TLBs, first level first; each for some page sizes.
    pub dtlb: Vec<Tlb>,
    /// What an access costs.
    pub time: Time,
    /// Where the figures are from, table by table.
    pub origins: Vec<Origin>,
}

fn yes() -> bool {
    true
}

/// Which hardware threads of a core may use each other's TLB entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// Those in the same address space: entries carry the number of the space.
    AddressSpace,
    /// None: entries carry the number of the hardware thread too.
    HardwareThread,
}

/// A cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Bytes.
    pub bytes: u64,
    /// Ways.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u64,
    /// Which way goes when a set is full.
    pub policy: Policy,
    /// Whether a store that misses brings the line in; else every store goes on to the next level.
    pub allocates_on_store: bool,
    /// What falls out of it falls out of the caches above it (last level only).
    pub inclusive: bool,
    /// Cores that share one such cache.
    pub shared_by: u32,
}

impl Cache {
    /// Sets.
    #[must_use]
    pub fn sets(&self) -> u64 {
        self.bytes / self.line / u64::from(self.ways)
    }
}

/// Which way of a full set makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The one not used for the longest time.
    Lru,
    /// The first whose used bit is clear; the bits of the others are cleared when all are set.
    PseudoLru,
    /// Any, by a fixed sequence of draws.
    Random,
}

/// A data TLB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tlb {
    /// 1 is asked first.
    pub level: u32,
    /// Page sizes whose entries it holds.
    pub pages: Vec<u64>,
    /// Entries.
    pub entries: u32,
    /// Ways; as many as entries where it is fully associative.
    pub ways: u32,
    /// Which entry makes room.
    pub policy: Policy,
}

/// What an access costs, in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// An access that hits the first level, with the instructions around it.
    pub base: f64,
    /// More, for one that is found in the second level.
    pub l2: f64,
    /// More, for one that is found in the last level.
    pub llc: f64,
    /// More, for one that is found in memory.
    pub memory: f64,
    /// More, for a translation that is found in the second-level TLB.
    pub l2_tlb: f64,
    /// More, for a page walk.
    pub walk: f64,
}

/// Where the figures of a table are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The table: `l1d`, `dtlb 2`.
    pub of: String,
    /// The document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What no document tells, and what was taken instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
}

/// A description that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {what}")]
pub struct MachineError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

impl Machine {
    /// Reads a description of `name`; errors have `file` and the line.
    pub fn read(name: &str, file: &str, text: &str) -> Result<Self, MachineError> {
        let fail = |at: usize, what: String| MachineError {
            file: file.to_owned(),
            line: 1 + text[..at.min(text.len())].matches('\n').count(),
            what,
        };
        let written: written::Written = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().replace("expected u32", WHOLE);
            fail(at, what.replace("expected u64", WHOLE))
        })?;
        check::machine(name, written).map_err(|check::Wrong { at, what }| fail(at, what))
    }

    /// Hardware threads of all cores.
    #[must_use]
    pub fn hardware_threads(&self) -> u32 {
        self.cores * self.threads_per_core
    }

    /// The core of a hardware thread, where the threads of a core are numbered one after another.
    #[must_use]
    pub fn core_of(&self, hardware_thread: u32) -> u32 {
        hardware_thread / self.threads_per_core
    }

    /// The TLB of a level for pages of that size.
    #[must_use]
    pub fn tlb(&self, level: u32, page: u64) -> Option<&Tlb> {
        let mut all = self.dtlb.iter();
        all.find(|tlb| tlb.level == level && tlb.pages.contains(&page))
    }
}

#[cfg(test)]
mod tests;
