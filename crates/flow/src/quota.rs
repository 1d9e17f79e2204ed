//! The CPU time of a slot's flows: a quota or a weight of their control group (docs/quotas.md).
//! ```text
//!   quota 0.5, two flows     ██████░░░░░░░░░░░░░░░░░░│██████░░░░░░░░░░  █ runs  ░ throttled
//!                            ██████░░░░░░░░░░░░░░░░░░│██████░░░░░░░░░░  25 ms of every 100
//! ```
//! The group is named, locked, swept and removed as in [`crate::cgroup`]. With v2 only the root and
//! groups without processes hand the `cpu` controller down: the nearest with it is the parent.
//! Sources: Linux's scheduler/sched-bwc.rst and admin-guide/cgroup-v2.rst.

mod group;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::word::as_text;
pub use group::{QuotaGroup, Throttled, leave};

/// The CPU time of a slot's flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Quota {
    /// What the machine gives to all.
    Whole,
    /// Thousandths of a CPU.
    Cpus(u32),
    /// A share where others want the CPUs too: 100 is that of a usual group.
    Weight(u32),
}

/// A word that is no quota.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuotaError {
    /// It means nothing.
    #[error("'{0}' is no quota: use CPUs such as 0.5 or 2, weight=50, or none")]
    Unknown(String),
    /// The kernel gives CPU time in pieces of some ms.
    #[error(
        "a quota of {0} CPUs is less than 10 ms in each period of 100 ms, and the kernel hands out \
         about 5 ms at a time: use 0.1 or more"
    )]
    Small(String),
    /// No machine has as many.
    #[error("a quota of {0} CPUs is more than any machine has: use 0.1 to 10000")]
    Large(String),
    /// The kernel's bounds.
    #[error("weight={0}: use 1 to 10000; 100 is that of a usual group")]
    Weight(String),
}

/// Thousandths of a CPU.
const LEAST: f64 = 100.0;
const MOST: f64 = 1e7;
const WEIGHT: &str = "weight=";

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.pad("none"),
            Self::Cpus(thousandths) => f.pad(&(f64::from(*thousandths) / 1e3).to_string()),
            Self::Weight(weight) => f.pad(&format!("{WEIGHT}{weight}")),
        }
    }
}

impl FromStr for Quota {
    type Err = QuotaError;

    fn from_str(text: &str) -> Result<Self, QuotaError> {
        if text == "none" {
            return Ok(Self::Whole);
        }
        if let Some(weight) = text.strip_prefix(WEIGHT) {
            let wrong = || QuotaError::Weight(weight.to_owned());
            let within = weight
                .parse()
                .ok()
                .filter(|weight| (1..=10_000).contains(weight));
            return within.map(Self::Weight).ok_or_else(wrong);
        }
        let (number, unit) = match text.strip_suffix('%') {
            Some(percent) => (percent, 10.0),
            None => (text, 1e3),
        };
        let unknown = || QuotaError::Unknown(text.to_owned());
        let cpus: f64 = number.parse().map_err(|_| unknown())?;
        match (cpus * unit).round() {
            thousandths if !thousandths.is_finite() || thousandths < 0.0 => Err(unknown()),
            thousandths if thousandths < LEAST => Err(QuotaError::Small(number.to_owned())),
            thousandths if thousandths > MOST => Err(QuotaError::Large(number.to_owned())),
            thousandths => Ok(Self::Cpus(thousandths as u32)),
        }
    }
}

as_text!(Quota);

impl Quota {
    /// In words: `a quota of 0.5 CPUs`.
    #[must_use]
    pub fn said(word: &str) -> String {
        match (word, word.strip_prefix(WEIGHT)) {
            ("none", _) => "without a quota".to_owned(),
            (_, Some(weight)) => format!("with a CPU weight of {weight}"),
            (cpus, None) => format!("with a quota of {cpus} CPUs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quotas_and_back() {
        for word in ["none", "0.5", "1", "1.5", "64", "weight=50"] {
            assert_eq!(word.parse::<Quota>().unwrap().to_string(), word);
        }
        assert_eq!("50%".parse(), Ok(Quota::Cpus(500)));
        let written = serde_json::to_string(&Quota::Cpus(1500)).unwrap();
        assert_eq!(written, "\"1.5\"");
        let read = serde_json::from_str::<Quota>(&written).unwrap();
        assert_eq!(read, Quota::Cpus(1500));
    }

    #[test]
    fn what_is_no_quota_is_refused_with_the_bounds() {
        for (word, said) in [
            ("half", "use CPUs such as 0.5"),
            ("-1", "use CPUs such as 0.5"),
            ("nan", "use CPUs such as 0.5"),
            ("0.05", "less than 10 ms"),
            ("0", "less than 10 ms"),
            ("1e9", "more than any machine"),
            ("weight=0", "use 1 to 10000"),
            ("weight=x", "use 1 to 10000"),
        ] {
            let error = word.parse::<Quota>().unwrap_err().to_string();
            assert!(error.contains(said), "{word}: {error}");
        }
    }
}
