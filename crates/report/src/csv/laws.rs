//! `laws.csv`: how time grows with the number of workers.

use lab::{Law, Results, Shape, StudyResult};

use super::{Field, filled_in, names, number, sheet_of_some, text, whole};

struct Row<'a> {
    study: &'a StudyResult,
    law: &'a Law,
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("study", |row| text(&row.study.study.name)),
    ("sweep", |row| text(&row.law.sweep)),
    ("kind", |row| text(&row.law.kind)),
    ("variant", |row| text(&row.law.variant)),
    ("from_workers", |row| number(Some(row.law.counts[0]))),
    ("to_workers", |row| number(Some(row.law.counts[1]))),
    ("counts", |row| whole(Some(row.law.line.places as u64))),
    ("slots", |row| whole(Some(row.law.line.points as u64))),
    ("shape", |row| text(word(row.law.shape))),
    ("expected", |row| text(row.law.expected.map_or("", word))),
    ("each_further_worker_ns", |row| {
        number(Some(row.law.line.slope))
    }),
    ("low_ns", |row| number(row.law.line.low)),
    ("high_ns", |row| number(row.law.line.high)),
    ("at_zero_ns", |row| number(Some(row.law.line.at_zero))),
    ("growth", |row| number(Some(row.law.growth))),
    ("growth_low", |row| {
        number(row.law.growth_interval.map(|ends| ends[0]))
    }),
    ("growth_high", |row| {
        number(row.law.growth_interval.map(|ends| ends[1]))
    }),
    ("straightness", |row| number(row.law.line.straightness)),
    ("cpu_share", |row| number(row.law.cpu_share)),
    ("sentence", |row| text(&row.law.sentence)),
];

/// One row a sweep and variant; `None` where there is none.
#[must_use]
pub fn laws(results: &Results) -> Option<String> {
    let studies = results.studies.iter();
    let rows = studies.flat_map(|study| study.laws.iter().map(move |law| Row { study, law }));
    let rows = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}

fn word(shape: Shape) -> &'static str {
    match shape {
        Shape::Flat => "flat",
        Shape::NearlyFlat => "nearly-flat",
        Shape::Between => "between",
        Shape::Linear => "linear",
        Shape::Steeper => "steeper",
        Shape::Growing => "growing",
        Shape::Steps => "steps",
        Shape::Falling => "falling",
        Shape::CannotTell => "cannot-tell",
    }
}
