//! Dense strikes: primes that turn the wheel at least about once in a window. The loop strikes one
//! whole turn at a time: eight bytes at fixed offsets, eight constant masks, no branch but the
//! loop's own. What falls outside the window strikes true multiples in the neighbouring one, or the
//! margins of the buffer, which nobody reads.
//!
//! The eight progressions interleave in memory, so they are eight overlapping shared slices of
//! `Cell<u8>`, as long as the loop's bound: the compiler drops every bounds check inside the loop.
//! The place of a prime is the number of bytes since its turn began, at most `p` (a turn that ends
//! right where the window begins does no harm).

use std::cell::Cell;
use std::ops::Range;

use super::base::{Class, remainder};
use super::wheel::{RESIDUES, carries, masks};

/// The buffer reaches as far to both sides of it as the largest prime that strikes.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) buffer: &'a [Cell<u8>],
    pub(super) at: usize,
    pub(super) len: usize,
}

pub(super) type Strike = fn(&mut Class, Range<usize>, Window<'_>);

/// For each class: strikes a range of its primes in a window and places them for the next.
pub(super) const STRIKE: [Strike; 8] = [
    strike::<1>,
    strike::<7>,
    strike::<11>,
    strike::<13>,
    strike::<17>,
    strike::<19>,
    strike::<23>,
    strike::<29>,
];

pub(super) fn place(class: &mut Class, which: Range<usize>, first: u64) {
    let primes = class.primes[which.clone()]
        .iter()
        .zip(&class.inverses[which.clone()]);
    for ((&p, &inverse), place) in primes.zip(&mut class.places[which]) {
        *place = remainder(first, p, inverse);
    }
}

fn strike<const CLASS: usize>(class: &mut Class, which: Range<usize>, window: Window<'_>) {
    let primes = &class.primes[which.clone()];
    for (&p, place) in primes.iter().zip(&mut class.places[which]) {
        let (p, since) = (p as usize, *place as usize);
        let reach = window.len + since;
        let passed = turns::<CLASS>(&window.buffer[window.at - since..], p, reach);
        *place = (p + reach - passed) as u32;
    }
}

/// Strikes whole turns until one would begin at or after `reach`; returns its beginning.
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
