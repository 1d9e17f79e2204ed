//! A sweep: one table, one chart over the parameter, and its points folded away.

use lab::{CaseResult, Law, Results};
use maud::{Markup, html};

use super::case::{launches, missing, said, variants};
use super::counting;
use super::course::course;
use super::figure::{Figure, Figures, Legend};
use super::forest::forest;
use super::grids;
use super::requests::requests;
use super::slots::slots;
use super::table::table;
use crate::blocks::Sweep;
use crate::charts::Chart;
use crate::charts::lines::{Point, Series};
use crate::number::{plain, time};
use crate::scaling::is_scaled;
use crate::words::{circumstances, cut_short, point_value, work};

/// The part of the page about one sweep.
pub(super) fn sweep(
    id: &str,
    results: &Results,
    sweep: &Sweep<'_>,
    (all_laws, with_slots): (&[Law], bool),
) -> Markup {
    let laws: Vec<&Law> = all_laws
        .iter()
        .filter(|law| law.sweep == sweep.name)
        .collect();
    let named: Vec<_> = sweep
        .points
        .iter()
        .map(|(_, case)| (point(sweep, case), *case))
        .collect();
    let headed: Vec<_> = named
        .iter()
        .map(|(name, case)| (format!("{name}, "), *case))
        .collect();
    let rows: Vec<_> = headed
        .iter()
        .map(|(heading, case)| (heading.as_str(), *case))
        .collect();
    html! {
        article.case {
            h3 { (sweep.title()) }
            p.quiet { "Sweep " (sweep.name) ": by " (sweep.parameter) " (" (sweep.unit) ")" }
            (figures(id, sweep, all_laws))
            @for law in &laws { p.said { (law.sentence) } }
            (variants(&rows))
            (requests(&rows))
            @if let Some((name, case)) = named.first() {
                p.quiet { "Launched at " (name) ": " (launches(case)) }
            }
            @for (number, (name, case)) in named.iter().enumerate() {
                details {
                    summary { (name) }
                    (one(&format!("{id}-{number}"), results, case, with_slots))
                }
            }
        }
    }
}

/// `block 1,000`.
fn point(sweep: &Sweep<'_>, case: &CaseResult) -> String {
    format!("{} {}", sweep.parameter, point_value(&case.case))
}

fn one(id: &str, results: &Results, case: &CaseResult, with_slots: bool) -> Markup {
    html! {
        p.quiet { (circumstances(results, case).join(" · ")) " · " (work(&case.case.work)) }
        @if let Some(cut) = cut_short(results, case) { p.warning { (cut) } }
        @for finding in &case.findings { (said(finding)) }
        (missing(case))
        (of_point(id, case, with_slots))
        (counting::of_case(case))
    }
}

/// The charts of a sweep as a whole.
pub(super) fn figures(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
    let cases = sweep.points.iter().map(|(_, case)| *case);
    let lines = match sweep.points.len() {
        // A point is no line.
        ..2 => Figures::default(),
        _ if is_scaled(sweep) => Figures::default(),
        _ => chart(&format!("{id}-lines"), sweep, laws),
    };
    lines
        .and(grids::of_sweep(&format!("{id}-grid"), sweep))
        .and(forest(&format!("{id}-forest"), cases))
}

/// The charts of one of its points.
pub(super) fn of_point(id: &str, case: &CaseResult, with_slots: bool) -> Figures {
    if case.slots.is_empty() {
        return Figures::default();
    }
    Figures::from(slots(&format!("{id}-slots"), case, with_slots))
        .and(course(&format!("{id}-course"), case))
}

fn chart(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
    let laws: Vec<&Law> = laws.iter().filter(|law| law.sweep == sweep.name).collect();
    let ours = sweep.labels().into_iter();
    let ours = ours.map(|label| series(sweep, label, &laws));
    let series: Vec<_> = ours.chain(marks(sweep)).collect();
    let axis = format!("{} ({})", sweep.parameter, sweep.unit);
    let figure = Figure {
        id: id.to_owned(),
        title: if laws.is_empty() {
            "Typical time over the parameter, with quartiles".to_owned()
        } else {
            "Typical time over the parameter, with quartiles; dashed: the fitted lines".to_owned()
        },
        desc: format!(
            "Typical times of {} variants by {axis}.",
            series.len() - sweep.marks.len()
        ),
        legend: Legend::variants(series.iter().map(|series| series.label.as_str())),
        data: Some(data(&axis, &series)),
        chart: Chart::Lines(series, axis),
    };
    figure.into()
}

/// Times of the source, each a level line from the first point to the last.
fn marks(sweep: &Sweep<'_>) -> impl Iterator<Item = Series> {
    let ends = [sweep.points.first(), sweep.points.last()];
    let ends: Vec<f64> = ends.into_iter().flatten().map(|(x, _)| *x).collect();
    sweep.marks.iter().map(move |&(label, ns)| Series {
        label: label.to_owned(),
        points: ends
            .iter()
            .map(|&x| Point {
                x,
                y: ns,
                low: ns,
                high: ns,
            })
            .collect(),
        fit: Vec::new(),
    })
}

fn series(sweep: &Sweep<'_>, label: &str, laws: &[&Law]) -> Series {
    let point = |(x, case): &(f64, &CaseResult)| {
        let value = case
            .variants
            .iter()
            .find(|variant| variant.label == label)?
            .value?;
        Some(Point {
            x: *x,
            y: value.typical,
            low: value.p25,
            high: value.p75,
        })
    };
    let points: Vec<Point> = sweep.points.iter().filter_map(point).collect();
    let law = laws.iter().find(|law| law.variant == label);
    let fit = law.map(|law| points.iter().map(|p| (p.x, law.line.at(p.x))));
    Series {
        label: label.to_owned(),
        fit: fit
            .into_iter()
            .flatten()
            .filter(|(_, y)| *y > 0.0)
            .collect(),
        points,
    }
}

fn data(axis: &str, series: &[Series]) -> Markup {
    let rows: Vec<_> = series
        .iter()
        .flat_map(|series| {
            series.points.iter().map(|point| {
                let times = [point.y, point.low, point.high].map(time);
                [series.label.clone(), plain(point.x)]
                    .into_iter()
                    .chain(times)
                    .collect()
            })
        })
        .collect();
    table(
        &[
            "variant",
            axis,
            "typical",
            "lower quartile",
            "upper quartile",
        ],
        &rows,
    )
}
