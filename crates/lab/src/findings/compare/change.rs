use flow::Proof;
use stats::{Estimate, FEWEST_FOR_WANDER, RUNS_ALPHA, Verdict, two_runs, wander};

use super::{Basis, Change, Floor, FloorFrom, How, Named, differ};
use crate::data::words::percent;
use crate::data::{Value, median, slot_value};
use crate::findings::paired::{rounds, rule};
use crate::findings::{CaseResult, Compared, RawSlot, compared};

const USUAL_FLOOR: f64 = 0.01;

#[derive(Debug)]
pub(super) struct Comparing<'a> {
    names: Vec<&'a str>,
    sides: &'a [Option<&'a CaseResult>],
    value: Value,
    how: How,
    comparisons: usize,
}

impl<'a> Comparing<'a> {
    pub(super) fn new(
        runs: &[Named<'a>],
        first: &CaseResult,
        sides: &'a [Option<&'a CaseResult>],
        how: How,
    ) -> Self {
        let others = sides.iter().skip(1).flatten().count();
        let fixed = usize::from(how.basis == Basis::Relative);
        Self {
            names: runs.iter().map(|run| run.name).collect(),
            sides,
            value: runs[0].results.header.settings.value,
            how,
            comparisons: (others * first.variants.len().saturating_sub(fixed)).max(1),
        }
    }

    pub(super) fn floor(&self, run: usize) -> Option<Floor> {
        let (a, b) = self.pair(run)?;
        if let Some(fraction) = self.how.floor {
            return Some(Floor {
                fraction,
                because: FloorFrom::Asked,
            });
        }
        let own = [a, b].map(own_floor).into_iter().fold(0.0, f64::max);
        let (fraction, because) = match (self.wander(a), self.wander(b)) {
            (Some(a), Some(b)) if a.max(b) > own => (a.max(b), FloorFrom::Wander),
            (Some(_), Some(_)) => (own, FloorFrom::Runs),
            _ => (own, FloorFrom::Unseen),
        };
        Some(Floor { fraction, because })
    }

    /// Median distance of a run's halves; `None` with too few slots.
    fn wander(&self, case: &CaseResult) -> Option<f64> {
        let labels = case.variants.iter().map(|variant| variant.label.as_str());
        median(labels.filter_map(|label| wander(&self.values(case, label))))
    }

    fn pair(&self, run: usize) -> Option<(&'a CaseResult, &'a CaseResult)> {
        let other = (run > 0).then(|| self.sides[run]).flatten()?;
        Some((self.sides[0]?, other))
    }

    pub(super) fn change(&self, run: usize, label: &str) -> Option<Change> {
        let (a, b) = self.pair(run)?;
        let is_missing = [a, b].iter().any(|case| case.summary(label).is_none());
        if is_missing || self.is_its_own_reference(a, label) {
            return None;
        }
        let floor = self.floor(run)?;
        let (before, after) = (self.values(a, label), self.values(b, label));
        let values = (before.len(), after.len());
        let judged = self.judge(label, (a, &before), (b, &after), floor.fraction);
        Some(match judged {
            Err(why) => Change {
                estimate: None,
                verdict: Verdict::CannotTell { more_rounds: None },
                values,
                sentence: format!("{label} of {} is not compared: {why}", self.names[run]),
                not_compared: Some(why),
            },
            Ok((estimate, seen)) => {
                let verdict = floor.allows(seen);
                let sentence = self.sentence(run, label, &estimate, verdict);
                Change {
                    estimate: Some(estimate),
                    verdict,
                    values,
                    not_compared: None,
                    sentence: match verdict == seen {
                        true => sentence,
                        false => format!("{sentence}; {}", unseen()),
                    },
                }
            }
        })
    }

    fn is_its_own_reference(&self, case: &CaseResult, label: &str) -> bool {
        let first = case.variants.first().map(|variant| variant.label.as_str());
        self.how.basis == Basis::Relative && first == Some(label)
    }

    fn judge(
        &self,
        label: &str,
        (a, before): (&CaseResult, &[f64]),
        (b, after): (&CaseResult, &[f64]),
        floor: f64,
    ) -> Result<(Estimate, Verdict), String> {
        if let Some(why) = differ::work((a, label), (b, label)) {
            return Err(why);
        }
        if self.how.basis == Basis::Relative {
            let reference = |case: &CaseResult| case.variants.first().map(|v| v.label.clone());
            if reference(a) != reference(b) {
                return Err("its reference is another one".to_owned());
            }
        }
        if let (Some(x), Some(y)) = (proof(a, label), proof(b, label))
            && x != y
        {
            return Err("the runs do not prove the same work".to_owned());
        }
        if before.is_empty() || after.is_empty() {
            return Err("no good slot in one of the runs".to_owned());
        }
        let alpha = RUNS_ALPHA / self.comparisons as f64;
        let estimate = two_runs(before, after, alpha).map_err(|error| error.to_string())?;
        let verdict = rule(floor, self.comparisons).judge_apart(&estimate);
        Ok((estimate, verdict))
    }

    fn values(&self, case: &CaseResult, label: &str) -> Vec<f64> {
        let Some(place) = case.place(label) else {
            return Vec::new();
        };
        let value = |slot: &RawSlot| slot_value(&slot.outcome, case.case.metric, self.value);
        self.how.basis.values(case, place, value)
    }

    fn sentence(&self, run: usize, label: &str, e: &Estimate, verdict: Verdict) -> String {
        let (here, there) = (self.names[run], self.names[0]);
        let what = match self.how.basis {
            Basis::Times => label.to_owned(),
            Basis::Relative => format!("{label} against its reference"),
        };
        let Compared { word, interval } = compared(Some(e), &verdict);
        let sentence = match verdict {
            Verdict::Faster { .. } | Verdict::Slower { .. } => {
                format!("{what} {word} in {here} than in {there} {interval}")
            }
            Verdict::Same { within } => format!(
                "{what} takes the same time in {here} and {there} within {} ({interval})",
                percent(within)
            ),
            Verdict::CannotTell { .. } if interval.is_empty() => {
                format!(
                    "{what} in {here} against {there}: {} slots are too few",
                    e.rounds
                )
            }
            Verdict::CannotTell { .. } => {
                format!("{word}: {what} {interval} in {here} than in {there}")
            }
        };
        sentence.trim_end().to_owned()
    }
}

impl Basis {
    /// Those of a variant's slots, or their ratios to the reference of their round.
    pub(in crate::findings) fn values(
        self,
        case: &CaseResult,
        variant: usize,
        of: impl Fn(&RawSlot) -> Option<f64>,
    ) -> Vec<f64> {
        let own = case.slots_of(variant);
        match self {
            Self::Times => own.filter_map(of).collect(),
            Self::Relative => {
                let rounds = rounds(case.slots_of(0), own);
                rounds.filter_map(|[r, s]| Some(of(s)? / of(r)?)).collect()
            }
        }
    }
}

impl Floor {
    /// If the runs' drift is unknown, nothing is called a difference.
    fn allows(self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Faster { .. } | Verdict::Slower { .. }
                if self.because == FloorFrom::Unseen =>
            {
                Verdict::CannotTell { more_rounds: None }
            }
            other => other,
        }
    }
}

/// Why nothing is called a difference where runs have few slots.
#[must_use]
pub fn unseen() -> String {
    format!(
        "too few slots to see how far a run wandered: {FEWEST_FOR_WANDER} a run are needed, or a \
         --floor of yours"
    )
}

fn own_floor(case: &CaseResult) -> f64 {
    case.findings
        .first()
        .map_or(USUAL_FLOOR, |finding| finding.floor)
}

fn proof(case: &CaseResult, label: &str) -> Option<Proof> {
    let mut own = case.slots_of(case.place(label)?);
    own.find_map(|slot| Some(slot.outcome.answer.done()?.proof))
}
