//! Tables of a document as text.

use super::layout;
use super::page::Page;
use crate::document::table::{Cell, Table, Value};
use crate::words::Tone;

/// The table under its caption, with the reasons for what is missing.
pub(super) fn table(page: &mut Page<'_>, indent: usize, table: &Table) {
    if !table.caption.is_empty() {
        page.text(indent, Tone::Quiet, &table.caption);
    }
    let laid = laid_out(page, table);
    page.table(indent, &laid);
    for reason in table.reasons() {
        page.text(indent, Tone::Quiet, &format!("n/a: {reason}"));
    }
}

fn laid_out(page: &Page<'_>, table: &Table) -> layout::Table {
    let column = |column: &crate::document::table::Column| {
        let head = page.shown(&column.head);
        let laid = match column.left {
            true => layout::Column::left(&head),
            false => layout::Column::right(&head),
        };
        match column.drop {
            Some(order) => laid.drop(order),
            None => laid,
        }
    };
    let cell = |row: usize, at: usize, cell: &Cell| {
        let text = match table.repeats(row, at) {
            true => String::new(),
            false => cell.value.shown(table.columns[at].unit),
        };
        let tone = match cell.value {
            Value::NotAvailable(_) => Tone::Doubt,
            _ => cell.tone,
        };
        layout::Cell::new(tone, &page.shown(&text))
    };
    let rows = table.rows.iter().enumerate();
    layout::Table {
        flex: table.names,
        columns: table.columns.iter().map(column).collect(),
        rows: rows
            .map(|(row, cells)| {
                let cells = cells.iter().enumerate();
                cells.map(|(at, one)| cell(row, at, one)).collect()
            })
            .collect(),
    }
}
