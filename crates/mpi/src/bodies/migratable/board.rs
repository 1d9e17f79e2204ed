//! Shared words by which ranks know of each other's flows, at one address in all of them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use fiber::movable::Movable;
use flow::Proof;
use measure::clock::now_ns;

/// 128 bytes: different ranks write at least that far apart.
const APART: usize = 16;

#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct Row {
    pub(super) has: AtomicU64,
    /// Flows that the rank wants; senders count it down.
    pub(super) wants: AtomicU64,
    /// Finished units of all ranks; on the row of rank 0.
    done: AtomicU64,
    /// End of its last step; 0 if it was idle since. This and what follows is its own.
    since: Cell<u64>,
    pub(super) compute_ns: Cell<u64>,
    pub(super) communication_ns: Cell<u64>,
    pub(super) moves: Cell<u64>,
    pub(super) found: Cell<u64>,
    pub(super) checksum: Cell<u64>,
}

const _: () = assert!(size_of::<Row>() == APART * size_of::<u64>());

#[derive(Debug, Clone, Copy)]
pub(super) struct Board {
    address: usize,
    pub(super) ranks: usize,
}

// SAFETY: the address is one of the region, which all ranks have there.
unsafe impl Movable for Board {}

impl Board {
    pub(super) fn words(ranks: u32) -> u32 {
        APART as u32 * ranks
    }

    pub(super) fn over(words: &[AtomicU64]) -> Self {
        assert!(words.as_ptr().cast::<Row>().is_aligned());
        Self {
            address: words.as_ptr().expose_provenance(),
            ranks: words.len() / APART,
        }
    }

    pub(super) fn rank(&self, rank: usize) -> &Row {
        assert!(rank < self.ranks, "there is no rank {rank}");
        let first = std::ptr::with_exposed_provenance::<Row>(self.address);
        // SAFETY: as many rows of zeroed words lie there, aligned, in a region that is dropped when
        // no flow is left. Only the one thread of a rank uses its cells, all else is atomic.
        unsafe { &*first.wrapping_add(rank) }
    }

    pub(super) fn begin(&self, rank: u32, flows: u64) {
        let own = self.rank(rank as usize);
        own.has.store(flows, Ordering::Relaxed);
        own.wants.store(0, Ordering::Relaxed);
        own.done.store(0, Ordering::Relaxed);
        let cells = [
            &own.since,
            &own.compute_ns,
            &own.communication_ns,
            &own.moves,
            &own.found,
            &own.checksum,
        ];
        cells.into_iter().for_each(|cell| cell.set(0));
    }

    pub(super) fn note_done(&self) {
        self.rank(0).done.fetch_add(1, Ordering::Release);
    }

    pub(super) fn done(&self) -> u64 {
        self.rank(0).done.load(Ordering::Acquire)
    }

    pub(super) fn most(&self) -> u64 {
        let all = (0..self.ranks).map(|rank| self.rank(rank).has.load(Ordering::Relaxed));
        all.max().unwrap_or(0)
    }
}

impl Row {
    /// Time since the last step was communication, unless the rank was idle.
    pub(super) fn step(&self, work: impl FnOnce() -> Proof) -> Proof {
        let began = now_ns();
        let proof = work();
        let ended = now_ns();
        let since = self.since.replace(ended);
        if since > 0 {
            add(&self.communication_ns, began - since);
        }
        add(&self.compute_ns, ended - began);
        add(&self.found, proof.count);
        let checksum = self.checksum.get().wrapping_add(proof.checksum);
        self.checksum.set(checksum);
        proof
    }

    pub(super) fn waits(&self) {
        self.since.set(0);
    }

    pub(super) fn takes_one(&self) -> bool {
        let one_less = |wants: u64| wants.checked_sub(1);
        // Most looks find nothing and write nothing.
        self.wants.load(Ordering::Relaxed) > 0
            && self
                .wants
                .fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_less)
                .is_ok()
    }
}

fn add(sum: &Cell<u64>, more: u64) {
    sum.set(sum.get() + more);
}
