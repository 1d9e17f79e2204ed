//! `search.csv`: what the flows used that work made by itself, one row a variant.

use lab::Results;

use super::place::Place;
use super::sheet_of_some;
use crate::document::searched::COLUMNS;
use crate::document::variants::{Row, rows};

/// One row a variant; none where no work makes its own flows.
#[must_use]
pub fn searched(results: &Results) -> Option<String> {
    let filled = Place::all(results).flat_map(|place| {
        let rows = rows([place.case]).filter(|row| row.summary().self_managed.is_some());
        rows.map(move |row| place.row(COLUMNS, &row))
    });
    sheet_of_some(Place::names::<Row<'_>, _>(COLUMNS), filled)
}
