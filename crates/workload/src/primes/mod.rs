//! `primes`: search blocks of numbers for primes.

use serde::{Deserialize, Serialize};

use crate::WorkError;

/// Parameters of `primes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primes {
    /// First number searched.
    pub start: u64,
    /// Numbers in a block (a unit of work).
    pub block: u64,
    /// How many blocks.
    pub blocks: u64,
    /// Each how-many-th prime of a block is sent to the parent (1 = all).
    pub every: u64,
    /// How primes are found.
    pub method: Method,
}

/// How primes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Trial division.
    Trial,
    /// Miller-Rabin.
    MillerRabin,
    /// Segmented sieve.
    Sieve,
}

impl Primes {
    pub(crate) fn check(&self) -> Result<(), WorkError> {
        Ok(())
    }
}
