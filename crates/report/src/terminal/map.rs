//! A map: one line a case, one column a model.

use lab::{CaseResult, Map, Results};

use super::case::{missing, title};
use super::page::Page;
use crate::number::{NONE, time};
use crate::table::{Cell, Column, Table};
use crate::words::{Tone, cause, comparison, cut_short, finding_of, noise_of};

/// A map under its heading. What it shows in words is said by the remarks of the study.
pub(super) fn map(page: &mut Page<'_>, results: &Results, map: &Map<'_>) {
    let heading = map.setting();
    title(page, &heading, noise_of(&map.cases));
    page.text(
        2,
        Tone::Quiet,
        "Each operation under each model against the first one, and which shared resource it is that makes the difference.",
    );
    page.table(2, &table(map));
    for case in &map.cases {
        if let Some(cut) = cut_short(results, case) {
            page.text(2, Tone::Doubt, &format!("{}: {cut}", Map::row(case)));
        }
        missing(page, case);
    }
}

fn table(map: &Map<'_>) -> Table {
    let labels: Vec<&str> = labels(map);
    let (reference, subjects) = labels.split_first().map_or(("", &[][..]), |(r, s)| (*r, s));
    let heads = subjects.iter().map(|label| Column::right(short(label)));
    let columns = [Column::left("operation"), Column::right(reference).drop(2)];
    let interval = Column::left("").drop(1);
    Table {
        flex: 0,
        columns: columns
            .into_iter()
            .chain(heads)
            .chain([interval, Column::left("because of")])
            .collect(),
        rows: map.cases.iter().map(|case| row(case, subjects)).collect(),
    }
}

/// The models in the order of how much they share, the reference first.
fn labels<'a>(map: &Map<'a>) -> Vec<&'a str> {
    let variants = map
        .cases
        .first()
        .into_iter()
        .flat_map(|case| &case.variants);
    variants.map(|variant| variant.label.as_str()).collect()
}

/// Headings that leave room for numbers.
fn short(label: &str) -> &str {
    match label {
        "process-shared-files" => "+files shared",
        "thread-private-files" => "-files shared",
        other => other,
    }
}

fn row(case: &CaseResult, subjects: &[&str]) -> Vec<Cell> {
    let typical = case.variants.first().and_then(|variant| variant.value);
    let mut row = vec![
        Cell::plain(Map::row(case)),
        Cell::plain(&typical.map_or(NONE.to_owned(), |value| time(value.typical))),
    ];
    let mut interval = String::new();
    for label in subjects {
        let said = finding_of(case, label).map(|f| comparison(f.estimate.as_ref(), &f.verdict));
        row.push(match &said {
            Some(said) => Cell::new(said.tone, said.word.split(" within").next().unwrap_or(NONE)),
            None => Cell::new(Tone::Doubt, NONE),
        });
        interval = said.map(|said| said.interval).unwrap_or_default();
    }
    let (tone, words) = cause(case);
    row.extend([Cell::plain(&interval), Cell::new(tone, words)]);
    row
}
