//! Tables of a document as text, laid out by [`layout`]. Tables of sentences have cells wrapped
//! within columns; narrower than [`COLUMN`], each row is cell below cell.

use super::layout;
use super::page::Page;
use crate::document::table::{Cell, Column, Table, Value};
use crate::text::{tied, width, wrap};
use crate::words::Tone;

const COLUMN: usize = 24;
const GAP: usize = 2;

pub(super) fn table(page: &mut Page<'_>, indent: usize, table: &Table) {
    if !table.caption.is_empty() {
        page.text(indent, Tone::Quiet, &table.caption);
    }
    match table.has_prose() {
        true => sentences(page, indent, table),
        false => page.table(indent, &laid_out(page, table)),
    }
    for reason in table.reasons() {
        page.text(indent, Tone::Quiet, &format!("n/a: {reason}"));
    }
}

fn laid_out(page: &Page<'_>, table: &Table) -> layout::Table {
    let column = |column: &Column| Column {
        head: page.shown(&column.head).into_owned(),
        ..column.clone()
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
        (tone, page.shown(&text).into_owned())
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

fn sentences(page: &mut Page<'_>, indent: usize, table: &Table) {
    match widths(page, indent, table) {
        Some(widths) => {
            let heads = table.columns.iter();
            let heads = heads.map(|column| (Tone::Quiet, column.head.clone()));
            wrapped(page, indent, &widths, heads.collect());
            for row in &table.rows {
                let cells = row.iter().zip(&table.columns);
                let cells = cells.map(|(cell, column)| (cell.tone, cell.value.shown(column.unit)));
                wrapped(page, indent, &widths, cells.collect());
            }
        }
        None => table
            .rows
            .iter()
            .for_each(|row| below(page, indent, &table.columns, row)),
    }
}

/// `None` where sentences would have too little.
fn widths(page: &Page<'_>, indent: usize, table: &Table) -> Option<Vec<usize>> {
    let natural = |(at, column): (usize, &Column)| {
        let cells = table.rows.iter();
        let cells = cells.map(|row| width(&page.shown(&row[at].value.shown(column.unit))));
        cells.chain([width(&column.head)]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = table.columns.iter().enumerate().map(natural).collect();
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut room = (page.width() - indent.min(page.width())).checked_sub(gaps)?;
    // The narrowest first: what it does not need is left to the others.
    let mut open: Vec<usize> = (0..widths.len()).collect();
    open.sort_by_key(|&at| (table.columns[at].prose, widths[at]));
    for (place, &at) in open.iter().enumerate() {
        let share = room / (open.len() - place);
        if table.columns[at].prose {
            if share < COLUMN.min(widths[at]) {
                return None;
            }
            widths[at] = widths[at].min(share);
        }
        room = room.checked_sub(widths[at])?;
    }
    Some(widths)
}

fn wrapped(page: &mut Page<'_>, indent: usize, widths: &[usize], cells: Vec<(Tone, String)>) {
    let lines = cells.iter().zip(widths).map(|((_, text), width)| {
        let text = page.shown(text).into_owned();
        wrap(&tied(&text), *width)
    });
    let lines: Vec<Vec<String>> = lines.collect();
    for at in 0..lines.iter().map(Vec::len).max().unwrap_or(0) {
        let spans = lines.iter().zip(widths).zip(&cells).enumerate();
        let spans = spans.flat_map(|(column, ((of_cell, columns), (tone, _)))| {
            let text = of_cell.get(at).cloned().unwrap_or_default();
            // Space after the last column would have the line cut.
            let is_last = column + 1 == lines.len();
            let room = columns.saturating_sub(width(&text)) + GAP;
            let space = " ".repeat(if is_last { 0 } else { room });
            [(*tone, text), (Tone::Plain, space)]
        });
        let spans: Vec<(Tone, String)> = spans.collect();
        page.line(indent, &spans);
    }
}

fn below(page: &mut Page<'_>, indent: usize, columns: &[Column], row: &[Cell]) {
    let heads = columns.iter().skip(1).map(|column| width(&column.head));
    let head = heads.max().unwrap_or(0);
    for (at, (cell, column)) in row.iter().zip(columns).enumerate() {
        let text = cell.value.shown(column.unit);
        match at {
            _ if text.is_empty() => {}
            0 => page.text(indent, Tone::Plain, &text),
            _ => page.beside(indent + 2, (&column.head, head), cell.tone, &text),
        }
    }
}
