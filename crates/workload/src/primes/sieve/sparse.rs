//! Sparse strikes, one by one: primes whose turn is longer than the window.
//!
//! Here most of the eight spokes of a turn miss the window, so each prime
//! remembers its next strike: how many bytes it is away from the start of the
//! window (its place) and which spoke it is (its extra).

use std::ops::Range;

use super::base::{Class, remainder};
use super::strike::{Strike, Window};
use super::wheel::{masks, offset, steps};

/// For each class: strikes the multiples of the primes of a range in a window,
/// and places the primes for the window after it.
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

/// Places the class's primes of `which` for a window that begins at byte
/// `first` of all.
pub(super) fn place(class: &mut Class, which: Range<usize>, first: u64) {
    for i in which {
        let (p, inverse) = (class.primes[i], class.inverses[i]);
        // Bytes since the turn began; the next spoke at or after them.
        let since = remainder(first, p, inverse) as usize;
        let offsets = (0..8).map(|j| offset(p as usize, j));
        let spoke = offsets.take_while(|&offset| offset < since).count();
        class.places[i] = (offset(p as usize, spoke) - since) as u32;
        class.extras[i] = spoke as u32 % 8;
    }
}

fn strike<const CLASS: usize>(class: &mut Class, which: Range<usize>, window: Window<'_>) {
    let bytes = &window.buffer[window.at..][..window.len];
    let primes = &class.primes[which.clone()];
    let next = class.places[which.clone()]
        .iter_mut()
        .zip(&mut class.extras[which]);
    for (&p, (place, spoke)) in primes.iter().zip(next) {
        let mut at = *place as usize;
        while let Some(byte) = bytes.get(at) {
            let j = (*spoke % 8) as usize;
            byte.update(|byte| byte & const { masks(CLASS) }[j]);
            let (factor, carry) = const { steps(CLASS) }[j];
            at += p as usize / 30 * factor + carry;
            *spoke = (*spoke + 1) % 8;
        }
        *place = (at - bytes.len()) as u32;
    }
}
