//! What workers used, kind by kind, with the source's figures below ours.

use lab::StudyResult;

use super::page::Page;
use crate::number::{bytes, time};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;
use crate::workers::{self, Kind, NOTE, Row, Whose, share};

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
    let columns = vec![
        Column::left("worker"),
        Column::right("CPU %"),
        Column::right("memory"),
        Column::right("RSS").drop(3),
        Column::right("peak").drop(2),
        Column::right("calls").drop(1),
        Column::right("disk"),
        Column::right("files").drop(4),
        Column::right("time"),
    ];
    let rows = workers.kinds.iter().flat_map(rows_of).collect();
    Table {
        flex: 0,
        columns,
        rows,
    }
}

/// A line with the kind alone, then its rows.
fn rows_of(kind: &Kind<'_>) -> Vec<Vec<Cell>> {
    let mut head = vec![Cell::new(Tone::Strong, &kind.case.case.name)];
    head.extend(std::iter::repeat_n(Cell::plain(""), 8));
    std::iter::once(head)
        .chain(kind.rows.iter().map(cells))
        .collect()
}

fn cells(row: &Row) -> Vec<Cell> {
    let tone = match row.whose {
        Whose::Worker(_) | Whose::Source(_) => Tone::Quiet,
        Whose::All => Tone::Plain,
    };
    let texts = [
        row.who.clone(),
        row.cpu_share.shown(share),
        row.memory.shown(bytes),
        row.rss.shown(bytes),
        row.peak.shown(bytes),
        row.calls.shown(bytes),
        row.disk.shown(bytes),
        row.files.shown(bytes),
        row.time.shown(time),
    ];
    texts.iter().map(|text| Cell::new(tone, text)).collect()
}
