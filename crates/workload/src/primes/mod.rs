//! Searching a range of numbers for primes, in three ways that cost differently.
//!
//! | method | cost of a number | what it is for |
//! |---|---|---|
//! | [`Method::Trial`] | grows with the root of the number | the default work: plain, CPU-bound and *uneven* |
//! | [`Method::MillerRabin`] | flat | the even control: CPU-bound, no memory |
//! | [`Method::Sieve`] | a thousandth of the others | the fastest way known, bound by the caches |
//!
//! All give the same [`Proof`]: the number of primes in a range, and a wrapping sum of a mix of each emitted prime and its
//! ordinal, the same in any order. Ranges are half-open (3 divides `u64::MAX`).

mod method;
mod miller_rabin;
mod montgomery;
mod sieve;
mod tally;
#[cfg(test)]
mod tests;
mod trial;

use std::ops::Range;

use flow::Proof;

pub use method::Method;
use sieve::{Sieve, Tuning};
use tally::Tally;

/// One worker's state.
#[derive(Clone, Debug)]
pub struct Searcher {
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Trial,
    MillerRabin,
    Sieve(Box<Sieve>),
}

impl Searcher {
    /// A worker that searches by `method` up to `max`, for which the sieve finds its base primes here.
    #[must_use]
    pub fn new(method: Method, max: u64) -> Self {
        let state = match method {
            Method::Trial => State::Trial,
            Method::MillerRabin => State::MillerRabin,
            Method::Sieve => State::Sieve(Box::new(Sieve::new(max))),
        };
        Self { state }
    }

    /// A sieve whose small primes strike `chunk` bytes at a time: [`Searcher::new`] takes 32 KiB, a first-level cache.
    #[must_use]
    pub fn sieve_with_chunk(max: u64, chunk: usize) -> Self {
        let chunk = chunk.clamp(1 << 10, 1 << 20).next_multiple_of(64);
        let tuning = Tuning {
            chunk,
            ..Tuning::default()
        };
        Self {
            state: State::Sieve(Box::new(Sieve::with(max, tuning))),
        }
    }

    /// Number of primes in `range`.
    pub fn count(&mut self, range: Range<u64>) -> u64 {
        let mut count = 0;
        match &mut self.state {
            State::Trial => trial::each(range, |_| count += 1),
            State::MillerRabin => miller_rabin::each(range, |_| count += 1),
            State::Sieve(sieve) => count = sieve.count(range),
        }
        count
    }

    /// Finds the primes of `range` in order, and calls `emit(ordinal, prime)` for each `every`-th.
    pub fn search<E: FnMut(u64, u64)>(&mut self, range: Range<u64>, every: u64, emit: E) -> Proof {
        self.search_on(range, 0, every, emit)
    }

    /// [`Searcher::search`] in a range after `before` primes: ordinals count on.
    pub fn search_on<E: FnMut(u64, u64)>(
        &mut self,
        range: Range<u64>,
        before: u64,
        every: u64,
        emit: E,
    ) -> Proof {
        let mut tally = Tally::after(before, every, emit);
        match &mut self.state {
            State::Trial => trial::each(range, |prime| tally.prime(prime)),
            State::MillerRabin => miller_rabin::each(range, |prime| tally.prime(prime)),
            State::Sieve(sieve) => sieve.search(range, &mut tally),
        }
        let mut found = tally.found();
        found.count -= before;
        found
    }
}
