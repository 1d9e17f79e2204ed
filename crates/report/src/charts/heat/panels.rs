//! A grid drawn for a file, cut into panels of all rows where columns do not fit.

use maud::{Markup, html};

use super::{Cell, Grid, level};
use crate::charts::frame::{COLUMN, Frame, LINE, fitted, label, px, widest};
use crate::text::{TIE, visible, width, wrap};

const NARROWEST: f64 = 78.0;
/// In wider cells the eye loses the row.
const WIDEST: f64 = 150.0;
const FINE: f64 = 6.5;
const FINE_LINE: f64 = 13.0;
const HEAD_LINES: usize = 3;

struct Layout {
    left: f64,
    cell: f64,
    high: f64,
    row: f64,
    head: f64,
}

pub(crate) fn heat(frame: &Frame<'_>, grid: &Grid) -> Markup {
    if grid.rows.is_empty() || grid.columns.is_empty() {
        return html! {};
    }
    let labels = widest(grid.rows.iter().map(String::as_str), 0.3 * frame.width);
    let left = labels + 14.0;
    let room = frame.width - left - 4.0;
    let fit = ((room / NARROWEST) as usize).clamp(1, grid.columns.len());
    let panels = grid.columns.len().div_ceil(fit);
    let each = grid.columns.len().div_ceil(panels);
    let cell = (room / each as f64).min(WIDEST);
    let layout = layout(grid, left, cell);
    let panel_height = layout.head + layout.row * grid.rows.len() as f64 + LINE;
    let starts = (0..grid.columns.len()).step_by(each).enumerate();
    let body = html! {
        @for (place, first) in starts {
            @let last = (first + each).min(grid.columns.len());
            (panel(grid, &layout, first..last, panel_height * place as f64))
        }
    };
    frame.svg(panel_height * panels as f64, None, &body)
}

fn layout(grid: &Grid, left: f64, cell: f64) -> Layout {
    let cells = grid.cells.iter().flatten().flatten();
    let high = cells
        .map(|one| {
            let (word, ends) = (words(&one.word, cell), ends(&one.ends, cell));
            word.len() as f64 * LINE + ends.len() as f64 * FINE_LINE
        })
        .fold(LINE, f64::max)
        + 10.0;
    let heads = grid.columns.iter().map(|head| heading(head, cell).len());
    Layout {
        left,
        cell,
        high,
        row: high + 2.0,
        head: heads.max().unwrap_or(1) as f64 * LINE + 8.0,
    }
}

fn panel(grid: &Grid, layout: &Layout, columns: std::ops::Range<usize>, top: f64) -> Markup {
    let left = |place: usize| layout.left + layout.cell * place as f64;
    html! {
        @for (place, column) in columns.clone().enumerate() {
            @let lines = heading(&grid.columns[column], layout.cell);
            @for (at, line) in lines.iter().enumerate() {
                @let up = (lines.len() - 1 - at) as f64 * LINE;
                (label(left(place) + layout.cell / 2.0, top + layout.head - 8.0 - up, "middle", "name", line))
            }
        }
        @for (row, name) in grid.rows.iter().enumerate() {
            @let below = top + layout.head + layout.row * (row + 1) as f64;
            @let y = below - layout.high;
            @let middle = y + layout.high / 2.0 + 4.0;
            (label(layout.left - 8.0, middle, "end", "", &fitted(name, layout.left - 12.0)))
            @for (place, column) in columns.clone().enumerate() {
                @let cell = grid.cells.get(row).and_then(|cells| cells.get(column)?.as_ref());
                (self::cell(grid, (row, column), cell, (left(place), y), layout))
            }
        }
    }
}

fn cell(
    grid: &Grid,
    (row, column): (usize, usize),
    cell: Option<&Cell>,
    (x, y): (f64, f64),
    layout: &Layout,
) -> Markup {
    let level = cell.map_or("hn", level);
    let said = cell.map_or("not compared".to_owned(), |cell| {
        format!("{} {}", cell.word, cell.ends).trim_end().to_owned()
    });
    let (w, h) = (px(layout.cell - 2.0), px(layout.high));
    html! {
        g class=(format!("cell {level}")) {
            rect x=(px(x + 1.0)) y=(px(y)) width=(w) height=(h) {
                title { (visible(&grid.rows[row])) ", " (visible(&grid.columns[column])) ": " (said) }
            }
            @if level == "hd" {
                rect class="hatch" x=(px(x + 1.0)) y=(px(y)) width=(w) height=(h) fill="url(#hatch)" {}
            }
            @if let Some(cell) = cell { (text(cell, x + layout.cell / 2.0, y, layout)) }
        }
    }
}

fn text(cell: &Cell, middle: f64, y: f64, layout: &Layout) -> Markup {
    let (word, ends) = (
        words(&cell.word, layout.cell),
        ends(&cell.ends, layout.cell),
    );
    let height = word.len() as f64 * LINE + ends.len() as f64 * FINE_LINE;
    let top = y + (layout.high - height) / 2.0;
    let below = top + word.len() as f64 * LINE;
    html! {
        @for (at, line) in word.iter().enumerate() {
            (label(middle, top + LINE * at as f64 + 12.0, "middle", "", line))
        }
        @for (at, line) in ends.iter().enumerate() {
            (label(middle, below + FINE_LINE * at as f64 + 10.0, "middle", "fine", line))
        }
    }
}

fn words(word: &str, cell: f64) -> Vec<String> {
    lines(word, (cell - 8.0) / COLUMN)
}

fn ends(ends: &str, cell: f64) -> Vec<String> {
    let tied = ends
        .replacen(" ...", &format!("{TIE}..."), 1)
        .replace(" %", &format!("{TIE}%"));
    lines(&tied, (cell - 6.0) / FINE)
}

fn lines(text: &str, columns: f64) -> Vec<String> {
    let text = visible(text);
    if text.is_empty() {
        return Vec::new();
    }
    wrap(&text, columns as usize)
}

fn heading(text: &str, cell: f64) -> Vec<String> {
    let most = ((cell - 6.0) / COLUMN) as usize;
    let mut lines = vec![String::new()];
    let text = visible(text);
    for part in text.split_inclusive([' ', '-', '/']) {
        let last = lines.last().map_or(0, |line| width(line));
        if last > 0 && last + width(part.trim_end()) > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(part);
        }
    }
    if lines.len() > HEAD_LINES {
        let rest = lines.split_off(HEAD_LINES - 1).concat();
        lines.push(rest);
    }
    lines
        .iter()
        .map(|line| fitted(line.trim_end(), cell - 4.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_where_it_may_be() {
        assert_eq!(
            ends("[0.967 ... 1.021]", 78.0),
            ["[0.967\u{a0}...", "1.021]"]
        );
        assert_eq!(ends("[0.967 ... 1.021]", 150.0), ["[0.967\u{a0}... 1.021]"]);
        assert_eq!(words("same within 1 %", 78.0), ["same", "within 1", "%"]);
        assert_eq!(
            heading("thread-private-files", 80.0),
            ["thread-", "private-", "files"]
        );
        assert_eq!(
            heading("an endless-tale-of-very-many-words", 80.0).len(),
            HEAD_LINES
        );
    }
}
