use std::fmt;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Proof of work done: equal only for the same work. Units' proofs are added (wrapping).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// How many things the work counted (primes, operations).
    pub count: u64,
    /// Checksum over what was found.
    pub checksum: u64,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with checksum {:016x}", self.count, self.checksum)
    }
}

impl Add for Proof {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            count: self.count.wrapping_add(other.count),
            checksum: self.checksum.wrapping_add(other.checksum),
        }
    }
}

impl AddAssign for Proof {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Proof {
    fn sum<I: Iterator<Item = Self>>(proofs: I) -> Self {
        proofs.fold(Self::default(), Add::add)
    }
}
