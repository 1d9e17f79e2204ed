//! Findings on one axis of ratios: one for cases alone, one for each sweep, whose ends may be far.

use super::{Figure, tally};
use crate::charts::Chart;
use crate::charts::forest::Row;
use crate::words::{found, spoken};
use lab::{CaseResult, Finding};

pub(crate) fn forest<'a>(id: &str, cases: impl Iterator<Item = &'a CaseResult>) -> Option<Figure> {
    let begun = cases.filter(|case| !case.slots.is_empty());
    let rows = begun.flat_map(|case| case.findings.iter().map(|finding| row(case, finding)));
    of_rows(id, rows.collect(), |rows| match rows {
        [row] => format!("{}: {}", row.label, row.said),
        rows => tally(rows.iter().map(|row| row.tone)),
    })
}

pub(crate) fn of_rows(
    id: &str,
    rows: Vec<Row>,
    title: impl Fn(&[Row]) -> String,
) -> Option<Figure> {
    let said = rows
        .iter()
        .map(|row| format!("{}: {}", row.label, row.said));
    let desc = said.collect::<Vec<_>>().join("; ");
    (!rows.is_empty()).then(|| Figure::new(id, title(&rows), desc, Chart::Forest(rows)))
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
    let (said, estimate) = (found(finding), finding.estimate.as_ref());
    Row::of(label(case, finding), &said, estimate, finding.floor)
}
