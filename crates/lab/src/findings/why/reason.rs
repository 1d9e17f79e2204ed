//! A reason, and how much it weighs.

/// A part of a difference from which on it makes most of it.
pub(crate) const MOST: f64 = 0.5;

/// What a rule says, and how much it weighs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reason {
    pub(super) weight: Weight,
    pub(super) text: String,
}

/// How much a reason says of the difference; the first is given first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weight {
    /// It parts the whole difference.
    Whole,
    /// It makes this share of the difference.
    Cause(f64),
    /// It is the verdict on a part.
    Part,
    /// It was counted this many times more often on one side.
    Count(f64),
}

impl Weight {
    /// Larger goes first. Shares of the same whole percent are alike.
    pub(super) fn rank(self) -> (u8, f64) {
        match self {
            Self::Whole => (3, 0.0),
            Self::Cause(share) => (2, (100.0 * share).round()),
            Self::Part => (1, 0.0),
            Self::Count(factor) => (0, factor),
        }
    }
}

/// The share of the difference that a cause explains, and what it is.
pub(super) type Clause = (f64, String);
