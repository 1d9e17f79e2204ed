//! `io`: workers that write blocks to a disk and wait for each of them (docs/workers.md).
//! [`Sync::Dsync`] opens the file with `O_DSYNC`: each write returns when the data, and what is
//! needed to find it again, is written. [`Sync::Fsync`] calls `fsync`, which also waits for what
//! else the file system keeps about the file. Self-check: the file is read again to its end and
//! every word compared, from the system's cache: what programs see, not the disk's cells. The proof
//! counts bytes that are right. Then the file is removed.

mod files;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use flow::{Answer, NoSink, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::workload::FileWords;
use crate::{Work, WorkError, Workload, usual};
pub use files::Files;
use files::{WORD, proof_of};

/// Loops that make up one block.
pub const LOOPS_A_BLOCK: u64 = 30;
/// Bytes of a block where none are asked for.
pub const USUAL_BLOCK: u64 = 4096;
/// A worker keeps one block in memory.
const MOST_BLOCK: u64 = 64 << 20;

/// The expected proof is computed block by block before the first slot.
const MOST_BLOCKS: u64 = 100_000_000;

/// Parameters of `io`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Io {
    /// Workers: one unit and one file each.
    pub workers: u64,
    /// Loops of each worker; [`LOOPS_A_BLOCK`] are one block, of which there is at least one.
    pub loops: u64,
    /// Bytes of a block.
    #[serde(default = "usual::number::<USUAL_BLOCK>")]
    pub block: u64,
    /// How a worker waits for its block.
    #[serde(default)]
    pub sync: Sync,
    /// Folder of the files, on the disk to be measured; that of the results if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// How a worker waits for its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sync {
    /// The file is open with `O_DSYNC`: each write waits.
    #[default]
    Dsync,
    /// `fsync` after each write.
    Fsync,
}

impl Io {
    /// Blocks in the file of each worker.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        (self.loops / LOOPS_A_BLOCK).max(1)
    }

    /// Bytes of all files.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.workers * self.blocks() * self.block
    }

    /// The work with the folder of its slot.
    #[must_use]
    pub fn body<'a>(&'a self, folder: Option<&'a Path>) -> Files<'a> {
        Files {
            io: self,
            folder: folder.unwrap_or(Path::new(".")),
        }
    }
}

impl Workload for Io {
    flows_are!(workers);

    fn check(&self) -> Result<(), WorkError> {
        let (workers, loops, block) = (self.workers, self.loops, self.block);
        require(
            workers > 0 && loops > 0,
            || "io needs workers and loops of at least 1",
        )?;
        let is_whole = block.is_multiple_of(WORD);
        require((WORD..=MOST_BLOCK).contains(&block) && is_whole, || {
            format!(
                "blocks of {block} bytes will not do: take a multiple of {WORD} up to {MOST_BLOCK}"
            )
        })?;
        let blocks = self.blocks();
        let all = blocks.checked_mul(workers);
        require(all.is_some_and(|all| all <= MOST_BLOCKS), || {
            format!(
                "{loops} loops are {blocks} blocks for each of {workers} workers, and more than \
                 {MOST_BLOCKS} in all are not proved one by one: use at most {} loops",
                (MOST_BLOCKS / workers).max(1) * LOOPS_A_BLOCK
            )
        })?;
        let bytes = blocks.checked_mul(block);
        let all = bytes.and_then(|bytes| bytes.checked_mul(workers));
        require(all.is_some(), || {
            format!("{loops} loops are more bytes than can be counted: use fewer")
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(&self.body(slot.scratch()), &mut NoSink)
    }

    fn worker_kind(&self) -> Option<&'static str> {
        Some("io")
    }

    fn parts(&self) -> Vec<String> {
        files::PARTS.map(str::to_owned).to_vec()
    }

    fn expected(&self) -> Option<Proof> {
        let all = (0..self.workers).flat_map(|unit| (0..self.blocks()).map(move |b| (unit, b)));
        let proofs = all.map(|(unit, block)| proof_of(unit, block, self.block));
        Some(proofs.sum())
    }

    fn files(&self) -> Option<crate::workload::Files<'_>> {
        Some(crate::workload::Files {
            folder: self.folder.as_deref(),
            bytes: self.file_bytes(),
            words: FileWords {
                whose: "io",
                what: "the files of io need",
                fewer: "use fewer --loops",
                elsewhere: "name a folder on another disk: --folder DIR",
            },
        })
    }
}
