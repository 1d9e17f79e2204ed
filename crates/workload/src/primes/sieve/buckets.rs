//! Large primes, each in the bucket of the segment that it strikes next: one as large as a segment
//! misses most of them. When a bucket's turn comes, each prime in it strikes once and moves to a
//! later one: a strike costs about 2 ns, however many and large the primes are.
//! ```text
//!  segment    now        + 1        + 2             a ring as long as the longest step
//!            [p q r]    [s]        [t u]
//!             │ └──────────▲          ▲
//!             └───────────────────────┘              struck, stepped on
//! ```
//! Large primes turn a wheel of 210: the tables of `presieve` strike the multiples of 7, which
//! leaves 48 strikes in 210 multiples, not 56. Buckets are lists of chunks in one vector: 8 bytes
//! for each prime with a strike ahead.
//!
//! Sources: T. Oliveira e Silva, "Fast implementation of the segmented sieve of Eratosthenes"
//! (2001); primesieve (K. Walisch) has its wheel of 210.

use super::wheel::{self, SPOKES};

const PLACE_BITS: u32 = 20;

pub(super) const SEGMENT: usize = 1 << PLACE_BITS;

const PLACE: u64 = SEGMENT as u64 - 1;

/// Of an entry: its thirtieth.
const HIGH: u64 = !(u32::MAX as u64);

/// The first entry links to the previous chunk.
const CHUNK: usize = 1024;

const FIRST: u64 = u64::MAX;

/// Longest way to a prime's next strike, in its thirtieths: eleven to the first one.
const LONGEST_WAY: u64 = 11;

#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    /// Chunks of entries: place in the segment (20 bits), spoke (12), a thirtieth of the prime.
    entries: Vec<u64>,
    free: Vec<u32>,
    /// Place of each bucket's next entry, never behind a chunk's end.
    ring: Vec<u32>,
    now: u64,
    /// Bytes from the current segment to the end of the range.
    bytes: u64,
}

impl Buckets {
    pub(super) fn start(&mut self, bytes: u64, largest: u64) {
        let longest = (largest / 30 + 1) * LONGEST_WAY;
        let segments = longest.min(bytes) / SEGMENT as u64 + 2;
        (self.now, self.bytes) = (0, bytes);
        self.entries.clear();
        self.free.clear();
        self.ring.clear();
        for _ in 0..segments.next_power_of_two() {
            let empty = self.chunk(FIRST);
            self.ring.push(empty);
        }
    }

    pub(super) fn left(&self) -> u64 {
        self.bytes
    }

    /// `low` is where the segments begin, a multiple of 30.
    #[inline(always)]
    pub(super) fn place(&mut self, prime: u64, low: u64) {
        // The prime itself is not struck: its first multiple is twice it.
        let multiple = low.div_ceil(prime).max(2);
        let (ahead, spoke) = wheel::spoke_at(multiple, prime);
        // The struck number may exceed 2^64; the way to it never does.
        let way = (multiple + ahead).wrapping_mul(prime).wrapping_sub(low);
        self.put(way / 30, u64::from(spoke) << PLACE_BITS, prime / 30);
    }

    /// `at` is counted in bytes from the current segment.
    #[inline(always)]
    fn put(&mut self, at: u64, spoke: u64, thirtieth: u64) {
        if at >= self.bytes {
            return;
        }
        let bucket = ((at >> PLACE_BITS) + self.now) as usize & (self.ring.len() - 1);
        let to = self.ring[bucket] as usize;
        self.entries[to] = at & PLACE | spoke | thirtieth << 32;
        self.ring[bucket] = to as u32 + 1;
        if (to + 1).is_multiple_of(CHUNK) {
            self.lengthen(bucket);
        }
    }

    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, bucket: usize) {
        self.ring[bucket] = self.chunk(self.ring[bucket].into());
    }

    #[cold]
    #[inline(never)]
    fn chunk(&mut self, before: u64) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            let at = self.entries.len();
            self.entries.resize(at + CHUNK, 0);
            at as u32
        });
        self.entries[at as usize] = before;
        at + 1
    }

    pub(super) fn strike(&mut self, segment: &mut [u8]) {
        let now = (self.now & (self.ring.len() as u64 - 1)) as usize;
        loop {
            // Primes that strike this segment a second time come to a new list.
            let end = self.ring[now] as usize;
            if end % CHUNK == 1 && self.entries[end - 1] == FIRST {
                break;
            }
            self.ring[now] = self.chunk(FIRST);
            self.strike_list(segment, end);
        }
        self.now += 1;
        self.bytes = self.bytes.saturating_sub(SEGMENT as u64);
    }

    fn strike_list(&mut self, segment: &mut [u8], mut end: usize) {
        loop {
            let begin = (end - 1) / CHUNK * CHUNK;
            let mut at = begin + 1;
            while let Some(full) = self.strike_some(segment, &mut at, end) {
                self.lengthen(full);
            }
            let before = self.entries[begin];
            self.free.push(begin as u32);
            if before == FIRST {
                return;
            }
            end = before as usize;
        }
    }

    /// Stops where a bucket is full, and returns that one; all that it needs is in registers.
    fn strike_some(&mut self, segment: &mut [u8], next: &mut usize, end: usize) -> Option<usize> {
        let (entries, ring) = (&mut self.entries[..], &mut self.ring[..]);
        let (now, bytes, mask) = (self.now as usize, self.bytes, ring.len() - 1);
        for i in *next..end {
            let entry = entries[i];
            let low = entry as u32;
            let place = u64::from(low) & PLACE;
            let spoke = &SPOKES[(low >> PLACE_BITS) as usize];
            if let Some(byte) = segment.get_mut(place as usize) {
                *byte &= spoke.keep;
            }
            let thirtieth = entry >> 32;
            let at = place + thirtieth * u64::from(spoke.factor) + u64::from(spoke.carry);
            if at >= bytes {
                continue;
            }
            let bucket = ((at >> PLACE_BITS) as usize + now) & mask;
            let to = ring[bucket] as usize;
            entries[to] = entry & HIGH | at & PLACE | u64::from(spoke.next) << PLACE_BITS;
            ring[bucket] = to as u32 + 1;
            if (to + 1).is_multiple_of(CHUNK) {
                *next = i + 1;
                return Some(bucket);
            }
        }
        None
    }
}
