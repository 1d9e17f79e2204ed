//! `limits.csv`: how many flows of each variant there can be, and what one costs.

use lab::{Limit, Results};

use super::{Field, filled_in, names, number, sheet_of_some, text, whole};

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

struct Row<'a> {
    study: &'a str,
    limit: &'a Limit,
}

const COLUMNS: &[Column] = &[
    ("study", |row| text(row.study)),
    ("variant", |row| text(&row.limit.label)),
    ("model", |row| text(row.limit.model.to_string())),
    ("at_most", |row| {
        whole(row.limit.room.as_ref().map(|room| room.count))
    }),
    ("limit", |row| {
        let room = row.limit.room.as_ref();
        room.map_or(Field::Nothing, |room| text(&room.bites))
    }),
    ("limit_value", |row| {
        whole(row.limit.room.as_ref().map(|room| room.value))
    }),
    ("left_of_limit", |row| {
        whole(row.limit.room.as_ref().map(|room| room.left))
    }),
    ("needed_each", |row| {
        whole(row.limit.room.as_ref().map(|room| room.each))
    }),
    ("to_raise_it", |row| {
        let room = row.limit.room.as_ref();
        room.map_or(Field::Nothing, |room| text(&room.raise))
    }),
    ("made", |row| whole(Some(row.limit.made))),
    ("create_ns_each", |row| number(row.limit.create_ns_each)),
    ("bytes_each", |row| number(row.limit.bytes_each)),
    ("bytes_not_available", |row| {
        text(row.limit.bytes_not_available.as_deref().unwrap_or_default())
    }),
];

/// All limits of a run; `None` where it asked for none.
#[must_use]
pub fn limits(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(|study| {
        let name = study.study.name.as_str();
        let limits = study.limits.iter();
        limits.map(move |limit| Row { study: name, limit })
    });
    let rows = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}
