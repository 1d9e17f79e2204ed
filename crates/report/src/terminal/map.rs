//! A map: one line a case, one column a model, each cell with its interval: beside it where
//! there is room for that of every model, else on a line of its own below.

use lab::{CaseResult, OperationMatrix, Results};

use super::case::{missing, title};
use super::page::Page;
use crate::number::{NONE, time};
use crate::table::{Cell, Column, Table};
use crate::words::{
    BUNDLES, Comparison, Tone, cause, comparison, cut_short_together, finding_of, noise_of,
};

/// A map under its heading. What it shows in words is said by the remarks of the study.
pub(super) fn map(page: &mut Page<'_>, results: &Results, map: &OperationMatrix<'_>) {
    let heading = map.setting();
    title(page, &heading, noise_of(&map.cases));
    page.text(
        2,
        Tone::Quiet,
        &format!(
            "Each operation under each model against the first one, and which shared resource it \
             is that makes the difference: {BUNDLES}."
        ),
    );
    let beside = table(map, Intervals::Beside);
    match page.shows_all(2, &beside) {
        true => page.table(2, &beside),
        false => page.table(2, &table(map, Intervals::Below)),
    }
    let rows = map
        .cases
        .iter()
        .map(|case| (*case, OperationMatrix::row(case)));
    for line in cut_short_together(results, rows) {
        page.text(2, Tone::Doubt, &line);
    }
    for case in &map.cases {
        missing(page, case);
    }
}

/// Where intervals stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Intervals {
    Beside,
    Below,
}

fn table(map: &OperationMatrix<'_>, intervals: Intervals) -> Table {
    let labels: Vec<&str> = labels(map);
    let (reference, subjects) = labels.split_first().map_or(("", &[][..]), |(r, s)| (*r, s));
    let heads = subjects.iter().flat_map(|label| {
        let interval = (intervals == Intervals::Beside).then(|| Column::left(""));
        [Column::right(short(label))].into_iter().chain(interval)
    });
    let columns = [Column::left("operation"), Column::right(reference).drop(2)];
    let rows = map.cases.iter().flat_map(|case| match intervals {
        Intervals::Beside => vec![row_beside(case, subjects)],
        Intervals::Below => rows_below(case, subjects),
    });
    Table {
        flex: 0,
        columns: columns
            .into_iter()
            .chain(heads)
            .chain([Column::left("because of")])
            .collect(),
        rows: rows.collect(),
    }
}

/// The models in the order of how much they share, the reference first.
fn labels<'a>(map: &OperationMatrix<'a>) -> Vec<&'a str> {
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

fn compared(case: &CaseResult, label: &str) -> Option<Comparison> {
    finding_of(case, label).map(|f| comparison(f.estimate.as_ref(), &f.verdict))
}

fn word(said: Option<&Comparison>) -> Cell {
    match said {
        Some(said) => Cell::new(said.tone, said.word.split(" within").next().unwrap_or(NONE)),
        None => Cell::new(Tone::Doubt, NONE),
    }
}

fn head(case: &CaseResult) -> [Cell; 2] {
    let typical = case.variants.first().and_then(|variant| variant.value);
    let typical = typical.map_or(NONE.to_owned(), |value| time(value.typical));
    [
        Cell::plain(OperationMatrix::row(case)),
        Cell::plain(&typical),
    ]
}

fn because(case: &CaseResult) -> Cell {
    let (tone, words) = cause(case);
    Cell::new(tone, words)
}

/// One row, each interval in a column of its own.
fn row_beside(case: &CaseResult, subjects: &[&str]) -> Vec<Cell> {
    let cells = subjects.iter().flat_map(|label| {
        let said = compared(case, label);
        let interval = said.as_ref().map_or("", |said| said.interval.as_str());
        [word(said.as_ref()), Cell::plain(interval)]
    });
    let row = head(case).into_iter().chain(cells);
    row.chain([because(case)]).collect()
}

/// Two rows: the intervals are in the second, in few columns, so that names keep theirs.
fn rows_below(case: &CaseResult, subjects: &[&str]) -> Vec<Vec<Cell>> {
    let said: Vec<_> = subjects.iter().map(|label| compared(case, label)).collect();
    let words = said.iter().map(|said| word(said.as_ref()));
    let first: Vec<Cell> = head(case)
        .into_iter()
        .chain(words)
        .chain([because(case)])
        .collect();
    let bare = |said: &Option<Comparison>| {
        let interval = said.as_ref().map_or("", |said| said.interval.as_str());
        let bare = interval.trim_matches(['[', ']']).replace(" ... ", "..");
        Cell::new(Tone::Quiet, &bare)
    };
    let second = [Cell::plain(""), Cell::plain("")].into_iter();
    let second = second.chain(said.iter().map(bare)).chain([Cell::plain("")]);
    let has_intervals = said.iter().flatten().any(|said| !said.interval.is_empty());
    let second: Option<Vec<Cell>> = has_intervals.then(|| second.collect());
    [first].into_iter().chain(second).collect()
}
