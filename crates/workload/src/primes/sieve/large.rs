//! The large primes of a range, which strike from [`Buckets`]. Up to 2^22 they are stored base
//! primes. Larger ones are found anew for each range by a second sieve, at a nanosecond each:
//! placing a prime costs five, and at 10^19 there are two hundred million. A prime without a strike
//! in the range takes no memory.
//!
//! Beyond 7 * 10^16 (more than 15 million primes, 120 MB) a range is cut into stretches of 2 * 10^9
//! numbers, each with all primes found and placed again: bounded memory, more time.

use std::ops::Range;

use super::buckets::Buckets;
use super::{Sieve, bits};

const STRETCH: u64 = 64 << 20;

#[derive(Clone, Debug, Default)]
pub(super) struct Large {
    at_once: u64,
    buckets: Buckets,
    finder: Option<Box<Sieve>>,
    found: Range<u64>,
    end: u64,
}

impl Large {
    pub(super) fn new(at_once: u64) -> Self {
        Self {
            at_once,
            ..Self::default()
        }
    }

    pub(super) fn start(&mut self, end: u64, found: Range<u64>) {
        (self.end, self.found) = (end, found);
        self.buckets.start(0, 0);
    }

    /// `stored` are the stored primes that strike from buckets; `first` is the segment's end.
    pub(super) fn strike(
        &mut self,
        segment: &mut [u8],
        first: u64,
        stored: impl Iterator<Item = u32>,
    ) {
        if self.buckets.left() == 0 {
            self.fill(first, stored);
        }
        self.buckets.strike(segment);
    }

    fn fill(&mut self, first: u64, stored: impl Iterator<Item = u32>) {
        let longest = match self.found.end > self.at_once {
            true => STRETCH,
            false => u64::MAX,
        };
        let Self { buckets, found, .. } = self;
        buckets.start((self.end - first).min(longest), found.end);
        stored.for_each(|prime| buckets.place(prime.into(), first * 30));
        if found.is_empty() {
            return;
        }
        let finder = self
            .finder
            .get_or_insert_with(|| Box::new(Sieve::new(found.end)));
        finder.segments(found.clone(), |at, segment| {
            bits::each(segment, at, |prime| buckets.place(prime, first * 30));
        });
    }
}
