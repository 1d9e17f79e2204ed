//! What all variants of a run have in common against the first run: the machine may have been
//! slower. The *common factor* is the median of all ratios with its exact interval
//! ([`stats::typical`]; of six ratios or more), and a regression has to lie beyond that too. A
//! change may slow everything down as well, which no arithmetic on two runs tells (both builds in
//! one run do): a common factor beyond the bar is reported and leaves the question open. Where
//! variants became *faster* together nothing is judged against it: others would seem regressions.

use stats::{RUNS_ALPHA, Verdict, typical};

use super::model::in_words;
use super::{Basis, Change, Common, SideBySide};
use crate::data::median;
use crate::data::number::{factor, ratio_interval};

fn ratios(all: &SideBySide, run: usize, without: Option<&Change>) -> Vec<f64> {
    let changes = all.changes().filter(|(_, _, _, of, _)| *of == run);
    let others =
        changes.filter(|(.., change)| without.is_none_or(|one| !std::ptr::eq(one, *change)));
    others
        .filter_map(|(.., change)| Some(change.estimate?.ratio))
        .collect()
}

impl Common {
    pub(super) fn of(all: &SideBySide, run: usize) -> Option<Self> {
        if all.basis == Basis::Relative {
            return None;
        }
        Self::of_ratios(&ratios(all, run, None))
    }

    /// At least 1; without the variant itself, as few intervals reach the farthest ratio.
    fn beside(all: &SideBySide, run: usize, change: &Change) -> f64 {
        let slower = all.common.get(run).copied().flatten();
        if slower.is_none_or(|common| !common.is_slower()) {
            return 1.0;
        }
        let others = ratios(all, run, Some(change));
        let common = Self::of_ratios(&others).map(|common| common.high);
        common.or_else(|| median(others)).unwrap_or(1.0).max(1.0)
    }

    fn of_ratios(ratios: &[f64]) -> Option<Self> {
        let median = typical(ratios, RUNS_ALPHA).ok()?;
        let (low, high) = median.interval?;
        Some(Self {
            ratio: median.median,
            low,
            high,
            variants: ratios.len(),
        })
    }

    pub(super) fn sentence(&self, here: &str, there: &str) -> Option<String> {
        let (word, by) = match (self.low > 1.0, self.high < 1.0) {
            (true, _) => ("slower", self.ratio),
            (_, true) => ("faster", 1.0 / self.ratio),
            _ => return None,
        };
        Some(format!(
            "the {} variants of {here} are {} {word} than in {there} together (time over time \
             {}): the machine shifted between the runs, or everything changed; run both in one \
             run to tell which",
            self.variants,
            factor(by),
            ratio_interval(self.low, self.high)
        ))
    }
}

impl SideBySide {
    /// By how much all variants of a run are faster or slower together, in a sentence, if they are.
    #[must_use]
    pub fn shift(&self, run: usize) -> Option<String> {
        let common = self.common.get(run).copied().flatten()?;
        common.sentence(&self.runs[run].name, &self.runs[0].name)
    }

    /// The runs whose variants are slower together by at least `fraction`, by machine or program.
    #[must_use]
    pub fn shifted(&self, fraction: f64) -> Vec<String> {
        let beyond = |common: &Common| common.is_slower() && common.ratio >= 1.0 + fraction;
        let runs =
            (0..self.common.len()).filter(|run| self.common[*run].as_ref().is_some_and(beyond));
        runs.filter_map(|run| self.shift(run)).collect()
    }

    /// What is slower by `fraction`, with its whole interval, beyond floor and common factor.
    pub fn regressions(&self, fraction: f64) -> Vec<String> {
        let slower = |run: usize, change: &Change| {
            let low = change.estimate.and_then(|estimate| estimate.low);
            matches!(change.verdict, Verdict::Slower { .. })
                && low
                    .is_some_and(|low| low >= (1.0 + fraction) * Common::beside(self, run, change))
        };
        let changes = self
            .changes()
            .filter(|(.., run, change)| slower(*run, change));
        changes.map(in_words).collect()
    }
}
