//! What one flow writes about itself in shared memory: relaxed stores of numbers, published by one
//! `Release` store of its state; the parent reads them after an `Acquire` load of that.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use measure::usage::Usage;
use sys::Shareable;

use crate::proof::Proof;
use crate::record::Turns;

#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct FlowStatus {
    state: AtomicU64,
    pid: AtomicU64,
    tid: AtomicU64,
    start_ns: AtomicU64,
    end_ns: AtomicU64,
    create: [AtomicU64; Usage::WORDS],
    steady: [AtomicU64; Usage::WORDS],
    units: AtomicU64,
    sent: AtomicU64,
    count: AtomicU64,
    checksum: AtomicU64,
    trouble: AtomicU64,
    carried: AtomicU64,
    turns: [AtomicU64; Turns::WORDS],
    /// 1: it is this flow's turn in a ring of futexes.
    token: AtomicU32,
}

// SAFETY: atomics.
unsafe impl Shareable for FlowStatus {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Absent,
    Arrived,
    Done,
    Troubled,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) steady: Usage,
    pub(crate) units: u64,
    pub(crate) sent: u64,
    pub(crate) proof: Proof,
    pub(crate) carried: u64,
    pub(crate) turns: Turns,
}

impl FlowStatus {
    pub(crate) fn token(&self) -> &AtomicU32 {
        &self.token
    }

    pub(crate) fn stage(&self) -> Stage {
        match self.state.load(Ordering::Acquire) {
            0 => Stage::Absent,
            1 => Stage::Arrived,
            2 => Stage::Done,
            _ => Stage::Troubled,
        }
    }

    pub(crate) fn arrived(&self, pid: i32, tid: i32, create: Usage) {
        self.pid
            .store(u64::from(pid.unsigned_abs()), Ordering::Relaxed);
        self.tid
            .store(u64::from(tid.unsigned_abs()), Ordering::Relaxed);
        store(&self.create, create.words());
        self.state.store(1, Ordering::Release);
    }

    pub(crate) fn done(&self, tally: &Tally) {
        self.tally(tally);
        self.state.store(2, Ordering::Release);
    }

    pub(crate) fn troubled(&self, tally: &Tally, trouble: u64) {
        self.tally(tally);
        self.trouble.store(trouble, Ordering::Relaxed);
        self.state.store(3, Ordering::Release);
    }

    fn tally(&self, tally: &Tally) {
        self.start_ns.store(tally.start_ns, Ordering::Relaxed);
        self.end_ns.store(tally.end_ns, Ordering::Relaxed);
        store(&self.steady, tally.steady.words());
        self.units.store(tally.units, Ordering::Relaxed);
        self.sent.store(tally.sent, Ordering::Relaxed);
        self.count.store(tally.proof.count, Ordering::Relaxed);
        self.checksum.store(tally.proof.checksum, Ordering::Relaxed);
        self.carried.store(tally.carried, Ordering::Relaxed);
        store(&self.turns, tally.turns.words());
    }

    /// Valid after [`FlowStatus::stage`].
    pub(crate) fn read(&self) -> Tally {
        Tally {
            start_ns: self.start_ns.load(Ordering::Relaxed),
            end_ns: self.end_ns.load(Ordering::Relaxed),
            steady: Usage::of_words(load(&self.steady)),
            units: self.units.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
            proof: Proof {
                count: self.count.load(Ordering::Relaxed),
                checksum: self.checksum.load(Ordering::Relaxed),
            },
            carried: self.carried.load(Ordering::Relaxed),
            turns: Turns::of_words(load(&self.turns)),
        }
    }

    pub(crate) fn ids(&self) -> (i32, i32) {
        let id = |word: &AtomicU64| i32::try_from(word.load(Ordering::Relaxed)).unwrap_or(0);
        (id(&self.pid), id(&self.tid))
    }

    pub(crate) fn create_usage(&self) -> Usage {
        Usage::of_words(load(&self.create))
    }

    pub(crate) fn trouble(&self) -> u64 {
        self.trouble.load(Ordering::Relaxed)
    }

    pub(crate) fn clear(&self) {
        self.arrived(0, 0, Usage::default());
        self.troubled(&Tally::default(), 0);
        self.token.store(0, Ordering::Relaxed);
        self.state.store(0, Ordering::Release);
    }
}

fn store<const WORDS: usize>(words: &[AtomicU64; WORDS], values: [u64; WORDS]) {
    for (word, value) in words.iter().zip(values) {
        word.store(value, Ordering::Relaxed);
    }
}

fn load<const WORDS: usize>(words: &[AtomicU64; WORDS]) -> [u64; WORDS] {
    words.each_ref().map(|word| word.load(Ordering::Relaxed))
}
