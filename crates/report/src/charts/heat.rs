//! A grid of ratios: rows by columns, each cell a comparison in colour and in words.
//!
//! # Theory
//!
//! Colour tells at a glance where one side wins; it never tells alone. Every cell has its
//! ratio, its verdict and its interval as text, and a cell whose comparison settles nothing
//! is hatched. The scale diverges from a neutral middle (*same*) to blue (faster) and to
//! orange (slower), which people who see no red or no green tell apart too. Its steps are
//! fixed, [`STEPS`], so that two grids can be laid side by side: a grid with small
//! differences stays pale.
//!
//! A cell must be wide enough for its words. Where not all columns fit beside each other,
//! the grid is cut into panels that stand below each other, each with all rows.

use maud::{Markup, html};

use super::{Frame, LINE, fitted, label, px, widest};
use crate::text::{TIE, visible, width, wrap};
use crate::words::Tone;

/// Ratios from which on a cell is of the next deeper colour.
pub(crate) const STEPS: [f64; 3] = [1.25, 2.0, 8.0];
/// No cell is narrower.
const NARROWEST: f64 = 78.0;
/// No cell is wider: beyond, the eye loses the row.
const WIDEST: f64 = 150.0;
/// What a column of the small text of intervals takes.
const FINE: f64 = 6.5;
/// Height of a line of small text.
const FINE_LINE: f64 = 13.0;
/// Lines of a heading, at most.
const HEAD_LINES: usize = 3;

/// A comparison in a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// Time of the subject over time of the reference.
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    /// The verdict in words: `1.31x faster`.
    pub(crate) word: String,
    /// The interval in words: `[1.27 ... 1.35]`.
    pub(crate) ends: String,
    pub(crate) tone: Tone,
}

/// A grid; `cells[row][column]`, `None` where nothing was compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) cells: Vec<Vec<Option<Cell>>>,
}

/// Where the parts of a panel are.
struct Layout {
    left: f64,
    cell: f64,
    /// Height of the cells.
    high: f64,
    /// From the top of one row to that of the next.
    row: f64,
    /// Height of the headings.
    head: f64,
}

/// The chart.
pub(crate) fn heat(frame: &Frame<'_>, grid: &Grid) -> Markup {
    if grid.rows.is_empty() || grid.columns.is_empty() {
        return html! {};
    }
    let labels = widest(grid.rows.iter().map(String::as_str), 0.3 * frame.width);
    let left = if frame.is_narrow() {
        4.0
    } else {
        labels + 14.0
    };
    let room = frame.width - left - 4.0;
    let fit = ((room / NARROWEST) as usize).clamp(1, grid.columns.len());
    // Panels of about equal numbers of columns.
    let panels = grid.columns.len().div_ceil(fit);
    let each = grid.columns.len().div_ceil(panels);
    let cell = (room / each as f64).min(WIDEST);
    let layout = layout(frame, grid, left, cell);
    let panel_height = layout.head + layout.row * grid.rows.len() as f64 + LINE;
    let starts = (0..grid.columns.len()).step_by(each).enumerate();
    let body = html! {
        @for (place, first) in starts {
            @let last = (first + each).min(grid.columns.len());
            (panel(frame, grid, &layout, first..last, panel_height * place as f64))
        }
    };
    frame.svg(panel_height * panels as f64, &body)
}

fn layout(frame: &Frame<'_>, grid: &Grid, left: f64, cell: f64) -> Layout {
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
        row: if frame.is_narrow() {
            high + 1.5 * LINE
        } else {
            high + 2.0
        },
        head: heads.max().unwrap_or(1) as f64 * LINE + 8.0,
    }
}

fn panel(
    frame: &Frame<'_>,
    grid: &Grid,
    layout: &Layout,
    columns: std::ops::Range<usize>,
    top: f64,
) -> Markup {
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
            (row_name(frame, layout, name, y))
            @for (place, column) in columns.clone().enumerate() {
                @let cell = grid.cells.get(row).and_then(|cells| cells.get(column)?.as_ref());
                (self::cell(grid, (row, column), cell, (left(place), y), layout))
            }
        }
    }
}

fn row_name(frame: &Frame<'_>, layout: &Layout, name: &str, y: f64) -> Markup {
    if frame.is_narrow() {
        label(
            layout.left,
            y - 5.0,
            "start",
            "name",
            &fitted(name, frame.width - 8.0),
        )
    } else {
        let middle = y + layout.high / 2.0 + 4.0;
        label(
            layout.left - 8.0,
            middle,
            "end",
            "",
            &fitted(name, layout.left - 12.0),
        )
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

/// The words of a cell, in the middle of it.
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
    lines(word, (cell - 8.0) / super::COLUMN)
}

/// The interval on one line, or broken behind its dots.
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

/// A heading in lines that are broken at spaces and behind hyphens.
fn heading(text: &str, cell: f64) -> Vec<String> {
    let most = ((cell - 6.0) / super::COLUMN) as usize;
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

/// The class of a cell: `h0` (much faster) over `h4` (the same) to `h8` (much slower), `hd`
/// where it cannot be told.
fn level(cell: &Cell) -> &'static str {
    const FASTER: [&str; 4] = ["h3", "h2", "h1", "h0"];
    const SLOWER: [&str; 4] = ["h5", "h6", "h7", "h8"];
    let deep = |ratio: f64| {
        STEPS
            .iter()
            .filter(|step| ratio.max(1.0 / ratio) >= **step)
            .count()
    };
    match (cell.tone, cell.ratio) {
        (Tone::Faster, Some(ratio)) => FASTER[deep(ratio)],
        (Tone::Slower, Some(ratio)) => SLOWER[deep(ratio)],
        (Tone::Doubt, _) => "hd",
        _ => "h4",
    }
}

/// The classes of the scale with what they mean, for a legend.
pub(crate) fn scale() -> Vec<(&'static str, String)> {
    let [small, some, much] = STEPS;
    vec![
        ("h0", format!("{much}x faster and more")),
        ("h1", format!("{some}x")),
        ("h2", format!("{small}x")),
        ("h3", "faster".to_owned()),
        ("h4", "same".to_owned()),
        ("h5", "slower".to_owned()),
        ("h6", format!("{small}x")),
        ("h7", format!("{some}x")),
        ("h8", format!("{much}x slower and more")),
        ("hd", "cannot tell".to_owned()),
    ]
}

/// The hatching of cells that settle nothing, once a page.
pub(crate) fn hatch() -> Markup {
    html! {
        pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
            line class="stroke" x1="0" y1="0" x2="0" y2="7" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(ratio: f64, tone: Tone) -> Cell {
        Cell {
            ratio: Some(ratio),
            interval: None,
            word: "cannot tell".to_owned(),
            ends: "[0.967 ... 1.021]".to_owned(),
            tone,
        }
    }

    #[test]
    fn the_colour_goes_by_verdict_and_then_by_size() {
        assert_eq!(level(&cell(0.99, Tone::Faster)), "h3");
        assert_eq!(level(&cell(0.5, Tone::Faster)), "h1");
        assert_eq!(level(&cell(0.1, Tone::Faster)), "h0");
        assert_eq!(level(&cell(1.3, Tone::Slower)), "h6");
        assert_eq!(level(&cell(800.0, Tone::Slower)), "h8");
        assert_eq!(level(&cell(1.3, Tone::Plain)), "h4");
        assert_eq!(level(&cell(1.3, Tone::Doubt)), "hd");
    }

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
