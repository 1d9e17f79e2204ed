//! Where typical times divide to another ratio than that of a finding.

use lab::{CaseResult, Finding};

use super::variant_of;
use crate::number::factor;

const OTHER: f64 = 1.15;

/// Where typical times divide to another ratio than the finding, which pairs slots of a round.
pub(crate) fn other_ratios<'a>(
    cases: impl Iterator<Item = (&'a CaseResult, String)>,
) -> Option<String> {
    let others: Vec<String> = cases
        .flat_map(|(case, place)| {
            let others = case.findings.iter().filter_map(|f| other_ratio(case, f));
            let named = others.map(|other| format!("{place}{other}"));
            named.collect::<Vec<_>>()
        })
        .collect();
    (!others.is_empty()).then(|| {
        format!(
            "comparisons pair the slots of each round; rounds differ so much that dividing the \
             medians gives {}",
            others.join("; ")
        )
    })
}

/// Whether typical times point in the opposite direction, so that bars of them need a word.
pub(crate) fn is_contrary(case: &CaseResult) -> bool {
    case.findings.iter().any(|finding| {
        let both = typical_ratio(case, finding).zip(finding.estimate);
        both.is_some_and(|(typical, estimate)| typical.ln() * estimate.ratio.ln() < 0.0)
    })
}

fn typical_ratio(case: &CaseResult, finding: &Finding) -> Option<f64> {
    let typical = |label: &str| Some(variant_of(case, label)?.value?.typical);
    Some(typical(&finding.subject)? / typical(&finding.reference)?)
}

fn other_ratio(case: &CaseResult, finding: &Finding) -> Option<String> {
    let ratio = typical_ratio(case, finding)?;
    let estimate = finding.estimate?;
    estimate.interval()?;
    let apart = (ratio / estimate.ratio).ln().abs();
    let (by, word) = match ratio < 1.0 {
        true => (1.0 / ratio, "faster"),
        false => (ratio, "slower"),
    };
    (apart > OTHER.ln()).then(|| format!("{} {} {word}", finding.subject, factor(by)))
}
