//! Far primes: base primes too many to be kept, for numbers above 10^13.
//!
//! At 10^19 there are two hundred million base primes. They are not stored:
//! for a wide stretch of the range, a second sieve finds them once again, and
//! each strikes its few multiples in a bitmap of the whole stretch. Every
//! segment of the stretch is then ANDed with its part of that bitmap.
//!
//! The stretch grows with the root, so that finding and placing a far prime is
//! paid for by the numbers it is used for. This is not what primesieve does
//! (it sorts the large primes into buckets, one list for each segment ahead,
//! and needs gigabytes for them at 10^19), and it is slower than that for very
//! wide ranges, but it is a page of code and takes 64 MiB at most.

use std::ops::Range;

use super::wheel::KEEP;
use super::{Sieve, bits};

/// Bounds of a stretch's bytes.
const SHORTEST: u64 = 2 << 20;
const LONGEST: u64 = 64 << 20;

/// The far primes' strikes in one stretch of bytes.
#[derive(Clone, Debug)]
pub(super) struct Far {
    primes: Sieve,
    wanted: Range<u64>,
    bytes: Vec<u8>,
    stretch: Range<u64>,
}

impl Far {
    /// Strikes for numbers up to `max`.
    pub(super) fn new(max: u64) -> Self {
        let primes = Sieve::new(max.isqrt());
        Self {
            primes,
            wanted: 0..0,
            bytes: Vec::new(),
            stretch: 0..0,
        }
    }

    /// Prepares for a range that the primes of `wanted` strike.
    pub(super) fn start(&mut self, wanted: Range<u64>) {
        self.wanted = wanted;
        self.stretch = 0..0;
    }

    /// Strikes the segment that begins at byte `first` of all, within a range
    /// that ends at byte `end`.
    pub(super) fn strike(&mut self, segment: &mut [u8], first: u64, end: u64) {
        let mut rest = segment;
        let mut at = first;
        while !rest.is_empty() && at < end {
            if !self.stretch.contains(&at) {
                self.fill(at, end);
            }
            let struck = &self.bytes[(at - self.stretch.start) as usize..];
            let len = struck.len().min(rest.len());
            let (now, later) = rest.split_at_mut(len);
            now.iter_mut()
                .zip(struck)
                .for_each(|(byte, struck)| *byte &= struck);
            (rest, at) = (later, at + len as u64);
        }
    }

    /// Strikes a new stretch from byte `first` of all on.
    fn fill(&mut self, first: u64, end: u64) {
        let longest = (self.wanted.end / 4).clamp(SHORTEST, LONGEST);
        self.stretch = first..end.min(first + longest);
        self.bytes.clear();
        self.bytes.resize((self.stretch.end - first) as usize, 0xff);
        let bytes = &mut self.bytes[..];
        self.primes.segments(self.wanted.clone(), |at, segment| {
            bits::each(segment, at, |prime| strike(bytes, first * 30, prime));
        });
    }
}

/// Strikes the odd multiples of `prime` from its square on, in bytes that begin
/// at the even number `low`.
fn strike(bytes: &mut [u8], low: u64, prime: u64) {
    let rest = low % prime;
    let next = prime - rest + if rest % 2 == 1 { prime } else { 0 };
    let mut at = next.max((prime * prime).saturating_sub(low));
    while let Some(byte) = bytes.get_mut((at / 30) as usize) {
        *byte &= KEEP[(at % 30) as usize];
        at += 2 * prime;
    }
}
