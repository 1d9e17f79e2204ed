use super::{Figure, Figures, Legend, tally};
use crate::charts::Chart;
use crate::charts::heat::{self, Cell, Grid};
use crate::words::{Tone, comparison};
use lab::Finding;

impl Cell {
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

pub(crate) fn heat(id: &str, title: &str, grid: Grid) -> Figures {
    let said = said(&grid);
    if said.is_empty() {
        return Figures::default();
    }
    let figure = Figure {
        id: id.to_owned(),
        title: format!("{title}. {}", tally(compared(&grid))),
        desc: said.join("; "),
        legend: Legend::Keys(heat::scale()),
        data: None,
        chart: Chart::Heat(grid),
    };
    figure.into()
}

fn compared(grid: &Grid) -> impl Iterator<Item = Tone> {
    let cells = grid.cells.iter().flatten().flatten();
    cells
        .filter(|cell| cell.ratio.is_some())
        .map(|cell| cell.tone)
}

fn said(grid: &Grid) -> Vec<String> {
    let cells = grid.rows.iter().zip(&grid.cells).flat_map(|(row, cells)| {
        let cells = grid.columns.iter().zip(cells);
        cells.filter_map(move |(column, cell)| Some((row, column, cell.as_ref()?)))
    });
    let said = |(row, column, cell): (&String, &String, &Cell)| {
        format!("{row}, {column}: {} {}", cell.word, cell.ends)
            .trim_end()
            .to_owned()
    };
    cells.map(said).collect()
}
