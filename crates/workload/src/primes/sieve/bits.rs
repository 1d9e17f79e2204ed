//! Reading the bits of a segment. The baseline of x86-64 has no POPCNT: the compiler turns a plain
//! sum of `count_ones` over words into a good SSE2 loop (POPCNT or wider where built for it).

use super::wheel::RESIDUES;
use crate::primes::tally::Tally;

/// Short against the distance of emitted primes, long enough to vectorise.
const STRETCH: usize = 256;

/// `bytes` are whole words.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words
        .iter()
        .map(|&word| u64::from(u64::from_le_bytes(word).count_ones()))
        .sum()
}

/// Reports all ones to `tally`; `first` is the number of the first byte; `bytes` are whole words.
pub(super) fn tell<E: FnMut(u64, u64)>(bytes: &[u8], first: u64, tally: &mut Tally<E>) {
    for (i, stretch) in bytes.chunks(STRETCH).enumerate() {
        if !tally.skip(count(stretch)) {
            tell_words(stretch, first + (i * STRETCH) as u64, tally);
        }
    }
}

fn tell_words<E: FnMut(u64, u64)>(bytes: &[u8], first: u64, tally: &mut Tally<E>) {
    for (i, &word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(word);
        if !tally.skip(u64::from(word.count_ones())) {
            each_bit(word, first + 8 * i as u64, |prime| tally.prime(prime));
        }
    }
}

pub(super) fn each<V: FnMut(u64)>(bytes: &[u8], first: u64, mut visit: V) {
    for (i, &word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        each_bit(u64::from_le_bytes(word), first + 8 * i as u64, &mut visit);
    }
}

fn each_bit<V: FnMut(u64)>(mut word: u64, first: u64, mut visit: V) {
    while word != 0 {
        visit(number(first, word.trailing_zeros()));
        word &= word - 1;
    }
}

pub(super) fn retain<K: Fn(u64) -> bool>(bytes: &mut [u8], first: u64, keep: K) {
    for (i, byte) in (first..).zip(bytes) {
        for bit in 0..8 {
            if *byte >> bit & 1 == 1 && !keep(number(i, bit)) {
                *byte &= !(1 << bit);
            }
        }
    }
}

fn number(first: u64, bit: u32) -> u64 {
    let residue = RESIDUES[(bit % 8) as usize];
    30 * (first + u64::from(bit / 8)) + u64::from(residue)
}
