use maud::{Markup, html};

use crate::document::table::{Cell, Table};
use crate::words::Tone;

const WIDE: usize = 3;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Named<'a> {
    Heading(&'a str),
    Figure(&'a str),
}

pub(crate) fn table(table: &Table, named: Named<'_>) -> Markup {
    // Sentences wrap, and stack on a telephone.
    let wide = table.columns.len() >= WIDE && !table.has_prose();
    html! {
        div.scroll tabindex=[wide.then_some("0")] { (plain(table, named)) }
        @for reason in table.reasons() { p.quiet { "n/a: " (reason) } }
    }
}

pub(crate) fn plain(table: &Table, named: Named<'_>) -> Markup {
    let names = table.names;
    let (label, by) = match named {
        _ if !table.caption.is_empty() => (None, None),
        Named::Heading(words) => (Some(words), None),
        Named::Figure(id) => (None, Some(caption_id(id))),
    };
    html! {
            table class=[table.has_prose().then_some("prose")] aria-label=[label] aria-labelledby=[by] {
                @if !table.caption.is_empty() { caption { (table.caption) } }
                thead {
                    tr {
                        @for column in &table.columns {
                            @if column.head.is_empty() { td {} }
                            @else { th scope="col" class=[column.left.then_some("l")] { (column.head) } }
                        }
                    }
                }
                tbody {
                    @for (place, row) in table.rows.iter().enumerate() {
                        tr class=[begins(table, place).then_some("g")] {
                            @for (at, cell) in row.iter().enumerate() {
                                (self::cell(table, (place, at), cell, at == names))
                            }
                        }
                    }
                }
            }
    }
}

fn begins(table: &Table, row: usize) -> bool {
    row > 0 && table.grouped > 0 && !table.repeats(row, table.grouped - 1)
}

fn cell(table: &Table, (row, at): (usize, usize), cell: &Cell, is_name: bool) -> Markup {
    let text = cell.value.shown(table.columns[at].unit);
    let class = match (
        table.columns[at].left,
        table.repeats(row, at),
        class_of(cell.tone),
    ) {
        (_, true, _) => "rep",
        (true, _, "") => "l",
        (true, _, "doubt") => "l doubt",
        (_, _, other) => other,
    };
    let class = (!class.is_empty()).then_some(class);
    let column = &table.columns[at];
    let head = (table.has_prose() && !text.is_empty()).then_some(&column.head);
    html! {
        @if is_name { th scope="row" class=[class] { (text) } }
        @else { td class=[class] data-h=[head] { (text) } }
    }
}

pub(super) fn caption_id(figure: &str) -> String {
    format!("{figure}-t")
}

fn class_of(tone: Tone) -> &'static str {
    match tone {
        Tone::Faster => "faster",
        Tone::Slower => "slower",
        Tone::Doubt => "doubt",
        Tone::Quiet => "quiet",
        Tone::Plain | Tone::Strong => "",
    }
}
