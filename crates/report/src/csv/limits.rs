//! `limits.csv`: how many flows of each variant there can be, and what one costs.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::limits::{COLUMNS, Row, rows};

/// All limits of a run; `None` where it asked for none.
#[must_use]
pub fn limits(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(rows);
    let filled = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names::<Row<'_>, _>(COLUMNS), filled)
}
