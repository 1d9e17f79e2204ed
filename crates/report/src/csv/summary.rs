//! `summary.csv`: each variant over all its good slots.

use lab::Results;

use super::place::Place;
use super::sheet;
use crate::document::variants::{COLUMNS, Row, rows};

/// One row a variant of each case.
#[must_use]
pub fn summary(results: &Results) -> String {
    let filled = Place::all(results).flat_map(|place| {
        let rows = rows([place.case]);
        rows.map(move |row| place.row(COLUMNS, &row))
    });
    sheet(Place::names::<Row<'_>, _>(COLUMNS), filled)
}
