//! The base primes: those that strike, up to the root of the highest number, found once per worker
//! by a plain odd-only sieve (about 0.1 ms for numbers to 2 * 10^9). They are kept by class modulo
//! 30, which alone decides the masks of the strikes, each with `2^64 / p`: "where am I in this
//! prime's turn" costs a multiplication.

use super::presieve;
use super::wheel::RESIDUES;

#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) primes: Vec<u32>,
    pub(super) inverses: Vec<u64>,
    /// The state of the current call for each prime; its meaning depends on the way to strike.
    pub(super) places: Vec<u32>,
    pub(super) extras: Vec<u32>,
    pub(super) tiers: Tiers,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tiers {
    pub(super) small: usize,
    pub(super) medium: usize,
    /// Struck one by one: in the only segment of a range, or from buckets.
    pub(super) large: usize,
}

impl Class {
    fn push(&mut self, prime: u32) {
        self.primes.push(prime);
        // p is odd, so floor((2^64 - 1) / p) is floor(2^64 / p).
        self.inverses.push(u64::MAX / u64::from(prime));
        self.places.push(0);
        self.extras.push(0);
    }

    pub(super) fn large(&self) -> &[u32] {
        &self.primes[self.tiers.medium..self.tiers.large]
    }

    pub(super) fn up_to(&self, bound: u32) -> usize {
        self.primes.partition_point(|&p| p <= bound)
    }
}

pub(super) fn classes(limit: u32) -> [Class; 8] {
    let mut classes: [Class; 8] = Default::default();
    for prime in odd_primes(limit).filter(|&p| p > presieve::LARGEST) {
        let class = RESIDUES.partition_point(|&residue| u32::from(residue) < prime % 30);
        classes[class].push(prime);
    }
    classes
}

/// Index `i` of this sieve stands for `2i + 1`.
fn odd_primes(limit: u32) -> impl Iterator<Item = u32> {
    let len = (limit as usize).div_ceil(2);
    let mut composite = vec![false; len];
    for n in (3..=limit.isqrt() as usize).step_by(2) {
        if !composite[n / 2] {
            composite[n * n / 2..]
                .iter_mut()
                .step_by(n)
                .for_each(|c| *c = true);
        }
    }
    (1..len)
        .filter(move |&i| !composite[i])
        .map(|i| 2 * i as u32 + 1)
}

/// `n mod p` by the inverse `floor(2^64 / p)`.
#[inline(always)]
pub(super) fn remainder(n: u64, p: u32, inverse: u64) -> u32 {
    // The quotient is short by at most one: n * (2^64 / p - inverse) < 2^64.
    let quotient = ((u128::from(n) * u128::from(inverse)) >> 64) as u64;
    let rest = n - quotient * u64::from(p);
    let rest = if rest >= u64::from(p) {
        rest - u64::from(p)
    } else {
        rest
    };
    rest as u32
}
