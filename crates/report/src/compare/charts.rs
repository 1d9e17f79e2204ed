use lab::SweepPoint;
use lab::compare::{ComparedCase, ComparedStudy, SideBySide};

use super::said;
use crate::charts::forest::Row;
use crate::charts::heat::{Cell, Grid};
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::document::figures::{Figure, brief, data, heat, lines, of_rows, tally};
use crate::number::time;
use crate::words::{Tone, with_unit};
use lab::data::gathered::{distinct, grouped};

pub(super) fn figures(
    all: &SideBySide,
    number: usize,
    study: &ComparedStudy,
) -> impl Iterator<Item = Figure> {
    let id = format!("study{number}");
    let several = all.runs.len() > 2;
    let grid = several.then(|| grid(&format!("{id}-grid"), all, study));
    let forest = forest(&format!("{id}-forest"), all, study);
    let sweeps = sweeps(&id, all, study);
    grid.flatten().into_iter().chain(forest).chain(sweeps)
}

fn forest(id: &str, all: &SideBySide, study: &ComparedStudy) -> Option<Figure> {
    let own = all.changes().filter(|(of, ..)| of.name == study.name);
    let rows = own.filter_map(|(_, case, variant, run, change)| {
        let estimate = change.estimate.as_ref()?;
        let whose = match all.runs.len() {
            2 => String::new(),
            _ => format!(" in {}", all.runs[run].name),
        };
        let label = format!("{}: {}{whose}", case.name, variant.label);
        let floor = case.floors[run].map_or(0.0, |floor| floor.fraction);
        Some(Row::of(label, &said(change), Some(estimate), floor))
    });
    of_rows(id, rows.collect(), |rows| {
        let tally = tally(rows.iter().map(|row| row.tone));
        format!("Against {}, {tally}", all.runs[0].name)
    })
}

fn grid(id: &str, all: &SideBySide, study: &ComparedStudy) -> Option<Figure> {
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
                let cell = Cell::said(said(change), change.estimate.as_ref());
                let tone = cell.ratio.map_or(Tone::Doubt, |_| cell.tone);
                Some(Cell { tone, ..cell })
            });
            grid.cells.push(cells.collect());
        }
    }
    let title = format!("Each variant by run, against {}", all.runs[0].name);
    heat(id, &title, grid)
}

type At<'a> = (&'a SweepPoint, &'a ComparedCase);

fn sweeps(id: &str, all: &SideBySide, study: &ComparedStudy) -> Vec<Figure> {
    let cases = study.cases.iter();
    let points = cases.filter_map(|case| Some((case.sweep.as_ref()?, case)));
    let sweeps = grouped(points.map(|(point, case)| (&point.sweep, (point, case))));
    let sweeps = sweeps.into_iter().enumerate();
    let drawn = sweeps.filter_map(|(place, (_, mut points))| {
        points.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
        sweep(&format!("{id}-{place}-lines"), all, &points)
    });
    drawn.collect()
}

fn sweep(id: &str, all: &SideBySide, points: &[At<'_>]) -> Option<Figure> {
    let (first, _) = points.first()?;
    let variants = points.iter().flat_map(|(_, case)| &case.variants);
    let labels = distinct(variants.map(|variant| variant.label.as_str()));
    let labels = labels.into_iter().enumerate();
    let series = labels.flat_map(|(place, label)| {
        (0..all.runs.len()).map(move |run| series(all, points, (place, label), run))
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    let axis = with_unit(&first.parameter, &first.unit);
    let title = format!("{}: {}", first.sweep, brief(&ends(&series)));
    let data = data("variant and run", &axis, &series);
    Some(lines(id, &title, &axis, series, data))
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
    let label = format!("{label} in {}", all.runs[run].name);
    Series {
        look: Look::Run {
            variant: place,
            run,
        },
        ..Series::new(place, label, points.iter().filter_map(point))
    }
}
