//! Quantities: everything that is measured of a variant, compared by one method (docs/method.md,
//! "Quantities"). A slot has one number for each quantity ([`Kind`]); a variant the median over its
//! slots, with the exact interval of the sign test. Two variants are paired by round and compared
//! in one of two ways:
//! ```text
//! every value of both is at least LEAST    ratio        Hodges-Lehmann of ln(s_i / r_i)
//! one of them is below                     difference   Hodges-Lehmann of s_i - r_i
//! ```
//! LEAST is 10 for counts and above 0 for everything else. Both intervals are exact Wilcoxon
//! intervals (crate `stats`), at the level of the pair's time ([`alpha`]), *not* divided among
//! quantities. What work cannot have is left out.

pub mod by_cpu;
mod compared;
mod judged;
mod read;
mod readers;
mod said;
#[cfg(test)]
mod tests;

use measure::Measured;
use serde::{Deserialize, Serialize};
use stats::{LOOK_ALPHA, Typical, Verdict};

pub(crate) use crate::data::quantity::Kind;
pub use crate::data::quantity::Unit;
pub use by_cpu::ByCpu;
pub(crate) use compared::{Compared, SlotValues};
pub(crate) use read::{Look, Seen};

/// One quantity of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// Which: `memory`, `cpu`, `faults`.
    pub name: String,
    /// What its numbers are in.
    pub unit: Unit,
    /// The variant's label.
    pub of: String,
    /// What it is, or why that is not known.
    pub value: Measured<Amount>,
}

/// A value over slots.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The median over slots.
    pub estimate: f64,
    /// Lower end of its interval; none where slots are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Slots that have a value.
    pub slots: usize,
}

impl Amount {
    pub(crate) fn of(typical: &Typical, slots: usize) -> Self {
        let (low, high) = typical.interval.unzip();
        Self {
            estimate: typical.median,
            low,
            high,
            slots,
        }
    }

    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

/// How one quantity of two variants compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantityFinding {
    /// Which.
    pub name: String,
    /// What its differences are in.
    pub unit: Unit,
    /// Label of the subject.
    pub subject: String,
    /// Label of the reference.
    pub reference: String,
    /// Subject against reference, or why they are not compared.
    pub contrast: Measured<Contrast>,
    /// The verdict.
    pub verdict: Word,
    /// All of it in one sentence.
    pub sentence: String,
}

/// Subject against reference, over rounds in which both have a value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// In which of the two ways.
    pub basis: Basis,
    /// Ratio or difference.
    pub estimate: f64,
    /// Lower end of its interval; none where rounds are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Rounds that were used.
    pub rounds: usize,
    /// The interval misses the truth with at most this probability.
    pub alpha: f64,
}

impl Contrast {
    /// Both ends of the interval, if there is one.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

/// How two variants are laid against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Subject over reference.
    Ratio,
    /// Subject minus reference.
    Difference,
}

impl Basis {
    /// As tables of data have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Difference => "difference",
        }
    }

    /// The estimator, by name.
    #[must_use]
    pub fn estimator(self) -> &'static str {
        match self {
            Self::Ratio => "Hodges-Lehmann ratio, Wilcoxon interval",
            Self::Difference => "Hodges-Lehmann difference, Wilcoxon interval",
        }
    }
}

/// The estimator of a variant by itself.
pub const MEDIAN: &str = "median, sign-test interval";

/// A verdict in the words that fit the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Less time.
    Faster,
    /// More time.
    Slower,
    /// A smaller amount.
    Less,
    /// A larger amount.
    More,
    /// No difference that matters.
    Same,
    /// The rounds do not settle it.
    CannotTell,
    /// There are no rounds in which both have a value.
    NotCompared,
}

impl Word {
    /// The verdict on a time.
    #[must_use]
    pub fn of_time(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster { .. } => Self::Faster,
            Verdict::Slower { .. } => Self::Slower,
            Verdict::Same { .. } => Self::Same,
            Verdict::CannotTell { .. } => Self::CannotTell,
        }
    }

    /// As tables of data have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Less => "less",
            Self::More => "more",
            Self::Same => "same",
            Self::CannotTell => "cannot_tell",
            Self::NotCompared => "not_compared",
        }
    }

    /// As people read it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Same => "the same",
            Self::CannotTell => "cannot tell",
            Self::NotCompared => "not compared",
            one => one.name(),
        }
    }

    /// Whether the question is answered.
    #[must_use]
    pub fn is_decided(self) -> bool {
        !matches!(self, Self::CannotTell | Self::NotCompared)
    }
}

#[must_use]
pub(crate) fn alpha(comparisons: usize) -> f64 {
    LOOK_ALPHA / comparisons.max(1) as f64
}
