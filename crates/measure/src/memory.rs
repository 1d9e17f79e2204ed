//! Honest memory: what a group of processes costs, in bytes: **PSS + page tables + kernel stacks (+
//! slab)**. RSS counts a page of five processes five times; PSS divides each page by the processes
//! that map it. Beyond user memory, each address space has page tables and each task a kernel
//! stack. RSS is kept for older tables. Where the kernel tells of single pages, pages of files
//! count once for the group, also where others map them ([`Sharing`], `files.rs`).
//!
//! | part | source | unit there |
//! |---|---|---|
//! | `pss`, `rss` | `Pss`, `Rss` of `/proc/PID/smaps_rollup` | kB of 1,024 |
//! | `pss` within the group | `Pss_Anon`, `Pss_Shmem` there; `maps` and `pagemap` | kB, pages |
//! | `page_tables` | `VmPTE` (and `VmPMD` before Linux 4.15) of `/proc/PID/status` | kB |
//! | `kernel_stacks` | `Threads` of `status` times [`kernel_stack_bytes`] | |
//! | `peak_rss` | `VmHWM` of `status` | kB |
//! | `slab` | [`system_slab`] before and after, by the caller | |
//!
//! None of these sees memory that was swapped out, nor `hugetlbfs` pages. A reading takes 30 to 60
//! us for each small process but walks every mapped page, some 4 ms at 256 MB, and holds the lock
//! that page faults need. Read at barriers, never in a timed span.

mod files;
mod kernel;
mod proc;

use std::ops::Add;
use std::path::PathBuf;

use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::text_files::TextFiles;
pub use kernel::{kernel_stack_bytes, system_slab};
pub use proc::{Heap, MemoryError, kib};
use proc::{Rollup, Status};

/// What a group of processes holds, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// User memory, each page divided by the processes that share it ([`Memory::sharing`]).
    pub pss: u64,
    /// Page tables of all levels.
    pub page_tables: u64,
    /// Kernel stacks, one for each task.
    pub kernel_stacks: u64,
    /// User memory with shared pages counted in full in each process. Not in [`Memory::total`].
    pub rss: u64,
    /// Processes read.
    pub processes: u32,
    /// Tasks (threads) in them.
    pub tasks: u32,
    /// Sum of each process's highest RSS, at least the group's peak; `None` without `VmHWM`.
    pub peak_rss: Option<u64>,
    /// Kernel objects of the group: the caller's difference of two [`system_slab`].
    pub slab: Option<u64>,
    /// By which processes shared pages are divided.
    #[serde(default, skip_serializing_if = "Sharing::is_everyone")]
    pub sharing: Sharing,
    /// Their heaps, and how much of those is on large pages, where the kernel tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<Heap>,
    /// RSS of the first process of several (a slot: the parent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_rss: Option<u64>,
}

/// By which processes shared pages are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// All that map them: the kernel's PSS, which depends on other runs of the same program.
    #[default]
    Everyone,
    /// By those of the group: a page that it shares with others counts in full.
    Group,
}

impl Sharing {
    fn is_everyone(&self) -> bool {
        *self == Self::Everyone
    }
}

impl Memory {
    /// Cost to the machine: PSS, page tables, kernel stacks, and slab if measured.
    pub fn total(&self) -> u64 {
        self.pss + self.page_tables + self.kernel_stacks + self.slab.unwrap_or(0)
    }

    /// RSS of one process after the first, the mean of all of those.
    #[must_use]
    pub fn other_rss(&self) -> Option<u64> {
        let others = self.processes.checked_sub(1).filter(|others| *others > 0)?;
        Some(self.rss.checked_sub(self.first_rss?)? / u64::from(others))
    }
}

impl Add for Memory {
    type Output = Memory;

    /// The sum of disjoint groups lacks what one of them lacks.
    fn add(self, other: Memory) -> Memory {
        let both = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        Memory {
            pss: self.pss + other.pss,
            page_tables: self.page_tables + other.page_tables,
            kernel_stacks: self.kernel_stacks + other.kernel_stacks,
            rss: self.rss + other.rss,
            processes: self.processes + other.processes,
            tasks: self.tasks + other.tasks,
            peak_rss: both(self.peak_rss, other.peak_rss),
            slab: both(self.slab, other.slab),
            sharing: match (self.sharing, other.sharing) {
                (Sharing::Group, Sharing::Group) => Sharing::Group,
                _ => Sharing::Everyone,
            },
            heap: self.heap.zip(other.heap).map(|(a, b)| a + b),
            first_rss: self.first_rss,
        }
    }
}

/// The best reading on this machine. The two kinds never share a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The full account.
    Honest(Memory),
    /// Only RSS could be read.
    RssOnly {
        /// Sum of the RSS (`VmRSS`), bytes.
        rss: u64,
        /// Why there is no more, in words for the user.
        reason: String,
        /// What would make it available.
        remedy: String,
    },
}

impl Reading {
    /// Threads that were seen at the peak.
    #[must_use]
    pub fn tasks(&self) -> Option<u64> {
        match self {
            Self::Honest(memory) => Some(memory.tasks.into()),
            Self::RssOnly { .. } => None,
        }
    }
}

/// The sum over `pids`, each given once. Errors: no access to `smaps_rollup`, or a process is gone.
pub fn of(pids: &[i32]) -> Result<Memory, MemoryError> {
    Sampler::new().of(pids)
}

/// As [`of`], falling back to RSS where the full account is not available.
pub fn reading(pids: &[i32]) -> Result<Reading, MemoryError> {
    Sampler::new().reading(pids)
}

/// Reads memory again and again into one buffer.
#[derive(Debug)]
pub struct Sampler {
    files: proc::Files,
    kernel_stack: u64,
    page: u64,
}

impl Default for Sampler {
    fn default() -> Self {
        Self::new()
    }
}

impl Sampler {
    /// A sampler of this machine.
    pub fn new() -> Self {
        Self::below("/proc", kernel_stack_bytes())
    }

    fn below(proc: impl Into<PathBuf>, kernel_stack: u64) -> Self {
        Self {
            files: proc::Files(TextFiles::below(proc)),
            kernel_stack,
            page: page_bytes(),
        }
    }

    /// See [`of`].
    pub fn of(&mut self, pids: &[i32]) -> Result<Memory, MemoryError> {
        let mut own = Some(0);
        let mut sum = Memory {
            peak_rss: Some(0),
            heap: Some(Heap::default()),
            ..Memory::default()
        };
        for &pid in pids {
            let (memory, pss_own) = self.one(pid)?;
            own = own.zip(pss_own).map(|(all, one)| all + one);
            if pids.len() > 1 && sum.first_rss.is_none() {
                sum.first_rss = Some(memory.rss);
            }
            sum = sum + memory;
        }
        if let Some(own) = own
            && let Some(files) = files::mapped(&self.files.0.root, pids, self.page)
        {
            sum.pss = own + files * self.page;
            sum.sharing = Sharing::Group;
        }
        Ok(sum)
    }

    /// See [`reading`].
    pub fn reading(&mut self, pids: &[i32]) -> Result<Reading, MemoryError> {
        match self.of(pids) {
            Ok(memory) => Ok(Reading::Honest(memory)),
            Err(MemoryError::NotAvailable { reason, remedy }) => {
                let rss = pids
                    .iter()
                    .try_fold(0, |sum, &pid| Ok(sum + self.status(pid)?.rss))?;
                Ok(Reading::RssOnly {
                    rss,
                    reason,
                    remedy,
                })
            }
            Err(ended) => Err(ended),
        }
    }

    /// A process, and its PSS without pages of files.
    fn one(&mut self, pid: i32) -> Result<(Memory, Option<u64>), MemoryError> {
        let status = self.status(pid)?;
        let rollup = self.files.read(pid, "smaps_rollup", Rollup::parse)?;
        let memory = Memory {
            pss: rollup.pss,
            page_tables: status.page_tables,
            kernel_stacks: u64::from(status.threads) * self.kernel_stack,
            rss: rollup.rss,
            processes: 1,
            tasks: status.threads,
            peak_rss: status.peak_rss,
            heap: rollup.heap,
            ..Memory::default()
        };
        Ok((memory, rollup.pss_own))
    }

    fn status(&mut self, pid: i32) -> Result<Status, MemoryError> {
        self.files.read(pid, "status", Status::parse)
    }
}

/// Bytes of a small page.
#[must_use]
pub fn page_bytes() -> u64 {
    let told = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    let told = told.and_then(|bytes| u64::try_from(bytes).ok());
    told.filter(|bytes| bytes.is_power_of_two())
        .unwrap_or(4_096)
}

#[cfg(test)]
mod tests;
