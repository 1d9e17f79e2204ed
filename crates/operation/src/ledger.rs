use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::check::same;
use sys::{Shareable, Shared};

/// Detects whether a lock of all flows excludes others: two holders would lose a step.
#[derive(Debug)]
pub(crate) struct Ledger {
    counted: Shared<Counted>,
    flows: u64,
}

#[derive(Debug)]
struct Counted {
    steps: AtomicU64,
    done: AtomicU64,
}

// SAFETY: atomics.
unsafe impl Shareable for Counted {}

impl Ledger {
    pub(crate) fn new(flows: u64) -> io::Result<Self> {
        let counted = Shared::value()?;
        Ok(Self { counted, flows })
    }

    /// The caller holds the lock.
    #[inline]
    pub(crate) fn step(&self) {
        let steps = self.counted.steps.load(Ordering::Relaxed);
        self.counted.steps.store(steps + 1, Ordering::Relaxed);
    }

    pub(crate) fn done(&self, ops: u64) {
        let done = self.counted.done.fetch_add(1, Ordering::AcqRel) + 1;
        if done.is_multiple_of(self.flows) {
            let steps = self.counted.steps.load(Ordering::Relaxed);
            same("the steps that flows made one at a time", steps, done * ops);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "one at a time")]
    fn a_step_that_was_lost_is_found() {
        let ledger = Ledger::new(2).unwrap();
        (0..3).for_each(|_| ledger.step());
        ledger.done(2);
        ledger.done(2);
    }

    #[test]
    fn all_steps_of_all_repetitions_are_seen() {
        let ledger = Ledger::new(2).unwrap();
        for _repetition in 0..3 {
            for _flow in 0..2 {
                (0..5).for_each(|_| ledger.step());
                ledger.done(5);
            }
        }
    }
}
