//! `probes.csv`: each prediction that was put to the test behind a lowered limit.

use lab::Results;

use super::{filled_in, names, sheet_of_some};
use crate::document::probes::{COLUMNS, Row, rows};

/// All probes of a run; `None` where there were none.
#[must_use]
pub fn probes(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(rows);
    let filled = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names::<Row<'_>, _>(COLUMNS), filled)
}
