//! Tables: from `{|` to `|}`. A line that begins with `|-` begins a row, `|+` is the caption, `|`
//! and `!` begin cells, several with `||`, `!!`; any other line belongs to the cell before it. A
//! table without an end ends with what it lies in.

use super::block::{Lines, blocks};
use super::source::{Source, trimmed};
use super::tree::{Cell, Content, Row, Table};

#[derive(Debug, Clone, Copy)]
struct Open {
    is_header: bool,
    from: usize,
    to: usize,
}

struct Reader<'a, 's> {
    source: Source<'a, 's>,
    depth: u8,
    table: Table<'a>,
    row: Row<'a>,
    open: Option<Open>,
}

pub(super) fn table<'a>(
    lines: &mut Lines<'a, '_>,
    (from, to): (usize, usize),
    depth: u8,
) -> Table<'a> {
    let source = lines.source;
    let mut reader = Reader {
        source,
        depth,
        table: Table {
            attributes: source.text[from + 2..to].trim(),
            ..Table::default()
        },
        row: Row::default(),
        open: None,
    };
    let mut within = 0_u32;
    for (from, to) in lines.by_ref() {
        let line = source.text[from..to].trim_start();
        if within > 0 || line.starts_with("{|") {
            within += u32::from(line.starts_with("{|"));
            within -= u32::from(line.starts_with("|}"));
            reader.goes_on(from, to);
        } else if line.starts_with("|}") {
            break;
        } else {
            reader.line(to - line.len(), to);
        }
    }
    reader.end()
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self, from: usize, to: usize) {
        let text = self.source.text;
        match text.as_bytes().get(from..to) {
            Some([b'|', b'-', ..]) => {
                self.end_row();
                self.row.attributes = text[from + 2..to].trim_start_matches('-').trim();
            }
            Some([b'|', b'+', ..]) => {
                self.end_cell();
                self.table.caption = Some(self.source.inlines(from + 2, to));
            }
            Some([b'|', ..]) => self.cells(from + 1, to, false),
            Some([b'!', ..]) => self.cells(from + 1, to, true),
            _ => self.goes_on(from, to),
        }
    }

    fn cells(&mut self, from: usize, to: usize, is_header: bool) {
        let mut start = from;
        while let Some(bar) = self.double(start, to, is_header) {
            self.begin_cell(start, bar, is_header);
            start = bar + 2;
        }
        self.begin_cell(start, to, is_header);
    }

    /// Marks are skipped; in headers `!!` counts too.
    fn double(&self, from: usize, to: usize, is_header: bool) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let doubled = |sign: u8| {
            let mut at = from;
            while let Some(place) = self.source.outside(at, to, sign) {
                if bytes.get(place + 1) == Some(&sign) && place + 1 < to {
                    return Some(place);
                }
                at = place + 1;
            }
            None
        };
        let bars = doubled(b'|');
        let marks = if is_header { doubled(b'!') } else { None };
        bars.into_iter().chain(marks).min()
    }

    fn begin_cell(&mut self, from: usize, to: usize, is_header: bool) {
        self.end_cell();
        self.open = Some(Open {
            is_header,
            from,
            to,
        });
    }

    fn goes_on(&mut self, _from: usize, to: usize) {
        if let Some(open) = &mut self.open {
            open.to = to;
        }
    }

    fn end_cell(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let source = self.source;
        let first_line = source.outside(open.from, open.to, b'\n');
        let bar = source.outside(open.from, first_line.unwrap_or(open.to), b'|');
        let from = bar.map_or(open.from, |bar| bar + 1);
        let (start, end) = trimmed(source.text, from, open.to);
        self.row.cells.push(Cell {
            is_header: open.is_header,
            attributes: bar.map_or("", |bar| source.text[open.from..bar].trim()),
            content: match first_line {
                Some(_) => Content::Blocks(blocks(source, start, end, self.depth + 1)),
                None => Content::Line(source.inlines(start, end)),
            },
        });
    }

    fn end_row(&mut self) {
        self.end_cell();
        let row = std::mem::take(&mut self.row);
        if !row.cells.is_empty() {
            self.table.rows.push(row);
        }
    }

    fn end(mut self) -> Table<'a> {
        self.end_row();
        self.table
    }
}
