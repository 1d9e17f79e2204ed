use lab::SweepPoint;
use lab::compare::{ComparedCase, ComparedStudy, SideBySide};

use super::said;
use crate::charts::Chart;
use crate::charts::forest::Row;
use crate::charts::heat::{Cell, Grid};
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::document::figures::{Figure, Figures, Legend, brief, data, heat, lines, tally};
use crate::number::time;
use crate::words::{Tone, with_unit};

pub(super) fn figures(all: &SideBySide, number: usize, study: &ComparedStudy) -> Figures {
    let id = format!("study{number}");
    let grid = if all.runs.len() > 2 {
        grid(&format!("{id}-grid"), all, study)
    } else {
        Figures::default()
    };
    grid.and(forest(&format!("{id}-forest"), all, study))
        .and(sweeps(&id, all, study))
}

fn forest(id: &str, all: &SideBySide, study: &ComparedStudy) -> Figures {
    let mut rows = Vec::new();
    for (of, case, variant, run, change) in all.changes() {
        if of.name != study.name || change.estimate.is_none() {
            continue;
        }
        let said = said(change);
        let whose = match all.runs.len() {
            2 => String::new(),
            _ => format!(" in {}", all.runs[run].name),
        };
        rows.push(Row {
            label: format!("{}: {}{whose}", case.name, variant.label),
            said: said.with_interval(),
            tone: said.tone,
            ratio: change.estimate.map(|e| e.ratio),
            interval: change.estimate.and_then(|e| e.interval()),
            floor: case.floors[run].map_or(0.0, |floor| floor.fraction),
        });
    }
    if rows.is_empty() {
        return Figures::default();
    }
    let desc: Vec<_> = rows
        .iter()
        .map(|row| format!("{}: {}", row.label, row.said))
        .collect();
    let figure = Figure {
        id: id.to_owned(),
        title: format!(
            "Against {}, {}",
            all.runs[0].name,
            tally(rows.iter().map(|row| row.tone))
        ),
        desc: desc.join("; "),
        legend: Legend::None,
        data: None,
        chart: Chart::Forest(rows),
    };
    figure.into()
}

fn grid(id: &str, all: &SideBySide, study: &ComparedStudy) -> Figures {
    let mut grid = Grid {
        corner: ["variant", "run"].map(str::to_owned),
        rows: Vec::new(),
        columns: all.runs[1..].iter().map(|run| run.name.clone()).collect(),
        cells: Vec::new(),
    };
    for case in &study.cases {
        for variant in &case.variants {
            grid.rows.push(format!("{}: {}", case.name, variant.label));
            let cells = variant.changes[1..].iter().map(|change| {
                let change = change.as_ref()?;
                let said = said(change);
                Some(Cell {
                    ratio: change.estimate.map(|e| e.ratio),
                    interval: change.estimate.and_then(|e| e.interval()),
                    word: said.word,
                    ends: said.interval,
                    tone: if change.estimate.is_some() {
                        said.tone
                    } else {
                        Tone::Doubt
                    },
                })
            });
            grid.cells.push(cells.collect());
        }
    }
    let title = format!("Each variant by run, against {}", all.runs[0].name);
    heat(id, &title, grid)
}

type At<'a> = (&'a SweepPoint, &'a ComparedCase);

fn sweeps(id: &str, all: &SideBySide, study: &ComparedStudy) -> Figures {
    let mut sweeps: Vec<(&str, Vec<At<'_>>)> = Vec::new();
    for (point, case) in study
        .cases
        .iter()
        .filter_map(|c| Some((c.sweep.as_ref()?, c)))
    {
        match sweeps.iter_mut().find(|(name, _)| *name == point.sweep) {
            Some((_, points)) => points.push((point, case)),
            None => sweeps.push((&point.sweep, vec![(point, case)])),
        }
    }
    let drawn = sweeps
        .into_iter()
        .enumerate()
        .map(|(place, (_, mut points))| {
            points.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
            sweep(&format!("{id}-{place}-lines"), all, &points)
        });
    drawn.fold(Figures::default(), Figures::and)
}

fn sweep(id: &str, all: &SideBySide, points: &[At<'_>]) -> Figures {
    let Some((first, _)) = points.first() else {
        return Figures::default();
    };
    let mut labels: Vec<&str> = Vec::new();
    for variant in points.iter().flat_map(|(_, case)| &case.variants) {
        if !labels.contains(&variant.label.as_str()) {
            labels.push(&variant.label);
        }
    }
    let labels = labels.into_iter().enumerate();
    let series = labels.flat_map(|(place, label)| {
        (0..all.runs.len()).map(move |run| series(all, points, (place, label), run))
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    let axis = with_unit(&first.parameter, &first.unit);
    let title = format!("{}: {}", first.sweep, brief(&ends(&series)));
    let data = data("variant and run", &axis, &series);
    lines(id, &title, &axis, series, data)
}

/// `thread in before 1.2 ms to 30 ms`: typical times at both ends of the sweep.
fn ends(series: &[Series]) -> Vec<String> {
    let of = |one: &Series| {
        let (first, last) = (one.points.first()?, one.points.last()?);
        let [first, last] = [first, last].map(|point| time(point.y));
        Some(format!("{} {first} to {last}", one.label))
    };
    series.iter().filter_map(of).collect()
}

fn series(
    all: &SideBySide,
    points: &[At<'_>],
    (place, label): (usize, &str),
    run: usize,
) -> Series {
    let point = |(at, case): &At<'_>| {
        let variant = case.variants.iter().find(|v| v.label == label)?;
        let value = variant.sides[run].as_ref()?.value?;
        Some(Point::of(at.value, &value))
    };
    Series {
        label: format!("{label} in {}", all.runs[run].name),
        look: Look::Run {
            variant: place,
            run,
        },
        points: points.iter().filter_map(point).collect(),
        fit: Vec::new(),
    }
}
