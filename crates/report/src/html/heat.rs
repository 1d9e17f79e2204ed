//! A grid of comparisons: rows by columns.

use lab::Finding;
use maud::{Markup, html};

use super::figure::Figure;
use super::table::table;
use crate::charts::heat::{Cell, Grid, heat as chart, scale};
use crate::number::{NONE, ratio_ends};
use crate::words::comparison;

impl Cell {
    /// A finding as a cell.
    pub(crate) fn of(finding: &Finding) -> Self {
        let said = comparison(finding.estimate.as_ref(), &finding.verdict);
        Self {
            ratio: finding.estimate.map(|estimate| estimate.ratio),
            interval: finding.estimate.and_then(|estimate| estimate.interval()),
            word: said.word,
            ends: said.interval,
            tone: said.tone,
        }
    }
}

/// The chart with its data; nothing where no cell holds a comparison. `corner` says what
/// rows and columns are: `body, model`.
pub(crate) fn heat(id: &str, title: &str, corner: [&str; 2], grid: &Grid) -> Markup {
    if grid.cells.iter().flatten().flatten().next().is_none() {
        return html! {};
    }
    let rows = rows(grid);
    let said = rows
        .iter()
        .map(|row| format!("{}, {}: {}", row[0], row[1], row[2]));
    let desc = said.collect::<Vec<_>>().join("; ");
    let heads = [corner[0], corner[1], "verdict", "time ratio", "from", "to"];
    let figure = Figure {
        id,
        title,
        desc: &desc,
        legend: legend(),
        data: table(&heads, &rows),
    };
    figure.draw(|frame| chart(frame, grid))
}

/// One row a cell that holds a comparison.
fn rows(grid: &Grid) -> Vec<Vec<String>> {
    let cells = grid.rows.iter().zip(&grid.cells).flat_map(|(row, cells)| {
        let cells = grid.columns.iter().zip(cells);
        cells.filter_map(move |(column, cell)| Some((row, column, cell.as_ref()?)))
    });
    let row = |(row, column, cell): (&String, &String, &Cell)| {
        let ends = cell.interval.map(|(low, high)| ratio_ends(low, high));
        let [low, high] = ends.unwrap_or([NONE; 2].map(str::to_owned));
        let ratio = cell.ratio.map(|ratio| format!("{ratio:.4}"));
        let said = format!("{} {}", cell.word, cell.ends).trim_end().to_owned();
        vec![
            row.clone(),
            column.clone(),
            said,
            ratio.unwrap_or(NONE.to_owned()),
            low,
            high,
        ]
    };
    cells.map(row).collect()
}

/// The colours of the scale.
fn legend() -> Markup {
    html! {
        ul.legend.scale {
            @for (class, said) in scale() {
                li { svg.sample viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" {
                    g class=(format!("cell {class}")) {
                        rect x="1" y="1" width="12" height="12" {}
                        @if class == "hd" { rect class="hatch" x="1" y="1" width="12" height="12" fill="url(#hatch)" {} }
                    }
                } " " (said) }
            }
        }
    }
}
