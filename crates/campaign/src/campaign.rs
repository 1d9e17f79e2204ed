use std::path::PathBuf;
use std::time::Instant;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

pub(crate) struct Campaign {
    pub(crate) until: Instant,
    pub(crate) random: ChaCha8Rng,
    pub(crate) runs: u64,
    pub(crate) trials: Option<PathBuf>,
    /// Part of the names of the rows that are tried.
    pub(crate) row: String,
}

impl Campaign {
    pub(crate) fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end.max(1) as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for place in (1..all.len()).rev() {
            all.swap(place, self.below(place + 1));
        }
    }

    pub(crate) fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let place = self.below(all.len());
        &all[place]
    }
}
