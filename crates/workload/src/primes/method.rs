use std::fmt;

use serde::{Deserialize, Serialize};

/// A way to find the primes of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Trial division by 2, 3 and 6k +- 1 up to the root of each number.
    Trial,
    /// The deterministic Miller-Rabin test of each number.
    MillerRabin,
    /// The segmented sieve of Eratosthenes.
    Sieve,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Trial, Self::MillerRabin, Self::Sieve];

    /// The name, as it is written in studies and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::MillerRabin => "miller-rabin",
            Self::Sieve => "sieve",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
