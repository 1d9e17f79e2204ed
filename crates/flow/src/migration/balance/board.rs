use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Proof;

/// 128 bytes: different processes write at least that far apart.
const APART: usize = 16;
const COMMON: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct Board<'w> {
    /// 128 bytes apart: ns of work, flows, wanted flows.
    process: &'w [AtomicU64],
    /// Ns so far, and its process.
    piece: &'w [AtomicU64],
    pub(super) moves: &'w AtomicU64,
    pub(super) found: &'w AtomicU64,
    pub(super) checksum: &'w AtomicU64,
    /// Pieces; with a queue, processes.
    pub(super) done: &'w AtomicU64,
    pub(super) taken: &'w AtomicU64,
    /// Pieces at the next barrier, and open barriers.
    pub(super) arrived: &'w AtomicU64,
    pub(super) open: &'w AtomicU64,
    /// Processes ready to take from the queue.
    pub(super) ready: &'w AtomicU64,
}

impl<'w> Board<'w> {
    pub(super) fn words(processes: usize, pieces: usize) -> usize {
        (COMMON + processes) * APART + 2 * pieces
    }

    pub(super) fn over(words: &'w [AtomicU64], processes: usize) -> Self {
        let (common, rest) = words.split_at(COMMON * APART);
        let (process, piece) = rest.split_at(processes * APART);
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
