//! Sparse strikes: primes so large that a turn is longer than the window.
//!
//! Here most of the eight spokes of a turn miss the window, so each prime
//! remembers its next strike (bytes from the start of the window, and which
//! spoke it is) and is stepped one spoke at a time.

use std::cell::Cell;
use std::ops::Range;

use super::base::{Class, divide};
use super::wheel::{RESIDUES, carries, masks};

/// For each `m mod 30`: how far it is to the next number of the wheel.
const AHEAD: [u8; 30] = {
    let mut ahead = [0; 30];
    let mut m = 0;
    let mut spoke = 0;
    while m < 30 {
        ahead[m] = RESIDUES[spoke] - m as u8;
        if m == RESIDUES[spoke] as usize {
            spoke += 1;
        }
        m += 1;
    }
    ahead
};

/// For each `m mod 30`: the spoke of the next number of the wheel.
const SPOKE: [u8; 30] = {
    let mut spokes = [0; 30];
    let mut m = 0;
    let mut spoke = 0;
    while m < 30 {
        spokes[m] = spoke;
        if m == RESIDUES[spoke as usize] as usize {
            spoke += 1;
        }
        m += 1;
    }
    spokes
};

/// Places the class's primes of `which` for a window that begins at byte
/// `first` of all.
pub(super) fn place(class: &mut Class, which: Range<usize>, first: u64) {
    let low = first * 30;
    let primes = class.primes[which.clone()]
        .iter()
        .zip(&class.inverses[which.clone()]);
    let next = class.places[which.clone()]
        .iter_mut()
        .zip(&mut class.spokes[which]);
    for ((&p, &inverse), (place, spoke)) in primes.zip(next) {
        let (quotient, rest) = divide(low, p, inverse);
        let (multiple, distance) = if rest == 0 {
            (quotient, 0)
        } else {
            (quotient + 1, u64::from(p - rest))
        };
        let turn = (multiple % 30) as usize;
        let distance = distance + u64::from(AHEAD[turn]) * u64::from(p);
        *place = (distance / 30) as u32;
        *spoke = SPOKE[turn];
    }
}

/// Strikes the multiples of the class's primes of `which` in the window, which
/// is all of `bytes`, and places them for the window after it.
pub(super) fn strike<const CLASS: usize>(
    class: &mut Class,
    which: Range<usize>,
    bytes: &[Cell<u8>],
) {
    let primes = &class.primes[which.clone()];
    let next = class.places[which.clone()]
        .iter_mut()
        .zip(&mut class.spokes[which]);
    for (&p, (place, spoke)) in primes.iter().zip(next) {
        let mut at = *place as usize;
        while let Some(byte) = bytes.get(at) {
            let j = usize::from(*spoke % 8);
            byte.update(|byte| byte & const { masks(CLASS) }[j]);
            at += step::<CLASS>(p as usize / 30, j);
            *spoke = (*spoke + 1) % 8;
        }
        *place = (at - bytes.len()) as u32;
    }
}

/// Bytes from spoke `j` to the one after it.
#[inline(always)]
fn step<const CLASS: usize>(q: usize, j: usize) -> usize {
    let carries = const { carries(CLASS) };
    let turn = if j == 7 { 30 * q + CLASS } else { 0 };
    let offset = |j: usize| q * RESIDUES[j] as usize + carries[j];
    turn + offset((j + 1) % 8) - offset(j)
}
