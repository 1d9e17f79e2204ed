use stats::Estimate;

use super::Answer;
use crate::findings::paired::rounds;
use crate::findings::quantity::by_cpu;
use crate::findings::{CaseResult, Finding, Results};

/// What decided a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// Number of the round from 0, the time of the reference, the time of the subject, in ns.
    pub paired: Vec<(usize, f64, f64)>,
    /// The level of the interval.
    pub alpha: f64,
}

impl Results {
    /// The paired rounds of a row, up to its deciding look; `None` without an estimate of times.
    #[must_use]
    pub fn rounds_behind(&self, row: &Answer) -> Option<Rounds> {
        row.times()?;
        let case = self.case_of(row)?;
        let finding = case.between(row.subject.as_deref()?, row.reference.as_deref()?)?;
        let estimate = estimate(row, finding)?;
        let mut paired = paired(self, case, row)?;
        paired.truncate(estimate.rounds);
        Some(Rounds {
            paired,
            alpha: estimate.alpha,
        })
    }

    /// The case of a row.
    #[must_use]
    pub fn case_of(&self, row: &Answer) -> Option<&CaseResult> {
        let mut cases = self.studies.get(row.place)?.cases.iter();
        cases.find(|case| case.case.name == row.case)
    }
}

fn estimate(row: &Answer, finding: &Finding) -> Option<Estimate> {
    match row.is_by_cpu() {
        true => finding.by_cpu.map(|by_cpu| by_cpu.estimate),
        false => finding.estimate,
    }
}

fn paired(results: &Results, case: &CaseResult, row: &Answer) -> Option<Vec<(usize, f64, f64)>> {
    let place = |label: &Option<String>| case.place(label.as_deref()?);
    let (reference, subject) = (place(&row.reference)?, place(&row.subject)?);
    if row.is_by_cpu() {
        return Some(by_cpu::rounds(case, &results.header, [reference, subject]));
    }
    let both = rounds(case.slots_of(reference), case.slots_of(subject));
    let both = both.filter_map(|[r, s]| Some((s.round, r.value_ns?, s.value_ns?)));
    let mut paired: Vec<_> = both.collect();
    paired.sort_unstable_by_key(|(round, ..)| *round);
    Some(paired)
}
