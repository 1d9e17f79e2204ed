//! One segment after the other: which primes strike it how.
//!
//! A segment is made in this order:
//!
//! 1. `presieve`: tables strike the primes to 163;
//! 2. `strike`, small primes: chunk by chunk, a chunk fitting the first-level
//!    cache;
//! 3. `strike`, medium primes: over the whole segment, which lives in the
//!    second-level cache;
//! 4. `sparse`, large primes: those that turn less than half a time in a
//!    segment; or `once`, if the range ends with this segment;
//! 5. base primes that lie in the segment struck themselves and are put back.
//!
//! The segment is about as long as the largest base prime is large: shorter,
//! and primes strike sparsely; longer, and the strikes leave the cache.

use std::cell::Cell;
use std::ops::Range;

use super::base::{self, Class};
use super::strike::Window;
use super::{once, presieve, sparse, strike, wheel};

/// The most bytes of a segment: what a second-level cache holds beside the
/// margins.
const LONGEST: usize = 1 << 20;

/// Base primes and the buffer of one segment.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    classes: [Class; 8],
    buffer: Vec<u8>,
    margin: usize,
    size: usize,
    chunk: usize,
    bound: u32,
    once: bool,
}

impl Segments {
    /// Segments that base primes up to `root` strike in chunks of `chunk` bytes.
    pub(super) fn new(root: u32, chunk: usize) -> Self {
        let root_bytes = (root as usize).next_power_of_two();
        let size = root_bytes
            .min(LONGEST)
            .next_multiple_of(chunk)
            .max(2 * chunk);
        let margin = (root as usize).min(2 * size).next_multiple_of(64) + 64;
        Self {
            classes: base::classes(root),
            buffer: vec![0; margin + size + margin],
            margin,
            size,
            chunk,
            bound: 0,
            once: false,
        }
    }

    /// Bytes of a segment.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Prepares for the segments of the bytes `range` of all, which base primes
    /// up to `bound` will strike.
    pub(super) fn start(&mut self, range: Range<u64>, bound: u32) {
        let len = range.end - range.start;
        let window = len.min(self.size as u64) as u32;
        (self.bound, self.once) = (bound, len <= self.size as u64);
        for class in &mut self.classes {
            class.tiers.large = class.up_to(bound);
            class.tiers.medium = class.up_to(bound.min(2 * window));
            class.tiers.small = class.up_to(bound.min(window).min(self.chunk as u32 / 4 * 3));
            strike::place(class, 0..class.tiers.medium, range.start);
            if !self.once {
                sparse::place(class, class.tiers.medium..class.tiers.large, range.start);
            }
        }
    }

    /// Makes the segment of the `len` bytes from byte `first` of all, which
    /// follow those made before, and gives it, rounded up to whole words.
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
        if self.once {
            let window = &mut self.buffer[self.margin..][..len];
            for class in &mut self.classes {
                once::strike(class, class.tiers.medium..class.tiers.large, first, window);
            }
            return;
        }
        let buffer = Cell::from_mut(&mut self.buffer[..]).as_slice_of_cells();
        for (class, strike) in self.classes.iter_mut().zip(sparse::STRIKE) {
            let which = class.tiers.medium..class.tiers.large;
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

    /// Sets the base primes' own bits again.
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
