//! Strikes in a window that nothing follows: the path of small blocks, whose cost is to find out
//! which of thousands of base primes strike at all. A first loop without mispredicted branches
//! places each prime at its first odd multiple and keeps those in the window; a second strikes each
//! odd multiple with a mask that may keep everything: cheaper than a branch.

use std::ops::Range;

use super::base::{Class, remainder};
use super::wheel::KEEP;

pub(super) fn strike(class: &mut Class, which: Range<usize>, first: u64, window: &mut [u8]) {
    let end = window.len() as u32 * 30;
    let hits = place(class, which, first * 30, end);
    for (&distance, &step) in class.places[..hits].iter().zip(&class.extras[..hits]) {
        strike_odd(window, distance, step);
    }
}

/// Lists primes with an odd multiple in (`low`, `low + end`): its distance, and twice the prime.
fn place(class: &mut Class, which: Range<usize>, low: u64, end: u32) -> usize {
    let mut hits = 0;
    for i in which {
        let (p, inverse) = (class.primes[i], class.inverses[i]);
        let rest = remainder(low, p, inverse);
        // p - rest to the next multiple; that is odd as is p if rest is even.
        let distance = p - rest + if rest % 2 == 1 { p } else { 0 };
        class.places[hits] = distance;
        class.extras[hits] = 2 * p;
        hits += usize::from(distance < end);
    }
    hits
}

#[inline(always)]
fn strike_odd(window: &mut [u8], distance: u32, step: u32) {
    let mut at = distance;
    while let Some(byte) = window.get_mut((at / 30) as usize) {
        *byte &= KEEP[(at % 30) as usize];
        at += step;
    }
}
