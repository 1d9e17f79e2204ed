use std::io;
use std::ops::Add;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::text_files::TextFiles;

/// Anonymous memory of a group, stacks with it, in bytes: what `malloc` gives out is part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Heap {
    /// All of it, reserved huge pages too.
    pub bytes: u64,
    /// What is on transparent or reserved huge pages.
    pub large: u64,
}

impl Heap {
    /// The part that is on large pages.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.bytes > 0).then(|| self.large as f64 / self.bytes as f64)
    }
}

impl Add for Heap {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            large: self.large + other.large,
        }
    }
}

/// Why a group of processes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// This machine does not tell. RSS may still be had, by [`super::reading`].
    #[error("memory is not available: {reason} ({remedy})")]
    NotAvailable {
        /// Why, in words for the user.
        reason: String,
        /// What would make it available.
        remedy: String,
    },
    /// A process has ended. A sum without it would be too small.
    #[error("process {pid} had ended before its memory was read")]
    Ended {
        /// Its id.
        pid: i32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rollup {
    pub(super) rss: u64,
    pub(super) pss: u64,
    /// PSS without pages of files; kernels before 5.2 lack it.
    pub(super) pss_own: Option<u64>,
    pub(super) heap: Option<Heap>,
}

impl Rollup {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(Self {
            rss: kib(text, "Rss:")?,
            pss: kib(text, "Pss:")?,
            pss_own: kib(text, "Pss_Anon:")
                .zip(kib(text, "Pss_Shmem:"))
                .map(|(anonymous, shared)| anonymous + shared),
            heap: heap(text),
        })
    }
}

/// `hugetlbfs` pages are in no other line than their own.
fn heap(text: &str) -> Option<Heap> {
    let reserved = kib(text, "Private_Hugetlb:")?;
    Some(Heap {
        bytes: kib(text, "Anonymous:")? + reserved,
        large: kib(text, "AnonHugePages:")? + reserved,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) rss: u64,
    pub(super) peak_rss: Option<u64>,
    pub(super) page_tables: u64,
    pub(super) threads: u32,
}

impl Status {
    /// `None` for zombies and kernel threads: they have no `Vm` lines.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(Self {
            rss: kib(text, "VmRSS:")?,
            peak_rss: kib(text, "VmHWM:"),
            page_tables: kib(text, "VmPTE:")? + kib(text, "VmPMD:").unwrap_or(0),
            threads: field(text, "Threads:")?.parse().ok()?,
        })
    }
}

/// In bytes, of the first line `key   123 kB`, where the key has its colon.
pub fn kib(text: &str, key: &str) -> Option<u64> {
    let number = field(text, key)?.strip_suffix("kB")?;
    number.trim_end().parse::<u64>().ok()?.checked_mul(1_024)
}

fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines()
        .find_map(|line| line.strip_prefix(key))
        .map(str::trim)
}

#[derive(Debug)]
pub(super) struct Files(pub(super) TextFiles);

impl Files {
    pub(super) fn read<T>(
        &mut self,
        pid: i32,
        file: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, MemoryError> {
        let read = self.0.read(format_args!("{pid}/{file}"));
        read.map_err(|error| self.explain(pid, file, &error))?;
        parse(&self.0.text).ok_or(MemoryError::Ended { pid })
    }

    fn explain(&self, pid: i32, file: &str, error: &io::Error) -> MemoryError {
        let errno = error.raw_os_error().map(Errno::from_raw);
        let alive = self.0.root.join(pid.to_string()).exists();
        let (reason, remedy) = match errno {
            Some(Errno::ESRCH) => return MemoryError::Ended { pid },
            Some(Errno::ENOENT) if !alive => return MemoryError::Ended { pid },
            Some(Errno::ENOENT) => (
                format!("this kernel has no /proc/PID/{file}"),
                "use Linux 4.14 or newer with CONFIG_PROC_PAGE_MONITOR",
            ),
            Some(Errno::EACCES | Errno::EPERM) => (
                format!("reading /proc/{pid}/{file} is forbidden"),
                "run as the user that owns the processes, or as root",
            ),
            _ => (format!("/proc/{pid}/{file}: {error}"), ""),
        };
        let remedy = remedy.to_owned();
        MemoryError::NotAvailable { reason, remedy }
    }
}
