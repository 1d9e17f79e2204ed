//! `laws.csv`: how time grows with the number of workers.

use lab::{Law, Shape};

use super::{Field, number, said, text, whole};

pub(super) type Column = (&'static str, fn(&&Law) -> Field);

pub(super) const COLUMNS: &[Column] = &[
    ("sweep", |row| text(&row.sweep)),
    ("kind", |row| text(&row.kind)),
    ("variant", |row| text(&row.variant)),
    ("from_workers", |row| number(Some(row.counts[0]))),
    ("to_workers", |row| number(Some(row.counts[1]))),
    ("counts", |row| whole(Some(row.line.places as u64))),
    ("slots", |row| whole(Some(row.line.points as u64))),
    ("shape", |row| word(Some(row.shape))),
    ("expected", |row| word(row.expected)),
    ("each_further_worker_ns", |row| number(Some(row.line.slope))),
    ("low_ns", |row| number(row.line.low)),
    ("high_ns", |row| number(row.line.high)),
    ("at_zero_ns", |row| number(Some(row.line.at_zero))),
    ("growth", |row| number(Some(row.growth))),
    ("growth_low", |row| {
        number(row.growth_interval.map(|e| e[0]))
    }),
    ("growth_high", |row| {
        number(row.growth_interval.map(|e| e[1]))
    }),
    ("straightness", |row| number(row.line.straightness)),
    ("cpu_share", |row| number(row.cpu_share)),
    ("sentence", |row| text(&row.sentence)),
];

fn word(shape: Option<Shape>) -> Field {
    let word = serde_json::to_value(shape).unwrap_or_default();
    said(word.as_str())
}
