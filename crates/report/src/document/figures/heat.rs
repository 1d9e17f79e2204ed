use super::{Figure, Legend, tally};
use crate::charts::Chart;
use crate::charts::heat::{self, Cell, Grid};
use crate::words::{Comparison, Tone, found};
use lab::Finding;
use stats::Estimate;

impl Cell {
    pub(crate) fn of(finding: &Finding) -> Self {
        Self::said(found(finding), finding.estimate.as_ref())
    }

    pub(crate) fn said(said: Comparison, estimate: Option<&Estimate>) -> Self {
        Self {
            ratio: estimate.map(|estimate| estimate.ratio),
            interval: estimate.and_then(Estimate::interval),
            word: said.word,
            ends: said.interval,
            tone: said.tone,
        }
    }
}

pub(crate) fn heat(id: &str, title: &str, grid: Grid) -> Option<Figure> {
    let said = said(&grid);
    if said.is_empty() {
        return None;
    }
    let title = format!("{title}. {}", tally(compared(&grid)));
    let figure = Figure::new(id, title, said.join("; "), Chart::Heat(grid));
    Some(figure.legend(Legend::Keys(heat::scale())))
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
