use serde::{Deserialize, Serialize};
use stats::{Estimate, Verdict};

/// An optimum is flat if no larger number takes more than this much longer.
pub(in crate::findings) const FLAT: f64 = 1.05;

/// What the variants are that one is the best of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Numbers of flows.
    #[default]
    Numbers,
    /// Splits into processes and threads, or commands.
    Variants,
}

/// Which variant is best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimum {
    /// The best number; unless [`Self::is_told`], the one with the smallest typical time so far.
    pub flows: u32,
    /// Label of its variant.
    pub label: String,
    /// Whether there are rounds enough to compare every number with it.
    pub is_told: bool,
    /// Every number, the best one included, by size.
    pub numbers: Vec<AtNumber>,
    /// What the variants are.
    pub of: Choice,
    /// Label of the one that is taken by those who do not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// One number of flows against the best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtNumber {
    /// The number.
    pub flows: u32,
    /// Label of its variant.
    pub label: String,
    /// Typical time, quartiles around it, in ns.
    pub typical_ns: [f64; 3],
    /// Time over that of the best; `None` for the best itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// The verdict on it; `None` for the best itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl AtNumber {
    pub(in crate::findings) fn is_told(&self) -> bool {
        let interval = self.estimate.and_then(|estimate| estimate.interval());
        interval.is_some()
    }

    pub(in crate::findings) fn is_slower(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Slower { .. }))
    }
}

impl Optimum {
    pub(in crate::findings) fn best(&self) -> Option<&AtNumber> {
        self.numbers.iter().find(|at| at.label == self.label)
    }

    /// Itself, if its variants are numbers of flows.
    #[must_use]
    pub fn of_numbers(&self) -> Option<&Self> {
        (self.of == Choice::Numbers).then_some(self)
    }

    /// The worst of the numbers above the best.
    #[must_use]
    pub fn worst_above(&self) -> Option<&AtNumber> {
        let above = self.numbers.iter().filter(|at| at.flows > self.flows);
        above.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }

    pub(super) fn highest_above(&self) -> Option<f64> {
        let above = self.numbers.iter().filter(|at| at.flows > self.flows);
        let highs: Option<Vec<f64>> = above.map(|at| at.estimate?.high).collect();
        highs?.into_iter().max_by(f64::total_cmp)
    }

    /// Whose comparison with the best is undecided: one of these may be the best instead.
    pub fn undecided(&self) -> impl Iterator<Item = &AtNumber> {
        let is_open = |at: &&AtNumber| matches!(at.verdict, Some(Verdict::CannotTell { .. }));
        self.numbers.iter().filter(is_open)
    }

    /// Those that cannot be distinguished from the best, or are the same within the floor.
    pub(in crate::findings) fn alike(&self) -> impl Iterator<Item = &AtNumber> {
        let alike = |at: &&AtNumber| {
            matches!(
                at.verdict,
                Some(Verdict::Same { .. } | Verdict::CannotTell { .. })
            )
        };
        self.numbers.iter().filter(alike)
    }
}

pub(in crate::findings) fn ratio(at: &AtNumber) -> f64 {
    at.estimate.map_or(1.0, |estimate| estimate.ratio)
}
