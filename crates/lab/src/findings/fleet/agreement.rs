use serde::{Deserialize, Serialize};
use stats::Verdict;

use super::OnMachine;

/// A verdict without its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The subject takes less time.
    Faster,
    /// The subject takes more time.
    Slower,
    /// Neither, within the floor.
    Same,
}

/// How many machines have each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Faster.
    pub faster: usize,
    /// Slower.
    pub slower: usize,
    /// The same.
    pub same: usize,
    /// Cannot tell.
    pub cannot_tell: usize,
}

/// Whether a verdict holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Agreement {
    /// Every machine has this verdict.
    All {
        /// The verdict.
        verdict: Direction,
    },
    /// More than half have it, and no other direction is established.
    Most {
        /// The verdict.
        verdict: Direction,
    },
    /// Faster is established on some machines and slower on others.
    Flips,
    /// No verdict holds on more than half, and none flips.
    Mixed,
    /// More than half cannot tell.
    CannotTell,
}

impl Direction {
    fn of(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Faster { .. } => Some(Self::Faster),
            Verdict::Slower { .. } => Some(Self::Slower),
            Verdict::Same { .. } => Some(Self::Same),
            Verdict::CannotTell { .. } => None,
        }
    }

    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "the same",
        }
    }
}

impl Tally {
    pub(super) fn of(each: &[OnMachine]) -> Self {
        let mut tally = Self::default();
        for on in each {
            *match Direction::of(&on.finding.verdict) {
                Some(Direction::Faster) => &mut tally.faster,
                Some(Direction::Slower) => &mut tally.slower,
                Some(Direction::Same) => &mut tally.same,
                None => &mut tally.cannot_tell,
            } += 1;
        }
        tally
    }

    /// All machines.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.faster + self.slower + self.same + self.cannot_tell
    }

    fn verdicts(&self) -> [(Direction, usize); 3] {
        [
            (Direction::Faster, self.faster),
            (Direction::Slower, self.slower),
            (Direction::Same, self.same),
        ]
    }

    /// `faster on 9, the same on 2, cannot tell on 1`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let decided = self
            .verdicts()
            .map(|(verdict, count)| (verdict.word(), count));
        let all = decided
            .into_iter()
            .chain([("cannot tell", self.cannot_tell)]);
        let said = all.filter(|(_, count)| *count > 0);
        let said: Vec<String> = said
            .map(|(word, count)| format!("{word} on {count}"))
            .collect();
        said.join(", ")
    }
}

impl Agreement {
    pub(super) fn of(each: &[OnMachine]) -> Self {
        let tally = Tally::of(each);
        let is = |wanted: Direction| {
            let mut each = each.iter();
            each.any(|on| on.established && Direction::of(&on.finding.verdict) == Some(wanted))
        };
        if is(Direction::Faster) && is(Direction::Slower) {
            return Self::Flips;
        }
        let all = tally.machines();
        let verdicts = tally.verdicts();
        let most = verdicts.into_iter().find(|(_, count)| 2 * count > all);
        match most {
            Some((verdict, count)) if count == all => Self::All { verdict },
            Some((verdict, _)) => Self::Most { verdict },
            None if 2 * tally.cannot_tell > all => Self::CannotTell,
            None => Self::Mixed,
        }
    }

    /// `holds on all`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::All { .. } => "holds on all",
            Self::Most { .. } => "holds on most",
            Self::Flips => "flips",
            Self::Mixed => "differs",
            Self::CannotTell => "cannot tell",
        }
    }
}
