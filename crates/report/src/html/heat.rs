//! A grid of comparisons: rows by columns.

use super::figure::{Figure, Figures, Legend};
use super::table::table;
use crate::charts::Chart;
use crate::charts::heat::{Cell, Grid};
use crate::number::{NONE, ratio_ends};
use crate::words::comparison;
use lab::Finding;

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
pub(crate) fn heat(id: &str, title: &str, corner: [&str; 2], grid: Grid) -> Figures {
    if grid.cells.iter().flatten().flatten().next().is_none() {
        return Figures::default();
    }
    let rows = rows(&grid);
    let said = rows
        .iter()
        .map(|row| format!("{}, {}: {}", row[0], row[1], row[2]));
    let desc = said.collect::<Vec<_>>().join("; ");
    let heads = [corner[0], corner[1], "verdict", "time ratio", "from", "to"];
    let figure = Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        desc,
        legend: Legend::Scale,
        data: table(&heads, &rows),
        chart: Chart::Heat(grid),
    };
    figure.into()
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
