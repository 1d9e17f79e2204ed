//! The segmented sieve of Eratosthenes on a wheel of 30.
//!
//! One worker holds one [`Sieve`]: base primes up to the root of the highest
//! number, and a buffer of one segment. Any number of ranges can be asked of
//! it; nothing is allocated and no base prime is sought again.
//!
//! A segment is made in this order:
//!
//! 1. `presieve`: tables strike the primes to 163;
//! 2. `strike`, the small primes: one first-level-cache-sized chunk at a time;
//! 3. `strike`, the medium primes: over the whole segment, which lives in the
//!    second-level cache;
//! 4. `sparse`: the primes that turn less than once in a segment;
//! 5. base primes that lie in the segment struck themselves and are put back;
//! 6. bits outside the range are cleared.
//!
//! Sources: the segmented sieve with a wheel is folklore (Pritchard 1983, Bays
//! and Hudson 1977); that pre-sieve tables and one loop per class of prime pay
//! is the experience of primesieve (K. Walisch), whose speed is the bar for
//! this one. Whole turns with margins instead of a branch per strike are ours.

mod base;
mod bits;
mod presieve;
mod sparse;
mod strike;
mod wheel;

use std::cell::Cell;
use std::ops::Range;

use super::miller_rabin;
use super::tally::Tally;
use base::Class;

/// Bytes that the small primes strike at a time: fits a first-level cache.
const CHUNK: usize = 32 << 10;
/// Bytes of a segment: fits a second-level cache beside the margins.
const SEGMENT: usize = 4 * CHUNK;
/// The largest prime that strikes chunk by chunk.
const SMALL: usize = 8 << 10;

/// The largest base prime that strikes. Beyond its square, what is left is
/// tested one by one.
const LARGEST: u32 = 1 << 20;

/// The state of one worker.
#[derive(Clone, Debug)]
pub(super) struct Sieve {
    classes: [Class; 8],
    max: u64,
    buffer: Vec<u8>,
    margin: usize,
}

/// How far into each class's primes the tiers of one call reach.
#[derive(Clone, Copy, Default)]
struct Tiers {
    small: usize,
    medium: usize,
    large: usize,
}

impl Sieve {
    /// A worker for numbers up to `max`.
    pub(super) fn new(max: u64) -> Self {
        let root = max.isqrt().min(u64::from(LARGEST)) as u32;
        let margin = (root as usize).min(SEGMENT).next_multiple_of(64) + 64;
        Self {
            classes: base::classes(root),
            max,
            buffer: vec![0; margin + SEGMENT + margin],
            margin,
        }
    }

    /// How many primes `range` holds.
    pub(super) fn count(&mut self, range: Range<u64>) -> u64 {
        let mut count = unseen(&range).count() as u64;
        self.segments(range, |_, bytes| count += bits::count(bytes));
        count
    }

    /// Tells `tally` of each prime of `range`, in ascending order.
    pub(super) fn search<E: FnMut(u64, u64)>(&mut self, range: Range<u64>, tally: &mut Tally<E>) {
        unseen(&range).for_each(|prime| tally.prime(prime));
        self.segments(range, |first, bytes| bits::tell(bytes, first, tally));
    }

    /// Calls `visit` with each segment of `range` in order: its first byte's
    /// place among all bytes, and its bytes, in which exactly the primes of
    /// the range above 5 are set. The bytes are whole words.
    fn segments<V: FnMut(u64, &[u8])>(&mut self, range: Range<u64>, mut visit: V) {
        if range.is_empty() {
            return;
        }
        if range.end - 1 > self.max {
            *self = Self::new(range.end - 1);
        }
        let (first, last) = (range.start / 30, (range.end - 1) / 30);
        let root = (range.end - 1).isqrt() as u32;
        let tiers = self.start(first, last, root);
        let mut at = first;
        while at <= last {
            let len = (last - at + 1).min(SEGMENT as u64) as usize;
            self.segment(at, len, &tiers);
            self.put_back(at, len);
            self.trim(at, len, &range);
            if root > LARGEST {
                self.test(at, len);
            }
            visit(at, &self.buffer[self.margin..][..len.next_multiple_of(8)]);
            at += len as u64;
        }
    }

    /// Chooses the tiers of a call and places the primes at its first byte.
    fn start(&mut self, first: u64, last: u64, root: u32) -> [Tiers; 8] {
        let window = (last - first + 1).min(SEGMENT as u64) as u32;
        let mut all = [Tiers::default(); 8];
        for (tiers, class) in all.iter_mut().zip(&mut self.classes) {
            tiers.large = class.up_to(root);
            tiers.medium = class.up_to(root.min(window));
            tiers.small = class.up_to(root.min(window).min(SMALL as u32));
            strike::place(class, 0..tiers.medium, first);
            sparse::place(class, tiers.medium..tiers.large, first);
        }
        all
    }

    /// Strikes all multiples in the `len` bytes from byte `at` of all.
    fn segment(&mut self, at: u64, len: usize, tiers: &[Tiers; 8]) {
        presieve::fill(&mut self.buffer[self.margin..][..len], at);
        let bytes = Cell::from_mut(&mut self.buffer[..]).as_slice_of_cells();
        let window = &bytes[self.margin..][..len];
        for chunk in (0..len).step_by(CHUNK) {
            let (at, len) = (self.margin + chunk, CHUNK.min(len - chunk));
            let small = tiers.map(|t| 0..t.small);
            each_class(&mut self.classes, small, &Dense { bytes, at, len });
        }
        let medium = tiers.map(|t| t.small..t.medium);
        each_class(
            &mut self.classes,
            medium,
            &Dense {
                bytes,
                at: self.margin,
                len,
            },
        );
        let large = tiers.map(|t| t.medium..t.large);
        each_class(&mut self.classes, large, &Sparse { window });
    }

    /// Sets the base primes' own bits again.
    fn put_back(&mut self, at: u64, len: usize) {
        let end = at + len as u64;
        if at * 30 > u64::from(LARGEST) {
            return;
        }
        let stored = self.classes.iter().flat_map(|class| &class.primes);
        for &p in presieve::PRIMES.iter().chain(stored) {
            if (at..end).contains(&u64::from(p / 30)) {
                let byte = self.margin + (u64::from(p / 30) - at) as usize;
                self.buffer[byte] |= 1 << wheel::bit(p as usize % 30);
            }
        }
    }

    /// Clears the number one and the bits outside the range, to whole words.
    fn trim(&mut self, at: u64, len: usize, range: &Range<u64>) {
        let window = &mut self.buffer[self.margin..][..len.next_multiple_of(8)];
        window[len..].fill(0);
        if at == 0 {
            window[0] &= wheel::from_residue(2);
        }
        if at == range.start / 30 {
            window[0] &= wheel::from_residue(range.start % 30);
        }
        if range.end / 30 < at + len as u64 {
            window[len - 1] &= !wheel::from_residue(range.end % 30);
        }
    }

    /// Clears the composites that no base prime struck.
    fn test(&mut self, at: u64, len: usize) {
        for (i, byte) in self.buffer[self.margin..][..len].iter_mut().enumerate() {
            for bit in 0..8 {
                if *byte >> bit & 1 == 1
                    && !miller_rabin::is_prime(bits::number(at + i as u64, bit))
                {
                    *byte &= !(1 << bit);
                }
            }
        }
    }
}

/// The primes of the range that the wheel leaves out.
fn unseen(range: &Range<u64>) -> impl Iterator<Item = u64> {
    [2, 3, 5].into_iter().filter(|prime| range.contains(prime))
}

/// Strikes of some primes of a class, with the class known at compile time.
trait Strike {
    fn strike<const CLASS: usize>(&self, class: &mut Class, which: Range<usize>);
}

struct Dense<'a> {
    bytes: &'a [Cell<u8>],
    at: usize,
    len: usize,
}

impl Strike for Dense<'_> {
    fn strike<const CLASS: usize>(&self, class: &mut Class, which: Range<usize>) {
        strike::strike::<CLASS>(class, which, self.bytes, self.at, self.len);
    }
}

struct Sparse<'a> {
    window: &'a [Cell<u8>],
}

impl Strike for Sparse<'_> {
    fn strike<const CLASS: usize>(&self, class: &mut Class, which: Range<usize>) {
        sparse::strike::<CLASS>(class, which, self.window);
    }
}

fn each_class<S: Strike>(classes: &mut [Class; 8], which: [Range<usize>; 8], strike: &S) {
    let [c1, c7, c11, c13, c17, c19, c23, c29] = classes;
    let [w1, w7, w11, w13, w17, w19, w23, w29] = which;
    strike.strike::<1>(c1, w1);
    strike.strike::<7>(c7, w7);
    strike.strike::<11>(c11, w11);
    strike.strike::<13>(c13, w13);
    strike.strike::<17>(c17, w17);
    strike.strike::<19>(c19, w19);
    strike.strike::<23>(c23, w23);
    strike.strike::<29>(c29, w29);
}
