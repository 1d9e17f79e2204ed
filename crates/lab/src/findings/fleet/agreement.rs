use serde::{Deserialize, Serialize};
use stats::Verdict;

use super::OnMachine;
use crate::findings::Word;

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
        verdict: Word,
    },
    /// More than half have it, and no other direction is established.
    Most {
        /// The verdict.
        verdict: Word,
    },
    /// Faster is established on some machines and slower on others.
    Flips,
    /// No verdict holds on more than half, and none flips.
    Mixed,
    /// More than half cannot tell.
    CannotTell,
}

impl Tally {
    pub(super) fn of(each: &[OnMachine]) -> Self {
        let mut tally = Self::default();
        for on in each {
            *match on.finding.verdict {
                Verdict::Faster { .. } => &mut tally.faster,
                Verdict::Slower { .. } => &mut tally.slower,
                Verdict::Same { .. } => &mut tally.same,
                Verdict::CannotTell { .. } => &mut tally.cannot_tell,
            } += 1;
        }
        tally
    }

    /// All machines.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.faster + self.slower + self.same + self.cannot_tell
    }

    fn decided(&self) -> [(Word, usize); 3] {
        [
            (Word::Faster, self.faster),
            (Word::Slower, self.slower),
            (Word::Same, self.same),
        ]
    }

    /// `faster on 9, the same on 2, cannot tell on 1`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let open = (Word::CannotTell, self.cannot_tell);
        let all = self.decided().into_iter().chain([open]);
        let said = all.filter(|(_, count)| *count > 0);
        let said: Vec<String> = said
            .map(|(word, count)| format!("{} on {count}", word.in_words()))
            .collect();
        said.join(", ")
    }
}

impl Agreement {
    pub(super) fn of(each: &[OnMachine]) -> Self {
        let tally = Tally::of(each);
        let is = |wanted: Word| {
            let mut each = each.iter();
            each.any(|on| on.established && Word::of_time(on.finding.verdict) == wanted)
        };
        if is(Word::Faster) && is(Word::Slower) {
            return Self::Flips;
        }
        let all = tally.machines();
        let most = tally
            .decided()
            .into_iter()
            .find(|(_, count)| 2 * count > all);
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
            Self::CannotTell => Word::CannotTell.in_words(),
        }
    }
}
