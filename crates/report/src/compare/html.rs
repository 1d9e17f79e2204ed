//! Runs side by side as a page.

use lab::compare::{ComparedCase, ComparedStudy, SideBySide};
use maud::{Markup, html};

use super::{NOT_COVERED, case_name, circumstances, counts, largest, said, where_and_when};
use crate::charts::Chart;
use crate::charts::forest::Row;
use crate::charts::heat::{Cell, Grid};
use crate::charts::lines::{Point, Series};
use crate::html::document;
use crate::html::figure::{Figure, Figures, Legend};
use crate::html::heat::heat;
use crate::html::table::table;
use crate::number::{NONE, bytes, plain, time};
use crate::plots::{Plot, place};
use crate::words::Tone;

/// One page that needs nothing else.
#[must_use]
pub fn page(all: &SideBySide) -> String {
    let names: Vec<_> = all.runs.iter().map(|run| run.name.as_str()).collect();
    let title = format!("flowgauge: {}", names.join(" against "));
    document(&title, &body(all), &crate::json::embedded_comparison(all))
}

/// Every chart of the page.
#[must_use]
pub fn plots(all: &SideBySide) -> Vec<Plot> {
    let studies = all.studies.iter().enumerate();
    let figures = studies.flat_map(|(number, study)| {
        let figures = figures(all, number, study).0.into_iter();
        figures.map(|figure| (place(&study.name, "compared"), figure))
    });
    crate::plots::plots(figures.collect())
}

fn body(all: &SideBySide) -> Markup {
    html! {
        header {
            h1 { "flowgauge" }
            p.where { "Runs side by side: every run against the first" }
            @for warning in &all.warnings { p.warning { strong { "Warning: " } (warning) } }
            @for line in &all.left_out { p.quiet { "Left out: " (line) } }
        }
        section #answers aria-label="Answers" {
            @for run in 1..all.runs.len() {
                article {
                    h2 { (all.runs[run].name) }
                    p.verdict { (counts(all, run)) }
                    @if let Some(sentence) = largest(all, run) { p { "The largest change: " (sentence) } }
                }
            }
        }
        main {
            section #runs {
                h2 { "The runs" }
                div.facts { (table(&["run", "where and when", "seed"], &runs(all))) }
                p.quiet { (NOT_COVERED) }
            }
            @for (number, one) in all.studies.iter().enumerate() { (study(all, number, one)) }
        }
    }
}

fn runs(all: &SideBySide) -> Vec<Vec<String>> {
    let row = |run: &lab::compare::ComparedRun| {
        vec![run.name.clone(), where_and_when(run), run.seed.to_string()]
    };
    all.runs.iter().map(row).collect()
}

fn study(all: &SideBySide, number: usize, study: &ComparedStudy) -> Markup {
    html! {
        section id=(format!("study{number}")) {
            h2 { (study.name) ": " (study.title) }
            (figures(all, number, study))
            @for case in &study.cases {
                article.case {
                    h3 { (case.title) @if case.sweep.is_some() { ", " (case_name(case)) } }
                    p.quiet { (circumstances(all, case).join(" · ")) }
                    (table(&["variant", "run", "typical", "memory", "verdict", "interval"], &rows(all, case)))
                    @for change in case.variants.iter().flat_map(|v| &v.changes).flatten() {
                        @if change.not_compared.is_some() { p.warning { (change.sentence) } }
                    }
                }
            }
        }
    }
}

fn rows(all: &SideBySide, case: &ComparedCase) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for variant in &case.variants {
        for (run, side) in variant.sides.iter().enumerate() {
            let Some(side) = side else { continue };
            let typical = side.value.map(|value| time(value.typical));
            let memory = side.memory.map(|memory| bytes(memory.honest() as f64));
            let [word, interval] = match &variant.changes[run] {
                Some(change) => {
                    let said = said(change);
                    [said.word, said.interval]
                }
                None if run == 0 => ["reference".to_owned(), String::new()],
                None => [String::new(), String::new()],
            };
            rows.push(vec![
                variant.label.clone(),
                all.runs[run].name.clone(),
                typical.unwrap_or(NONE.to_owned()),
                memory.unwrap_or(NONE.to_owned()),
                word,
                interval,
            ]);
        }
    }
    rows
}

/// The charts of a study: all changes, and where there are more than two runs a grid of
/// them; sweeps as lines.
fn figures(all: &SideBySide, number: usize, study: &ComparedStudy) -> Figures {
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
    let mut floor = 0.0f64;
    for (of, case, variant, run, change) in all.changes() {
        if of.name != study.name || change.estimate.is_none() {
            continue;
        }
        floor = floor.max(case.floors[run].map_or(0.0, |floor| floor.fraction));
        let said = said(change);
        let whose = match all.runs.len() {
            2 => String::new(),
            _ => format!(" in {}", all.runs[run].name),
        };
        rows.push(Row {
            label: format!("{}: {}{whose}", case.name, variant.label),
            said: format!("{} {}", said.word, said.interval)
                .trim_end()
                .to_owned(),
            tone: said.tone,
            ratio: change.estimate.map(|e| e.ratio),
            interval: change.estimate.and_then(|e| e.interval()),
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
        title: format!("How many times as fast or slow as in {}", all.runs[0].name),
        desc: desc.join("; "),
        legend: Legend::None,
        data: None,
        chart: Chart::Forest(rows, floor),
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

/// The sweeps of a study: typical times over the parameter, one line a variant and run.
fn sweeps(id: &str, all: &SideBySide, study: &ComparedStudy) -> Figures {
    let mut names: Vec<&str> = Vec::new();
    for point in study.cases.iter().filter_map(|case| case.sweep.as_ref()) {
        if !names.contains(&point.sweep.as_str()) {
            names.push(&point.sweep);
        }
    }
    let sweeps = names.into_iter().enumerate();
    sweeps.fold(Figures::default(), |figures, (place, name)| {
        figures.and(sweep(&format!("{id}-{place}-lines"), all, study, name))
    })
}

fn sweep(id: &str, all: &SideBySide, study: &ComparedStudy, name: &str) -> Figures {
    let points = || {
        let cases = study.cases.iter();
        cases.filter_map(|case| {
            Some((
                case,
                case.sweep.as_ref().filter(|point| point.sweep == name)?,
            ))
        })
    };
    let Some((_, first)) = points().next() else {
        return Figures::default();
    };
    let axis = format!("{} ({})", first.parameter, first.unit);
    let mut series: Vec<Series> = Vec::new();
    for (case, at) in points() {
        for variant in &case.variants {
            for (run, side) in variant.sides.iter().enumerate() {
                let Some(value) = side.as_ref().and_then(|side| side.value) else {
                    continue;
                };
                let label = format!("{} in {}", variant.label, all.runs[run].name);
                let point = Point {
                    x: at.value,
                    y: value.typical,
                    low: value.p25,
                    high: value.p75,
                };
                match series.iter_mut().find(|series| series.label == label) {
                    Some(series) => series.points.push(point),
                    None => series.push(Series {
                        label,
                        points: vec![point],
                        fit: Vec::new(),
                    }),
                }
            }
        }
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let rows: Vec<_> = series
        .iter()
        .flat_map(|series| {
            let points = series.points.iter();
            points.map(|point| vec![series.label.clone(), plain(point.x), time(point.y)])
        })
        .collect();
    let figure = Figure {
        id: id.to_owned(),
        title: format!("Typical time of {name} over the parameter, with quartiles"),
        desc: format!("Typical times of {} lines by {axis}.", series.len()),
        legend: Legend::variants(series.iter().map(|series| series.label.as_str())),
        data: Some(table(&["variant and run", &axis, "typical"], &rows)),
        chart: Chart::Lines(series, axis),
    };
    figure.into()
}
