//! The segmented sieve of Eratosthenes on a wheel of 30. A worker's [`Sieve`] holds base primes up
//! to the root of the highest number, and a segment's buffer: below 10^13 further ranges allocate
//! nothing. Where a narrow range makes it cheaper, Miller-Rabin tests what few primes leave.
//!
//! Sources: the segmented sieve with a wheel is folklore (Pritchard 1983, Bays and Hudson 1977);
//! that pre-sieve tables and one loop per class of prime pay is the experience of primesieve (K.
//! Walisch), whose speed is the bar. Whole turns with margins for branches are ours.

mod base;
mod bits;
mod buckets;
mod large;
mod once;
mod presieve;
mod segment;
mod strike;
mod wheel;

use std::ops::Range;

use segment::Segments;

use super::miller_rabin;
use super::tally::Tally;

#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    pub(super) chunk: usize,
    pub(super) stored: u32,
    pub(super) at_once: u64,
}

impl Default for Tuning {
    /// A chunk that fits the first-level cache of all common CPUs (on one with 48 KiB, 24 to 48 KiB
    /// are within 5 %, 64 KiB is 43 % slower), and stored primes of at most 120 MB.
    fn default() -> Self {
        Self {
            chunk: 32 << 10,
            stored: 1 << 22,
            at_once: 1 << 28,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Sieve {
    max: u64,
    tuning: Tuning,
    segments: Segments,
}

impl Sieve {
    pub(super) fn new(max: u64) -> Self {
        Self::with(max, Tuning::default())
    }

    pub(super) fn with(max: u64, tuning: Tuning) -> Self {
        Self {
            max,
            tuning,
            segments: Segments::new(max.isqrt(), tuning),
        }
    }

    pub(super) fn count(&mut self, range: Range<u64>) -> u64 {
        let mut count = unseen(&range).count() as u64;
        self.segments(range, |_, bytes| count += bits::count(bytes));
        count
    }

    pub(super) fn search<E: FnMut(u64, u64)>(&mut self, range: Range<u64>, tally: &mut Tally<E>) {
        unseen(&range).for_each(|prime| tally.prime(prime));
        self.segments(range, |first, bytes| bits::tell(bytes, first, tally));
    }

    /// Calls `visit` with each segment's first number and its bytes, whole words: exactly the
    /// primes of the range above 5.
    fn segments<V: FnMut(u64, &[u8])>(&mut self, range: Range<u64>, mut visit: V) {
        if range.is_empty() {
            return;
        }
        let tested = self.start(&range);
        let (mut at, end) = (range.start / 30, (range.end - 1) / 30 + 1);
        while at < end {
            let len = (end - at).min(self.segments.size() as u64) as usize;
            let segment = self.segments.make(at, len);
            trim(segment, at, len, &range);
            if tested {
                bits::retain(segment, at, miller_rabin::is_prime);
            }
            visit(at, segment);
            at += len as u64;
        }
    }

    /// Returns whether what the segments leave must be tested.
    fn start(&mut self, range: &Range<u64>) -> bool {
        let last = range.end - 1;
        if last > self.max {
            *self = Self::with(last, self.tuning);
        }
        let (root, stored) = (last.isqrt(), u64::from(self.tuning.stored));
        let bound = bound(range.end - range.start, root, stored);
        let found = stored + 1..bound.max(stored) + 1;
        let bytes = range.start / 30..last / 30 + 1;
        self.segments.start(bytes, bound.min(stored) as u32, found);
        bound < root
    }
}

/// The largest prime that strikes a range of this many numbers below the square of `root`; if
/// smaller than that, what is left is tested. Placing a stored prime takes about 1.5 ns, finding
/// and placing another 6, testing 30 to 50 ns a number: with the density of primes that gives the
/// two factors.
fn bound(numbers: u64, root: u64, stored: u64) -> u64 {
    let per_number = if root <= stored { 256 } else { 64 };
    match root / per_number <= numbers {
        true => root,
        false => root.min(stored).min(numbers.saturating_mul(8)),
    }
}

fn trim(segment: &mut [u8], at: u64, len: usize, range: &Range<u64>) {
    segment[len..].fill(0);
    if at == 0 {
        segment[0] &= wheel::from_residue(2);
    }
    if at == range.start / 30 {
        segment[0] &= wheel::from_residue(range.start % 30);
    }
    if range.end / 30 < at + len as u64 {
        segment[len - 1] &= !wheel::from_residue(range.end % 30);
    }
}

fn unseen(range: &Range<u64>) -> impl Iterator<Item = u64> {
    [2, 3, 5].into_iter().filter(|prime| range.contains(prime))
}
