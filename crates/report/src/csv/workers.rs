//! `workers.csv`: what each worker used, and all of them together.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::workers::{COLUMNS, Row, Table};

/// One row a worker and one for all of a variant; `None` where no study has workers.
#[must_use]
pub fn workers(results: &Results) -> Option<String> {
    let tables: Vec<Table> = results.studies.iter().filter_map(Table::of).collect();
    let rows = tables
        .iter()
        .flat_map(|table| &table.kinds)
        .flat_map(|kind| &kind.rows);
    sheet_of_some(
        names::<Row, _>(COLUMNS),
        rows.map(|row| filled_in(COLUMNS, row)),
    )
}
