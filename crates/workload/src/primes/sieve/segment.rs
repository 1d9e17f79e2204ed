//! One segment after the other: which primes strike it how, in this order.
//!
//! 1. `presieve`: tables strike the primes to 163;
//! 2. `strike`, small primes: chunk by chunk, a chunk fitting the first-level cache;
//! 3. `strike`, medium primes: over the whole segment, which lives in the second-level cache;
//! 4. `large`, the others: from buckets; or `once`, stored ones if the range ends here;
//! 5. base primes in the segment that struck themselves are put back.
//!
//! The segment is about as long as the largest base prime is large: shorter, and primes strike
//! sparsely; longer, and the strikes leave the second-level cache. (Measured at 10^12 and 10^14: a
//! quarter to all of it are within 3 %.)

use std::cell::Cell;
use std::ops::Range;

use super::base::{self, Class};
use super::buckets::SEGMENT;
use super::large::Large;
use super::strike::Window;
use super::{Tuning, once, presieve, strike, wheel};

/// The largest prime that strikes densely in the longest segment.
const DENSE: u32 = SEGMENT as u32 / 2;

#[derive(Clone, Debug)]
pub(super) struct Segments {
    classes: [Class; 8],
    large: Large,
    buffer: Vec<u8>,
    margin: usize,
    size: usize,
    chunk: usize,
    bound: u32,
    once: bool,
}

impl Segments {
    pub(super) fn new(root: u64, tuning: Tuning) -> Self {
        let stored = root.min(u64::from(tuning.stored)) as u32;
        let chunk = tuning.chunk.min(SEGMENT / 2);
        let size = match root <= u64::from(stored.min(DENSE)) {
            true => (stored as usize).max(2 * chunk).next_power_of_two(),
            false => SEGMENT,
        };
        let margin = (stored as usize).min(2 * size).next_multiple_of(64) + 64;
        Self {
            classes: base::classes(stored),
            large: Large::new(tuning.at_once),
            buffer: vec![0; margin + size + margin],
            margin,
            size,
            chunk,
            bound: 0,
            once: false,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// `bound`: stored primes up to it will strike, and those of `found`.
    pub(super) fn start(&mut self, range: Range<u64>, bound: u32, found: Range<u64>) {
        let len = range.end - range.start;
        self.large.start(range.end, found);
        let window = len.min(self.size as u64) as u32;
        (self.bound, self.once) = (bound, len <= self.size as u64);
        let dense = if self.once { 2 * window } else { DENSE };
        for class in &mut self.classes {
            class.tiers.large = class.up_to(bound);
            class.tiers.medium = class.up_to(bound.min(dense));
            class.tiers.small = class.up_to(bound.min(window).min(self.chunk as u32 / 4 * 3));
            strike::place(class, 0..class.tiers.medium, range.start);
        }
    }

    /// `len` bytes from byte `first`, rounded up to whole words.
    pub(super) fn make(&mut self, first: u64, len: usize) -> &mut [u8] {
        presieve::fill(&mut self.buffer[self.margin..][..len], first);
        self.strike_dense(len);
        self.strike_large(first, len);
        if first * 30 <= u64::from(self.bound.max(presieve::LARGEST)) {
            self.put_back(first, len);
        }
        &mut self.buffer[self.margin..][..len.next_multiple_of(8)]
    }

    fn strike_dense(&mut self, len: usize) {
        let buffer = Cell::from_mut(&mut self.buffer[..]).as_slice_of_cells();
        for start in (0..len).step_by(self.chunk) {
            let (at, len) = (self.margin + start, self.chunk.min(len - start));
            for (class, strike) in self.classes.iter_mut().zip(strike::STRIKE) {
                strike(class, 0..class.tiers.small, Window { buffer, at, len });
            }
        }
        for (class, strike) in self.classes.iter_mut().zip(strike::STRIKE) {
            let which = class.tiers.small..class.tiers.medium;
            strike(
                class,
                which,
                Window {
                    buffer,
                    at: self.margin,
                    len,
                },
            );
        }
    }

    fn strike_large(&mut self, first: u64, len: usize) {
        let window = &mut self.buffer[self.margin..][..len];
        if self.once {
            for class in &mut self.classes {
                once::strike(class, class.tiers.medium..class.tiers.large, first, window);
            }
        }
        let from_buckets = if self.once { &[] } else { &self.classes[..] };
        let stored = from_buckets.iter().flat_map(Class::large).copied();
        self.large.strike(window, first, stored);
    }

    fn put_back(&mut self, first: u64, len: usize) {
        let window = &mut self.buffer[self.margin..][..len];
        let stored = self.classes.iter().flat_map(|class| &class.primes);
        for &p in presieve::PRIMES.iter().chain(stored) {
            let place = u64::from(p / 30).checked_sub(first);
            if let Some(byte) = place.and_then(|i| window.get_mut(i as usize)) {
                *byte |= 1 << wheel::bit(p as usize % 30);
            }
        }
    }
}
