//! How many flows there can be, as a table.

use lab::StudyResult;

use super::page::Page;
use crate::limits_now::{HEADS, TITLE, notes, remedies, row};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// Columns for the names of models beside what raises their limit.
const NAMES: usize = 26;

/// The limits of a study that has some. Commands are too long for a column: they stand below.
pub(super) fn limits(page: &mut Page<'_>, study: &StudyResult) {
    if study.limits.is_empty() {
        return;
    }
    page.blank();
    page.text(0, Tone::Strong, TITLE);
    let [flows, most, stopped, raise, create, memory] = HEADS;
    let rows = study.limits.iter().map(|limit| {
        let [flows, most, stopped, _, create, memory] = row(limit);
        let cells = [flows, most, create, memory, stopped];
        cells.iter().map(|field| Cell::plain(field)).collect()
    });
    let table = Table {
        flex: 4,
        columns: vec![
            Column::left(flows),
            Column::right(most),
            Column::right(create).drop(1),
            Column::right(memory).drop(2),
            Column::left(stopped),
        ],
        rows: rows.collect(),
    };
    page.table(2, &table);
    page.text(2, Tone::Plain, &format!("{raise}:"));
    for (names, command) in remedies(study) {
        page.entry(&names, NAMES, &command);
    }
    for note in notes(study) {
        page.text(2, Tone::Quiet, &note);
    }
}
