//! `published.csv`: what the sources of the studies found beside what this run says.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::then::{COLUMNS, Row, rows};

/// One row a finding; `None` where no study has a source.
#[must_use]
pub fn published(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(rows);
    sheet_of_some(
        names::<Row<'_>, _>(COLUMNS),
        rows.map(|row| filled_in(COLUMNS, &row)),
    )
}
