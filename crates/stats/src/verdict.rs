//! From an interval to one of four words: a sentence is allowed if it is true of *every* ratio in
//! it (docs/method.md, "The verdict").
//! ```text
//!            1/(1+d)    1    1+d
//!   ratio  ------|------|-----|------>
//!                  [--]                same within d   (all inside the band)
//!         [--------]                   faster          (all below 1)
//!                          [------]    slower          (all above 1)
//!             [-----------]            cannot tell
//! ```
//! *Same* goes first. Swapping the variants turns *faster* into *slower* with the same number: "at
//! least L" says that the slower one takes at least (1 + L) times as long. Round L down.

use serde::{Deserialize, Serialize};

use crate::error::StatsError;
use crate::estimate::{Estimate, estimate};
use crate::guard::guarded;
use crate::looks::LOOK_ALPHA;
use crate::wilcoxon::rounds_for_interval;

/// What is said of the subject, compared with the reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum Verdict {
    /// The subject takes less time.
    Faster {
        /// As a fraction: the reference takes at least `1 + at_least` times as long.
        at_least: f64,
    },
    /// The subject takes more time.
    Slower {
        /// As a fraction: the subject takes at least `1 + at_least` times as long.
        at_least: f64,
    },
    /// Neither takes more than `1 + within` times as long as the other.
    Same {
        /// The floor of the rule, as a fraction.
        within: f64,
    },
    /// The rounds do not settle it.
    CannotTell {
        /// About how many more would, if the noise stays: maybe more than any plan allows.
        more_rounds: Option<usize>,
    },
}

impl Verdict {
    /// Whether the question is answered: every word but *cannot tell*.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::CannotTell { .. })
    }

    /// Whether one of both is faster.
    #[must_use]
    pub fn is_difference(&self) -> bool {
        matches!(self, Verdict::Faster { .. } | Verdict::Slower { .. })
    }
}

/// How strict a judgement is. Declared before the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// d: ratios within `[1/(1+d), 1+d]` count as the same. A fraction, 0.01 = 1 %.
    pub floor: f64,
    /// m: how many pairs of variants the study compares; they share the 5 %.
    pub comparisons: usize,
    /// Whether sides whose spreads lie apart are held to more than the interval (`guard`).
    pub guarded: bool,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            floor: 0.01,
            comparisons: 1,
            guarded: false,
        }
    }
}

impl Rule {
    /// The usual rule, its level shared by this number of comparisons.
    pub fn sharing(comparisons: usize) -> Self {
        Self {
            comparisons,
            ..Self::default()
        }
    }

    /// Level of one look at one comparison: [`LOOK_ALPHA`] / m.
    pub fn alpha(&self) -> f64 {
        LOOK_ALPHA / self.comparisons.max(1) as f64
    }

    /// Refuses a floor that is negative or not finite, and no comparisons.
    pub fn check(&self) -> Result<(), StatsError> {
        if !(self.floor >= 0.0 && self.floor.is_finite()) {
            return Err(StatsError::Floor(self.floor));
        }
        if self.comparisons == 0 {
            return Err(StatsError::NoComparisons);
        }
        Ok(())
    }

    /// The word for an estimate. Uses the rule's floor only: the estimate brings its level.
    pub fn judge(&self, e: &Estimate) -> Verdict {
        let Some((low, high)) = e.interval() else {
            let needed = rounds_for_interval(e.alpha);
            return Verdict::CannotTell {
                more_rounds: needed.map(|n| n.saturating_sub(e.rounds)),
            };
        };
        let undecided = || Verdict::CannotTell {
            more_rounds: more_rounds(e.rounds, low.ln(), high.ln(), (1.0 + self.floor).ln()),
        };
        self.word((low, high), 1.0).unwrap_or_else(undecided)
    }

    /// Every word but *cannot tell*: a difference is an interval that lies beyond this ratio as a whole.
    fn word(&self, (low, high): (f64, f64), beyond: f64) -> Option<Verdict> {
        let band = 1.0 + self.floor;
        if low >= 1.0 / band && high <= band {
            Some(Verdict::Same { within: self.floor })
        } else if high < 1.0 / beyond {
            let at_least = 1.0 / high - 1.0;
            Some(Verdict::Faster { at_least })
        } else {
            let at_least = low - 1.0;
            (low > beyond).then_some(Verdict::Slower { at_least })
        }
    }

    /// The word for an estimate of two runs, whose machine may have shifted between them: a
    /// difference is called one only where the whole interval lies beyond the floor.
    /// ```text
    ///            1/(1+d)    1    1+d
    ///   ratio  ------|------|-----|------>
    ///                   [---]               same within d
    ///     [------]                          faster
    ///           [--------]                  cannot tell: it may be all shift
    /// ```
    pub fn judge_apart(&self, e: &Estimate) -> Verdict {
        let ends = e.interval();
        let word = ends.and_then(|ends| self.word(ends, 1.0 + self.floor));
        word.unwrap_or(Verdict::CannotTell { more_rounds: None })
    }

    /// Estimates at [`Rule::alpha`] and judges: one look at all rounds of a plan.
    pub fn judge_values(
        &self,
        reference: &[f64],
        subject: &[f64],
    ) -> Result<(Estimate, Verdict), StatsError> {
        self.judge_at(reference, subject, self.alpha())
    }

    /// The same at another level.
    pub fn judge_at(
        &self,
        reference: &[f64],
        subject: &[f64],
        alpha: f64,
    ) -> Result<(Estimate, Verdict), StatsError> {
        self.check()?;
        let mut e = estimate(reference, subject, alpha)?;
        if self.guarded {
            e = guarded(e, reference, subject);
        }
        Ok((e, self.judge(&e)))
    }
}

/// About how many rounds beyond `n` would decide, in logs. The half-width h shrinks as 1 /
/// sqrt(rounds) around the centre c, until h < |c| (a difference) or h <= band - |c| (the same).
fn more_rounds(n: usize, low: f64, high: f64, band: f64) -> Option<usize> {
    let centre = ((low + high) / 2.0).abs();
    let half_width = (high - low) / 2.0;
    let goal = centre.max(band - centre);
    let needed = n as f64 * (half_width / goal).powi(2);
    let countable = needed.is_finite() && needed < usize::MAX as f64;
    countable.then(|| (needed.ceil() as usize).saturating_sub(n).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Estimate {
        Estimate::new(20, (low * high).sqrt(), Some((low, high)), LOOK_ALPHA)
    }

    fn verdict(low: f64, high: f64) -> Verdict {
        Rule::default().judge(&interval(low, high))
    }

    #[test]
    fn every_word_has_its_interval() {
        assert_eq!(verdict(0.995, 1.005), Verdict::Same { within: 0.01 });
        assert_eq!(verdict(0.4, 0.5), Verdict::Faster { at_least: 1.0 });
        assert_eq!(verdict(1.25, 1.5), Verdict::Slower { at_least: 0.25 });
        assert!(matches!(verdict(0.9, 1.1), Verdict::CannotTell { .. }));
    }

    #[test]
    fn a_proven_difference_below_the_floor_is_the_same() {
        assert_eq!(verdict(1.001, 1.009), Verdict::Same { within: 0.01 });
        assert_eq!(verdict(1.0 / 1.01, 1.01), Verdict::Same { within: 0.01 });
        assert!(matches!(verdict(1.001, 1.011), Verdict::Slower { .. }));
    }

    #[test]
    fn between_runs_a_difference_must_lie_beyond_the_floor() {
        let apart = |low, high| Rule::default().judge_apart(&interval(low, high));
        assert_eq!(apart(0.995, 1.005), Verdict::Same { within: 0.01 });
        assert!(!apart(1.001, 1.02).is_decided());
        assert!(!apart(0.98, 0.995).is_decided());
        assert_eq!(apart(1.25, 1.5), Verdict::Slower { at_least: 0.25 });
        assert_eq!(apart(0.4, 0.5), Verdict::Faster { at_least: 1.0 });
        let none = Estimate::new(20, 1.0, None, LOOK_ALPHA);
        assert!(!Rule::default().judge_apart(&none).is_decided());
    }

    #[test]
    fn an_end_on_one_is_no_difference() {
        assert!(!verdict(0.9, 1.0).is_decided());
        assert!(!verdict(1.0, 1.1).is_decided());
    }

    #[test]
    fn more_rounds_shrink_the_interval_until_it_decides() {
        // Centre 1, half-width 2: half the width shows a difference, so 4 x 20 rounds.
        assert_eq!(more_rounds(20, -1.0, 3.0, 0.5), Some(60));
        // Centre 1, band 5: the width need only fit the 4 that are left beside the centre.
        assert_eq!(more_rounds(20, -7.0, 9.0, 5.0), Some(60));
        // One end on 0 still wants a round more.
        assert_eq!(more_rounds(20, 0.0, 2.0, 0.5), Some(1));
        // No band and no centre: no number of rounds will do.
        assert_eq!(more_rounds(20, -1.0, 1.0, 0.0), None);
    }

    #[test]
    fn too_few_rounds_say_how_many_are_missing() {
        let (e, v) = Rule::default().judge_values(&[1.0; 5], &[2.0; 5]).unwrap();
        assert_eq!((e.rounds, e.ratio, e.interval()), (5, 2.0, None));
        let more_rounds = Some(2);
        assert_eq!(v, Verdict::CannotTell { more_rounds });
    }

    #[test]
    fn rules_without_meaning_are_refused() {
        let judge = |floor, comparisons| {
            let rule = Rule::sharing(comparisons);
            Rule { floor, ..rule }.judge_values(&[1.0; 9], &[1.0; 9])
        };
        assert_eq!(judge(-0.1, 1), Err(StatsError::Floor(-0.1)));
        assert!(judge(f64::NAN, 1).is_err());
        assert_eq!(judge(0.01, 0), Err(StatsError::NoComparisons));
        assert!(judge(0.0, 3).is_ok());
    }
}
