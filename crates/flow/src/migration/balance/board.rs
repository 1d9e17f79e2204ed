//! What all processes of balanced work know: counters in memory that they share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Balancing;
use crate::Proof;

/// Words that fill 128 bytes: what different processes write lies that far apart.
const APART: usize = 16;
/// Words that all processes write.
const COMMON: usize = 8;

/// The counters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Board<'w> {
    /// Each process has 128 bytes: ns that it worked, flows that it has, flows that it wants.
    process: &'w [AtomicU64],
    /// Each piece has two words: ns that it took so far, and the process it is dealt to.
    piece: &'w [AtomicU64],
    /// Flows that went to another process.
    pub(super) moves: &'w AtomicU64,
    /// Units of the work's own count that were found, and their checksum.
    pub(super) found: &'w AtomicU64,
    pub(super) checksum: &'w AtomicU64,
    /// Pieces that are done; where processes take from a queue, processes.
    pub(super) done: &'w AtomicU64,
    /// Pieces that have been taken from the queue.
    pub(super) taken: &'w AtomicU64,
    /// Pieces that have come to the next barrier, and barriers that are open.
    pub(super) arrived: &'w AtomicU64,
    pub(super) open: &'w AtomicU64,
    /// Processes that are ready to take from a queue.
    pub(super) ready: &'w AtomicU64,
}

impl<'w> Board<'w> {
    pub(super) fn words(plan: &Balancing) -> usize {
        (COMMON + plan.processes) * APART + 2 * plan.pieces
    }

    pub(super) fn over(words: &'w [AtomicU64], plan: &Balancing) -> Self {
        let (common, rest) = words.split_at(COMMON * APART);
        let (process, piece) = rest.split_at(plan.processes * APART);
        let word = |place: usize| &common[place * APART];
        Self {
            process,
            piece,
            moves: word(0),
            found: word(1),
            checksum: word(2),
            done: word(3),
            taken: word(4),
            arrived: word(5),
            open: word(6),
            ready: word(7),
        }
    }

    pub(super) fn worked(&self, process: usize) -> &'w AtomicU64 {
        &self.process[process * APART]
    }

    pub(super) fn here(&self, process: usize) -> &'w AtomicU64 {
        &self.process[process * APART + 1]
    }

    pub(super) fn wants(&self, process: usize) -> &'w AtomicU64 {
        &self.process[process * APART + 2]
    }

    pub(super) fn cost(&self, piece: usize) -> &'w AtomicU64 {
        &self.piece[2 * piece]
    }

    pub(super) fn place(&self, piece: usize) -> &'w AtomicU64 {
        &self.piece[2 * piece + 1]
    }

    pub(super) fn proof(&self) -> Proof {
        Proof {
            count: self.found.load(Ordering::Relaxed),
            checksum: self.checksum.load(Ordering::Relaxed),
        }
    }

    /// What is said by name; `cpu_ns` is what all used together.
    pub(super) fn counts(&self, cpu_ns: u64) -> BTreeMap<String, u64> {
        let processes = self.process.len() / APART;
        let worked = (0..processes).map(|at| self.worked(at).load(Ordering::Relaxed));
        let all: u64 = worked.clone().sum();
        let named = [
            ("moves", self.moves.load(Ordering::Relaxed)),
            ("longest_ns", worked.max().unwrap_or(0)),
            ("mean_ns", all / processes as u64),
            ("beside_work_ns", cpu_ns.saturating_sub(all)),
        ];
        named.map(|(name, value)| (name.to_owned(), value)).into()
    }
}
