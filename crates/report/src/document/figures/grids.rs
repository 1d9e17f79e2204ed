use std::collections::{BTreeMap, BTreeSet};

use flow::Model;
use lab::CaseResult;

use super::Figure;
use super::heat::heat;
use crate::charts::heat::{Cell, Grid};
use crate::number::plain;
use crate::words::{Tone, finding_of, many, of_first, place_of, spoken};
use lab::Sweep;

pub(crate) fn of_sweep(id: &str, sweep: &Sweep<'_>) -> Option<Figure> {
    let cases = sweep.points.iter().map(|(_, case)| *case);
    let begun: Vec<&CaseResult> = cases.filter(|case| !case.slots.is_empty()).collect();
    let labels = sweep.labels();
    let cells = |case: &&CaseResult| labels.iter().map(|label| cell(case, label)).collect();
    let grid = Grid {
        corner: [spoken(sweep.parameter), "variant".to_owned()],
        rows: begun.iter().map(|case| row_name(sweep, case)).collect(),
        columns: labels.iter().map(|label| (*label).to_owned()).collect(),
        cells: begun.iter().map(cells).collect(),
    };
    if grid.rows.len() < 2 || grid.columns.len() < 3 {
        return None;
    }
    let title = "Each point by variant, against the reference of its row";
    heat(id, title, grid)
}

fn row_name(sweep: &Sweep<'_>, case: &CaseResult) -> String {
    let point = format!("{} {}", spoken(sweep.parameter), case.case.point_value());
    let usual = sweep
        .points
        .first()
        .and_then(|(_, case)| case.variants.first());
    match case.variants.first() {
        Some(own) if usual.is_some_and(|usual| usual.label != own.label) => {
            format!("{point}, against {}", own.label)
        }
        _ => point,
    }
}

pub(crate) fn cell(case: &CaseResult, label: &str) -> Option<Cell> {
    if place_of(case, label)? == 0 {
        return Some(Cell {
            ratio: None,
            interval: None,
            word: of_first(case).to_owned(),
            ends: String::new(),
            tone: Tone::Plain,
        });
    }
    finding_of(case, label).map(Cell::of)
}

/// By processes (rows) and threads (columns), if mixes are among the variants and none coincide.
pub(crate) fn of_mixes(id: &str, case: &CaseResult) -> Option<Figure> {
    let variants = case.case.variants.iter();
    let places: Vec<_> = variants
        .filter_map(|v| Some((shape(v.variant.model, v.variant.flows)?, v.label.as_str())))
        .collect();
    let mixed = places.iter().any(|((p, t), _)| *p > 1 && *t > 1);
    let shapes: BTreeSet<_> = places.iter().map(|(shape, _)| *shape).collect();
    if !mixed || shapes.len() < places.len() {
        return None;
    }
    let cells = places.iter();
    let cells = cells.filter_map(|(shape, label)| Some((*shape, cell(case, label)?)));
    by_shape(id, "Processes by threads in each", &cells.collect())
}

pub(crate) fn by_shape(
    id: &str,
    title: &str,
    cells: &BTreeMap<(u32, u32), Cell>,
) -> Option<Figure> {
    let rows: BTreeSet<u32> = cells.keys().map(|(p, _)| *p).collect();
    let columns: BTreeSet<u32> = cells.keys().map(|(_, t)| *t).collect();
    let row = |p: &u32| {
        let own = columns.iter();
        own.map(|t| cells.get(&(*p, *t)).cloned()).collect()
    };
    let grid = Grid {
        corner: ["processes", "threads"].map(str::to_owned),
        rows: rows.iter().map(|p| processes(*p)).collect(),
        columns: columns
            .iter()
            .map(|t| format!("{} each", many((*t).into(), "thread")))
            .collect(),
        cells: rows.iter().map(row).collect(),
    };
    heat(id, title, grid)
}

fn processes(number: u32) -> String {
    match number {
        1 => "1 process".to_owned(),
        _ => format!("{} processes", plain(number.into())),
    }
}

fn shape(model: Model, flows: u32) -> Option<(u32, u32)> {
    match model {
        Model::Mix { processes, threads } => Some((processes, threads)),
        Model::Process => Some((flows, 1)),
        Model::Thread => Some((1, flows)),
        _ => None,
    }
}
