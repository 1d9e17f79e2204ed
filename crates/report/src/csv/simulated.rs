//! `simulated.csv`: what a model of another machine counted.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::simulated::{COLUMNS, Row, rows};

/// One row a case, variant and count; `None` where nothing was simulated.
#[must_use]
pub fn simulated(results: &Results) -> Option<String> {
    let studies = results.studies.iter();
    let rows = studies.flat_map(|study| rows(results, study));
    let filled = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names::<Row<'_>, _>(COLUMNS), filled)
}
