//! Findings on one axis of ratios: one for cases alone, one for each sweep, whose ends may be far.

use super::{Figure, Figures, Legend, tally};
use crate::charts::Chart;
use crate::charts::forest::Row;
use crate::words::{comparison, spoken};
use lab::{CaseResult, Finding};

pub(crate) fn forest<'a>(id: &str, cases: impl Iterator<Item = &'a CaseResult>) -> Figures {
    let begun = cases.filter(|case| !case.slots.is_empty());
    let findings: Vec<_> = begun
        .flat_map(|case| case.findings.iter().map(move |finding| (case, finding)))
        .collect();
    if findings.is_empty() {
        return Figures::default();
    }
    let rows: Vec<_> = findings
        .iter()
        .map(|(case, finding)| row(case, finding))
        .collect();
    let desc: Vec<_> = rows
        .iter()
        .map(|row| format!("{}: {}", row.label, row.said))
        .collect();
    let figure = Figure {
        id: id.to_owned(),
        title: match rows.as_slice() {
            [row] => format!("{}: {}", row.label, row.said),
            rows => tally(rows.iter().map(|row| row.tone)),
        },
        desc: desc.join("; "),
        legend: Legend::None,
        data: None,
        chart: Chart::Forest(rows),
    };
    figure.into()
}

/// `block 1,000: thread vs process`; of a single case the pair first, as its title may be too long.
fn label(case: &CaseResult, finding: &Finding) -> String {
    let pair = format!("{} vs {}", finding.subject, finding.reference);
    match &case.case.sweep {
        Some(point) => format!(
            "{} {}: {pair}",
            spoken(&point.parameter),
            case.case.point_value()
        ),
        None => format!("{pair}: {}", case.case.title),
    }
}

fn row(case: &CaseResult, finding: &Finding) -> Row {
    let said = comparison(finding.estimate.as_ref(), &finding.verdict);
    Row {
        label: label(case, finding),
        said: said.with_interval(),
        tone: said.tone,
        ratio: finding.estimate.map(|estimate| estimate.ratio),
        interval: finding.estimate.and_then(|estimate| estimate.interval()),
        floor: finding.floor,
    }
}
