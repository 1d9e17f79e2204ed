//! Tables of work that makes its own flows: the source's table, its chart by the number of
//! workers, and where the time went.

use lab::{CaseResult, SelfManaged, StudyResult, VariantSummary};

use super::page::Page;
use crate::number::{NONE, bytes, plain, time};
use crate::searched::{
    self, ByNumber, CLASSES, NOTE_TABLE, Row, classes, note_classes, number, timers,
};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;
use crate::workers::share;

/// All tables of a study; false where none of its work makes its own flows.
pub(super) fn searched(page: &mut Page<'_>, study: &StudyResult) -> bool {
    let rows = searched::then_and_now(study);
    let by_number = ByNumber::of(study);
    if rows.is_none() && by_number.is_none() {
        return false;
    }
    page.blank();
    if let Some(origin) = &study.study.origin {
        let source = format!("{}, \"{}\", {}", origin.author, origin.title, origin.year);
        page.text(0, Tone::Strong, &format!("Then and now · {source}"));
        let found = format!("{}: {}", origin.year, origin.finding);
        page.text(2, Tone::Plain, &found);
    }
    if let Some(rows) = rows {
        page.table(2, &table(&rows));
        page.text(2, Tone::Quiet, NOTE_TABLE);
    }
    if let Some(by_number) = by_number {
        page.blank();
        let mut numbers = by_number.numbers.iter();
        let star = numbers.any(|&at| by_number.columns.iter().any(|column| column.is_best(at)));
        let star = if star { " (* the best)" } else { "" };
        let title = format!("Time by the number of workers{star}");
        page.text(0, Tone::Strong, &title);
        page.table(2, &chart(&by_number));
    }
    profiles(page, study);
    true
}

fn table(rows: &[Row]) -> Table {
    let row = |row: &Row| {
        let tone = if row.from_source {
            Tone::Quiet
        } else {
            Tone::Plain
        };
        let texts = [
            row.who.clone(),
            row.user.shown(time),
            row.system.shown(time),
            row.cpu_share.shown(share),
            row.total.shown(time),
        ];
        texts.iter().map(|text| Cell::new(tone, text)).collect()
    };
    Table {
        flex: 0,
        columns: vec![
            Column::left("done by"),
            Column::right("user").drop(1),
            Column::right("system").drop(2),
            Column::right("CPU %"),
            Column::right("total"),
        ],
        rows: rows.iter().map(row).collect(),
    }
}

/// Columns are left out from the last on, those of the source first.
fn chart(by_number: &ByNumber<'_>) -> Table {
    let columns = by_number.columns.iter().enumerate().map(|(place, series)| {
        let column = Column::right(&series.name);
        match place {
            0 => column,
            _ => column.drop(u8::MAX - u8::try_from(place).unwrap_or(u8::MAX)),
        }
    });
    let row = |&at: &u32| {
        let cells = by_number.columns.iter().map(|series| {
            let best = if series.is_best(at) { "*" } else { " " };
            let text = series
                .at(at)
                .map_or(String::new(), |ns| format!("{}{best}", time(ns)));
            Cell::plain(&text)
        });
        [Cell::plain(&number(at))]
            .into_iter()
            .chain(cells)
            .collect()
    };
    Table {
        flex: 0,
        columns: [Column::right("workers")]
            .into_iter()
            .chain(columns)
            .collect(),
        rows: by_number.numbers.iter().map(row).collect(),
    }
}

fn profiles(page: &mut Page<'_>, study: &StudyResult) {
    let profiles = searched::profiles(study);
    if profiles.is_empty() {
        return;
    }
    page.blank();
    page.text(0, Tone::Strong, "Where the time of the flows goes");
    let row = |(at, (case, variant, own)): (usize, &(&str, &str, &SelfManaged))| {
        // The name of a case stands in its first row.
        let same = at > 0 && profiles[at - 1].0 == *case;
        let who = [if same { "" } else { case }, variant].map(str::to_owned);
        let times = classes(own).into_iter().map(time);
        let texts = who.into_iter().chain(times).chain([timers(own)]);
        texts.map(|text| Cell::plain(&text)).collect()
    };
    let mut columns = vec![Column::left("case"), Column::left("variant")];
    columns.extend(CLASSES.map(|class| match class {
        // The least of all first, where room is short.
        "print" => Column::right(class).drop(2),
        "create" => Column::right(class).drop(3),
        "walk" => Column::right(class).drop(4),
        "wait" => Column::right(class).drop(5),
        _ => Column::right(class),
    }));
    columns.push(Column::right("timers").drop(1));
    let table = Table {
        flex: 1,
        columns,
        rows: profiles.iter().enumerate().map(row).collect(),
    };
    page.table(2, &table);
    let shown = page.heads(2, &table);
    let note = note_classes(|column| shown.contains(&column));
    page.text(2, Tone::Quiet, &note);
}

/// Columns of a case.
pub(super) fn columns(reference: &str) -> Vec<Column> {
    vec![
        Column::left("variant"),
        Column::right("total"),
        Column::right("user").drop(5),
        Column::right("system").drop(6),
        Column::right("CPU %").drop(8),
        Column::right("flows made").drop(2),
        Column::right("faults").drop(3),
        Column::right("switches").drop(4),
        Column::right("peak RSS").drop(1),
        Column::right(&format!("vs {reference}")),
        Column::left("").drop(7),
    ]
}

/// A row of a case, without how it compares.
pub(super) fn row(variant: &VariantSummary) -> Vec<Cell> {
    let own = variant.self_managed.as_ref();
    let shown = |value: Option<f64>, unit: fn(f64) -> String| {
        value.map_or(Cell::new(Tone::Doubt, NONE), |value| {
            Cell::plain(&unit(value))
        })
    };
    vec![
        Cell::plain(&variant.label),
        shown(variant.value.map(|value| value.typical), time),
        shown(own.map(|own| own.user_ns), time),
        shown(own.map(|own| own.system_ns), time),
        shown(own.map(|own| own.cpu_share), share),
        shown(own.map(|own| own.made), plain),
        shown(variant.counts.map(|counts| counts.faults()), plain),
        shown(variant.counts.map(|counts| counts.switches()), plain),
        shown(own.map(|own| own.peak_rss), bytes),
    ]
}

/// What a case searched.
pub(super) fn what(page: &mut Page<'_>, case: &CaseResult) {
    if let Some(what) = searched::what_was_searched(case) {
        page.text(2, Tone::Quiet, &what);
    }
}
