//! Memory that a search shares with the processes it forks, mapped before the first: atomics
//! without locks, so a process that dies leaves at worst wrong numbers (then unused).
//!
//! ```text
//! ┌ stop ┬ outstanding ┬ queued ┬ waiting ┬ slot 0: stage, process, counts ┬ slot 1 …
//! └──────┴─────────────┴────────┴─────────┴────────────────────────────────┴────────
//!   each of these on lines of its own
//! ```

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use sys::{CachePadded, Pages, Shareable, Shared};

use crate::models::Totals;
use crate::report::{Class, Counts, Profile};

#[repr(C)]
#[derive(Debug)]
struct Header {
    stop: CachePadded<AtomicBool>,
    outstanding: CachePadded<AtomicU64>,
    queued: CachePadded<AtomicU64>,
    waiting: CachePadded<AtomicU64>,
}

// SAFETY: atomics.
unsafe impl Shareable for Header {}

const COUNTS: usize = Counts::WORDS;
const CLASSES: usize = Class::ALL.len();

#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Slot {
    stage: AtomicU64,
    /// Negative once it ends by itself; 0: none, or reaped.
    process: AtomicI32,
    done_ns: AtomicU64,
    counts: [AtomicU64; COUNTS],
    profile: [AtomicU64; CLASSES],
}

// SAFETY: atomics.
unsafe impl Shareable for Slot {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Working,
    Waiting,
    Done,
}

#[derive(Debug)]
pub(crate) struct SharedMemory(Shared<Header, Slot>);

impl SharedMemory {
    pub(crate) fn new(slots: usize) -> io::Result<SharedMemory> {
        Shared::new(slots, Pages::WhenTouched).map(SharedMemory)
    }

    fn header(&self) -> &Header {
        self.0.header()
    }

    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.header().stop.0
    }

    /// Given to the queue and not done.
    pub(crate) fn outstanding(&self) -> &AtomicU64 {
        &self.header().outstanding.0
    }

    pub(crate) fn queued(&self) -> &AtomicU64 {
        &self.header().queued.0
    }

    pub(crate) fn waiting(&self) -> &AtomicU64 {
        &self.header().waiting.0
    }

    pub(crate) fn slots(&self) -> usize {
        self.0.rows().len()
    }

    pub(crate) fn slot(&self, index: usize) -> &Slot {
        &self.0.rows()[index]
    }
}

impl Slot {
    pub(crate) fn begin(&self) {
        self.stage.store(Stage::Working as u64, Ordering::Release);
    }

    pub(crate) fn made(&self, process: i32) {
        self.process.store(process, Ordering::Relaxed);
    }

    /// Called before it is reaped: nobody kills it any more.
    pub(crate) fn ending(&self) {
        let process = self.process.load(Ordering::Relaxed);
        self.process.store(-process.abs(), Ordering::Relaxed);
    }

    pub(crate) fn ended(&self) {
        self.process.store(0, Ordering::Relaxed);
    }

    pub(crate) fn process(&self) -> Option<i32> {
        Some(self.process.load(Ordering::Relaxed)).filter(|&process| process > 0)
    }

    pub(crate) fn to_reap(&self) -> Option<i32> {
        Some(self.process.load(Ordering::Relaxed).abs()).filter(|&process| process > 0)
    }

    pub(crate) fn is_waiting(&self, waiting: bool) {
        let stage = if waiting {
            Stage::Waiting
        } else {
            Stage::Working
        };
        self.stage.store(stage as u64, Ordering::Release);
    }

    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Working,
            1 => Stage::Waiting,
            _ => Stage::Done,
        }
    }

    pub(crate) fn leave(&self, totals: &Totals, done_ns: u64) {
        store(&self.counts, totals.counts.words());
        store(&self.profile, totals.profile.ns);
        self.done_ns.store(done_ns, Ordering::Relaxed);
        self.stage.store(Stage::Done as u64, Ordering::Release);
    }

    pub(crate) fn left(&self) -> Option<(Totals, u64)> {
        let totals = Totals {
            counts: Counts::of_words(load(&self.counts)),
            profile: Profile {
                ns: load(&self.profile),
            },
        };
        (self.stage() == Stage::Done).then(|| (totals, self.done_ns.load(Ordering::Relaxed)))
    }
}

fn store<const N: usize>(words: &[AtomicU64; N], values: [u64; N]) {
    for (word, value) in words.iter().zip(values) {
        word.store(value, Ordering::Relaxed);
    }
}

fn load<const N: usize>(words: &[AtomicU64; N]) -> [u64; N] {
    std::array::from_fn(|index| words[index].load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_leaves_is_read_back() {
        let shared = SharedMemory::new(2).unwrap();
        shared.slot(1).begin();
        assert!(shared.slot(1).left().is_none());
        shared.slot(1).made(7);
        assert_eq!(
            (shared.slot(0).process(), shared.slot(1).process()),
            (None, Some(7))
        );
        shared.slot(1).ending();
        assert_eq!(
            (shared.slot(1).process(), shared.slot(1).to_reap()),
            (None, Some(7))
        );
        shared.slot(1).ended();
        assert_eq!(shared.slot(1).to_reap(), None);
        let mut totals = Totals::default();
        totals.counts.lines = 7;
        totals.profile.ns[5] = 9;
        shared.slot(1).leave(&totals, 11);
        let (left, done_ns) = shared.slot(1).left().unwrap();
        assert_eq!(
            (left.counts, left.profile, done_ns),
            (totals.counts, totals.profile, 11)
        );
        assert_eq!(shared.slot(0).stage(), Stage::Working);
    }
}
