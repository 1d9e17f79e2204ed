//! Parent memory: memory that the parent has touched before it makes its flows (docs/why.md has its
//! kinds, [`Pages`]). The slot process writes to each page before each repetition, outside the
//! timed phases: a fork leaves its parent's pages write-protected. `4k` sets the system's
//! `transparent_hugepage` aside; for `huge`, `smaps` must say that every byte is in huge pages.

mod hold;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::page_bytes;
use crate::word::words;
pub use hold::HeldParentMemory;

/// So much memory, held in that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParentMemory {
    /// Bytes that are touched; rounded up to whole pages.
    pub bytes: u64,
    /// How they are held.
    #[serde(default)]
    pub pages: Pages,
}

/// How parent memory is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Pages {
    /// Private, in pages of the smallest size (4 KB on most machines).
    #[default]
    #[serde(rename = "4k")]
    Small,
    /// Private, in transparent huge pages.
    #[serde(rename = "huge")]
    Huge,
    /// A shared mapping.
    #[serde(rename = "shared")]
    Shared,
    /// Private, and not handed on to children.
    #[serde(rename = "dontfork")]
    DontFork,
}

impl Pages {
    /// Whether a fork makes page tables for it in the child: for huge pages one that may be split.
    #[must_use]
    pub fn copied(self) -> bool {
        matches!(self, Self::Small | Self::Huge)
    }
}

const ENTRY: u64 = 8;

impl ParentMemory {
    /// Bytes of page tables that lead to it in an address space.
    #[must_use]
    pub fn table_bytes(self) -> u64 {
        self.bytes.div_ceil(page_bytes()).saturating_mul(ENTRY)
    }

    /// Bytes that a parent and this many forked children need for it.
    #[must_use]
    pub fn need(self, processes: u32) -> u64 {
        let copies = if self.pages.copied() { processes } else { 0 };
        let tables = self
            .table_bytes()
            .saturating_mul(u64::from(copies).saturating_add(1));
        self.bytes.saturating_add(tables)
    }
}

impl fmt::Display for ParentMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        let whole = |(unit, _): &&(u64, &str)| self.bytes > 0 && self.bytes.is_multiple_of(*unit);
        match units.iter().find(whole) {
            Some((unit, letter)) => write!(f, "{}{letter} {}", self.bytes / unit, self.pages),
            None => write!(f, "{}B {}", self.bytes, self.pages),
        }
    }
}

words!(Pages, "kind of pages", "4k, huge, shared or dontfork", [
    "4k" => Self::Small,
    "4K" => Self::Small,
    "huge" => Self::Huge,
    "shared" => Self::Shared,
    "dontfork" => Self::DontFork
]);

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn every_kind_is_written_as_its_word() {
        for (_, pages) in Pages::WORDS {
            let json = serde_json::to_string(pages).unwrap();
            assert_eq!(json, format!("\"{pages}\""));
        }
    }

    #[test]
    fn sizes_are_written_in_the_largest_whole_unit() {
        let written = |bytes| {
            let pages = Pages::Huge;
            ParentMemory { bytes, pages }.to_string()
        };
        assert_eq!(written(256 * MIB), "256M huge");
        assert_eq!(written(2048 * MIB), "2G huge");
        assert_eq!(written(1536), "1536B huge");
    }

    #[test]
    fn the_need_counts_the_tables_of_every_child_that_gets_them() {
        let need = |pages, processes| {
            let bytes = 256 * MIB;
            ParentMemory { bytes, pages }.need(processes) - bytes
        };
        let tables = 256 * MIB / page_bytes() * 8;
        assert_eq!(need(Pages::Small, 5), 6 * tables);
        assert_eq!(need(Pages::Huge, 5), 6 * tables);
        assert_eq!(need(Pages::Shared, 5), tables);
        assert_eq!(need(Pages::DontFork, 0), tables);
    }
}
