//! Dense strikes: primes that turn the wheel at least about once in a window.
//!
//! The loop strikes one whole turn at a time: eight bytes at fixed offsets,
//! eight constant masks, no branch but the loop's own. To have only whole
//! turns, it begins with the turn that is under way where the window begins
//! and ends with the one that is under way where it ends. What falls outside
//! the window falls on the neighbouring window, where it strikes true multiples
//! all the same, or on the margins of the buffer, which nobody reads. That is
//! eight idle strikes per prime and window, and in return not one branch that
//! depends on where in its turn a prime is.
//!
//! The eight progressions interleave in memory, so they are eight overlapping
//! shared slices of `Cell<u8>`. All have the length of the loop's bound, which
//! lets the compiler drop every bounds check inside the loop.

use std::cell::Cell;

use super::base::{Class, divide};
use super::wheel::{RESIDUES, carries, masks};

/// Places the class's primes of `which` for a window that begins at byte
/// `first` of all.
pub(super) fn place(class: &mut Class, which: std::ops::Range<usize>, first: u64) {
    let primes = class.primes[which.clone()]
        .iter()
        .zip(&class.inverses[which.clone()]);
    for ((&p, &inverse), place) in primes.zip(&mut class.places[which]) {
        *place = divide(first, p, inverse).1;
    }
}

/// Strikes the multiples of the class's primes of `which` in the `len` bytes
/// from `at`, and places them for the window after it.
///
/// `bytes` must reach as far as the largest of the primes to both sides of the
/// window.
pub(super) fn strike<const CLASS: usize>(
    class: &mut Class,
    which: std::ops::Range<usize>,
    bytes: &[Cell<u8>],
    at: usize,
    len: usize,
) {
    let primes = &class.primes[which.clone()];
    for (&p, place) in primes.iter().zip(&mut class.places[which]) {
        let p = p as usize;
        let reach = len + *place as usize;
        let passed = turns::<CLASS>(&bytes[at - *place as usize..], p, reach);
        *place = (p + reach - passed) as u32;
    }
}

/// Strikes whole turns, the first of which begins at the first byte, until one
/// would begin at or after `reach`; returns where that is.
#[inline(always)]
fn turns<const CLASS: usize>(bytes: &[Cell<u8>], p: usize, reach: usize) -> usize {
    let masks = const { masks(CLASS) };
    let carries = const { carries(CLASS) };
    let spokes: [&[Cell<u8>]; 8] =
        std::array::from_fn(|j| &bytes[p / 30 * RESIDUES[j] as usize + carries[j]..][..reach]);
    let mut i = 0;
    while i < reach {
        for j in 0..8 {
            spokes[j][i].update(|byte| byte & masks[j]);
        }
        i += p;
    }
    i
}
