//! `scaling.csv`: throughput and pages against the number of flows.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::scaling::{COLUMNS, Row, rows};

/// One row a work, way, number of flows and variant; `None` where no study scales anything.
#[must_use]
pub fn scaling(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(rows);
    let filled = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names::<Row<'_>, _>(COLUMNS), filled)
}
