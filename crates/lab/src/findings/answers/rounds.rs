use stats::Estimate;

use super::Answer;
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
        let estimate = estimate(row, finding(case, row)?)?;
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

fn finding<'a>(case: &'a CaseResult, row: &Answer) -> Option<&'a Finding> {
    let sides = [row.subject.as_deref()?, row.reference.as_deref()?];
    let is_own = |one: &&Finding| {
        let own = [one.subject.as_str(), one.reference.as_str()];
        sides == own || sides == [own[1], own[0]]
    };
    case.findings.iter().find(is_own)
}

fn estimate(row: &Answer, finding: &Finding) -> Option<Estimate> {
    match row.is_by_cpu() {
        true => finding.by_cpu.map(|by_cpu| by_cpu.estimate),
        false => finding.estimate,
    }
}

fn paired(results: &Results, case: &CaseResult, row: &Answer) -> Option<Vec<(usize, f64, f64)>> {
    let place = |label: &Option<String>| {
        let label = label.as_deref()?;
        case.variants.iter().position(|own| own.label == label)
    };
    let (reference, subject) = (place(&row.reference)?, place(&row.subject)?);
    if row.is_by_cpu() {
        return Some(by_cpu::rounds(case, &results.header, [reference, subject]));
    }
    let of = |variant: usize| {
        case.slots
            .iter()
            .filter(move |slot| slot.variant == variant)
    };
    let both = of(subject).filter_map(|s| {
        let r = of(reference).find(|r| r.round == s.round)?;
        Some((s.round, r.value_ns?, s.value_ns?))
    });
    let mut paired: Vec<_> = both.collect();
    paired.sort_unstable_by_key(|(round, ..)| *round);
    Some(paired)
}
