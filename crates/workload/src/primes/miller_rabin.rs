//! The Miller-Rabin test, made deterministic by its bases: the even control. Even numbers are
//! dismissed at once, every odd number is tested without small divisors first. A composite nearly
//! always leaves after base 2, a prime passes all bases: equal blocks are equal work within a few
//! percent, up to the step at 2^31, where products no longer fit a word and there are seven bases.
//!
//! - Below 2^31 the bases 2, 7 and 61 decide (G. Jaeschke, "On strong pseudoprimes to several
//!   bases", 1993: right below 4,759,123,141).
//! - Below 2^64 seven bases found by J. Sinclair in 2011 decide, checked against the list of all
//!   base-2 pseudoprimes below 2^64 (J. Feitsma).
//!
//! First comes Fermat's test to base 2, which every prime passes. Its steps wait for each other but
//! have no branch on the number, so four odd numbers are tested side by side.

use std::ops::Range;

use super::montgomery::{Narrow, Ring, Wide};

const LANES: usize = 4;

pub(super) fn each<V: FnMut(u64)>(range: Range<u64>, mut visit: V) {
    if range.contains(&2) {
        visit(2);
    }
    let mut first = range.start.max(3) | 1;
    while first < range.end {
        // Past the end all lanes repeat u64::MAX, which no range holds.
        let lanes: [u64; LANES] = std::array::from_fn(|lane| first.saturating_add(2 * lane as u64));
        for (n, likely) in lanes.into_iter().zip(likely(lanes)) {
            if likely && n < range.end && is_strong(n) {
                visit(n);
            }
        }
        first = first.saturating_add(2 * LANES as u64);
    }
}

pub(super) fn is_prime(n: u64) -> bool {
    if n.is_multiple_of(2) || n < 3 {
        n == 2
    } else {
        likely([n]) == [true] && is_strong(n)
    }
}

#[inline(always)]
fn likely<const N: usize>(lanes: [u64; N]) -> [bool; N] {
    if lanes[N - 1] <= Narrow::LARGEST {
        fermat(lanes.map(Narrow::new))
    } else {
        fermat(lanes.map(Wide::new))
    }
}

/// Whether `2^(n - 1)` is one: left to right, where the base is a doubling.
#[inline(always)]
fn fermat<R: Ring, const N: usize>(rings: [R; N]) -> [bool; N] {
    let mut powers = rings.each_ref().map(Ring::one);
    for bit in (0..=rings[N - 1].n().ilog2()).rev() {
        for (ring, x) in rings.iter().zip(&mut powers) {
            *x = ring.multiply(*x, *x);
            *x = ring.double_if((ring.n() - 1) >> bit & 1, *x);
        }
    }
    std::array::from_fn(|lane| rings[lane].equal(powers[lane], rings[lane].one()))
}

fn is_strong(n: u64) -> bool {
    if n <= Narrow::LARGEST {
        let ring = Narrow::new(n);
        [2, 7, 61].into_iter().all(|base| strong(&ring, base))
    } else {
        let ring = Wide::new(n);
        let bases = [2, 325, 9_375, 28_178, 450_775, 9_780_504, 1_795_265_022];
        bases.into_iter().all(|base| strong(&ring, base))
    }
}

fn strong<R: Ring>(ring: &R, base: u64) -> bool {
    let base = base % ring.n();
    if base == 0 {
        return true;
    }
    let (one, minus_one) = (ring.one(), ring.n() - ring.one());
    let twos = (ring.n() - 1).trailing_zeros();
    let mut x = power(ring, ring.enter(base), (ring.n() - 1) >> twos);
    if ring.equal(x, one) {
        return true;
    }
    for _ in 1..twos {
        if ring.equal(x, minus_one) {
            return true;
        }
        x = ring.multiply(x, x);
    }
    ring.equal(x, minus_one)
}

/// Right to left, so that the two multiplications of a bit are independent; no branch on the bit.
fn power<R: Ring>(ring: &R, base: u64, exponent: u64) -> u64 {
    let (mut power, mut square) = (ring.one(), base);
    for bit in 0..=exponent.ilog2() {
        let product = ring.multiply(power, square);
        power = if exponent >> bit & 1 == 1 {
            product
        } else {
            power
        };
        square = ring.multiply(square, square);
    }
    power
}
