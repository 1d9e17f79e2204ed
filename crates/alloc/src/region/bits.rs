//! A bit for each slice of a region.

use std::cell::Cell;

use super::SLICES;

#[derive(Debug)]
pub(crate) struct Bits([Cell<u64>; SLICES / 64]);

fn masks(first: usize, slices: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = first + slices;
    (first / 64..end.div_ceil(64)).map(move |word| {
        let from = first.max(word * 64) - word * 64;
        let to = end.min(word * 64 + 64) - word * 64;
        (word, (u64::MAX >> (64 - (to - from))) << from)
    })
}

impl Bits {
    pub(crate) fn set(&self, first: usize, slices: usize, to: bool) {
        for (word, mask) in masks(first, slices) {
            let bits = self.0[word].get();
            self.0[word].set(if to { bits | mask } else { bits & !mask });
        }
    }

    pub(crate) fn has_all(&self, first: usize, slices: usize) -> bool {
        masks(first, slices).all(|(word, mask)| self.0[word].get() & mask == mask)
    }

    pub(crate) fn has(&self, slice: usize) -> bool {
        self.0[slice / 64].get() & (1 << (slice % 64)) != 0
    }

    pub(crate) fn and_not(&self, others: &Self, but: &Self) -> Self {
        let word = |at: usize| self.0[at].get() & others.0[at].get() & !but.0[at].get();
        Self(std::array::from_fn(|at| Cell::new(word(at))))
    }

    pub(crate) fn copy_from(&self, other: &Self) {
        for (own, other) in self.0.iter().zip(&other.0) {
            own.set(other.get());
        }
    }

    fn next(&self, from: usize, is_set: bool) -> Option<usize> {
        let flip = if is_set { 0 } else { u64::MAX };
        let mut word = from / 64;
        let mut bits = (self.0.get(word)?.get() ^ flip) & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = self.0.get(word)?.get() ^ flip;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The first run of set bits that begins at `from` or after it: its first slice, and how many.
    pub(crate) fn run(&self, from: usize) -> Option<(usize, usize)> {
        let first = self.next(from, true)?;
        let end = self.next(first, false).unwrap_or(SLICES);
        Some((first, end - first))
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let (first, slices) = self.run(from)?;
            from = first + slices;
            Some((first, slices))
        })
    }
}
