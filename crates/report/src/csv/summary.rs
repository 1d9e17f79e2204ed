//! `summary.csv`: each variant over all its good slots.

use lab::Results;

use super::place::Place;
use super::{filled_in, names, sheet};
use crate::document::variants::{COLUMNS, Column, MODEL, NAME, Row, axis_columns, rows};

/// One row a variant of each case.
#[must_use]
pub fn summary(results: &Results) -> String {
    let filled = Place::all(results).flat_map(|place| {
        let rows = rows([place.case]);
        rows.map(move |row| {
            let mut fields = place.row(&[NAME], &row);
            fields.extend(filled_in(MODEL, &row));
            fields.extend(row.launched().axes());
            fields.extend(filled_in(after_name(), &row));
            fields
        })
    });
    let head = Place::names::<Row<'_>, _>(&[NAME]);
    let head = head.chain(names::<Row<'_>, _>(MODEL));
    let head = head.chain(axis_columns().map(|(name, _)| *name));
    sheet(head.chain(names::<Row<'_>, _>(after_name())), filled)
}

fn after_name() -> &'static [Column] {
    &COLUMNS[1..]
}
