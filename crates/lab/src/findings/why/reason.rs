use super::share::Part;

/// Share from which a part is most of a difference.
pub(crate) const MOST: f64 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reason {
    pub(super) weight: Weight,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weight {
    Whole,
    Cause(f64),
    Part,
    /// It was counted this many times more often on one side.
    Count(f64),
}

impl Weight {
    /// Equal whole percents tie.
    pub(super) fn rank(self) -> (u8, f64) {
        match self {
            Self::Whole => (3, 0.0),
            Self::Cause(share) => (2, (100.0 * share).round()),
            Self::Part => (1, 0.0),
            Self::Count(factor) => (0, factor),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) share: f64,
    pub(super) part: Part,
    pub(super) text: String,
}
