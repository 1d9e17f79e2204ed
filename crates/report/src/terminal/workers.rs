//! What workers used, kind by kind, with the source's figures below ours.

use lab::StudyResult;

use super::page::Page;
use crate::table::{Cell, Column, Table};
use crate::words::Tone;
use crate::workers::{self, HEADS, Kind, NOTE, Row, Whose};

/// The table; false where the study has no workers.
pub(super) fn workers(page: &mut Page<'_>, study: &StudyResult) -> bool {
    let Some(workers) = workers::Table::of(study) else {
        return false;
    };
    page.blank();
    match &study.study.origin {
        Some(origin) => {
            let source = format!("{}, \"{}\", {}", origin.author, origin.title, origin.year);
            page.text(0, Tone::Strong, &format!("Then and now · {source}"));
            let found = format!("{}: {}", origin.year, origin.finding);
            page.text(2, Tone::Plain, &found);
        }
        None => page.text(0, Tone::Strong, "What the workers used"),
    }
    page.table(2, &table(&workers));
    for kind in &workers.kinds {
        let said = kind.verdict.join("; ");
        page.text(2, Tone::Plain, &format!("{}: {said}", kind.case.case.name));
    }
    page.text(2, Tone::Quiet, NOTE);
    for reason in workers.reasons() {
        page.text(2, Tone::Quiet, &format!("n/a: {reason}"));
    }
    true
}

fn table(workers: &workers::Table<'_>) -> Table {
    let columns = std::iter::once(Column::left("worker"));
    let columns = columns.chain(HEADS.into_iter().map(column)).collect();
    let rows = workers.kinds.iter().flat_map(rows_of).collect();
    Table {
        flex: 0,
        columns,
        rows,
    }
}

/// A column of figures. What an answer needs least goes first where the paper is narrow.
fn column(head: &str) -> Column {
    match head {
        "given to calls" => Column::right("calls").drop(1),
        "peak" => Column::right(head).drop(2),
        "RSS" => Column::right(head).drop(3),
        "files" => Column::right(head).drop(4),
        _ => Column::right(head),
    }
}

/// A line with the kind alone, then its rows.
fn rows_of(kind: &Kind<'_>) -> Vec<Vec<Cell>> {
    let mut head = vec![Cell::new(Tone::Strong, &kind.case.case.name)];
    head.extend(std::iter::repeat_n(Cell::plain(""), HEADS.len()));
    std::iter::once(head)
        .chain(kind.rows.iter().map(cells))
        .collect()
}

fn cells(row: &Row) -> Vec<Cell> {
    let tone = match row.whose {
        Whose::Worker(_) | Whose::Source(_) => Tone::Quiet,
        Whose::All => Tone::Plain,
    };
    let texts = std::iter::once(row.who.clone()).chain(row.cells());
    texts.map(|text| Cell::new(tone, &text)).collect()
}
