//! A sweep: one table, one chart over the parameter, and its points folded away.

use lab::{CaseResult, Law, Results};
use maud::{Markup, html};

use super::case::{launches, missing, said, variants};
use super::counting;
use super::course::course;
use super::detail::Detail;
use super::ecdf::latencies;
use super::figure::Figures;
use super::forest::forest;
use super::grids;
use super::lines;
use super::requests::requests;
use super::slots::slots;
use crate::blocks::Sweep;
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::scaling::is_scaled;
use crate::text::tied;
use crate::words::{circumstances, cut_short, point_value, with_unit, work_of};

/// The part of the page about one sweep.
pub(super) fn sweep(
    id: &str,
    results: &Results,
    sweep: &Sweep<'_>,
    (all_laws, detail): (&[Law], Detail),
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
            @if detail.has_charts_of_many() { (figures(id, sweep, all_laws)) }
            @for law in &laws { p.said { (tied(&law.sentence)) } }
            (variants(&rows))
            (requests(&rows))
            @if let Some((name, case)) = named.first() {
                p.quiet { "Launched at " (name) ": " (launches(case)) }
            }
            @for (number, (name, case)) in named.iter().enumerate().filter(|_| detail.has_folds()) {
                details {
                    summary { (name) }
                    (one(results, case))
                    @if detail.has_point(number, named.len()) {
                        (of_point(&format!("{id}-{number}"), case, detail))
                    }
                    (counting::of_case(case))
                }
            }
        }
    }
}

/// `block 1,000`.
fn point(sweep: &Sweep<'_>, case: &CaseResult) -> String {
    format!("{} {}", sweep.parameter, point_value(&case.case))
}

fn one(results: &Results, case: &CaseResult) -> Markup {
    html! {
        p.quiet { (circumstances(results, case).join(" · ")) " · " (work_of(&case.case)) }
        @if let Some(cut) = cut_short(results, case) { p.warning { (cut) } }
        @for finding in &case.findings { (said(finding)) }
        (missing(case))
    }
}

/// The charts of a sweep as a whole.
pub(super) fn figures(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
    let cases = sweep.points.iter().map(|(_, case)| *case);
    let chart = match sweep.points.len() {
        // A point is no line.
        ..2 => Figures::default(),
        _ if is_scaled(sweep) => Figures::default(),
        _ => chart(&format!("{id}-lines"), sweep, laws),
    };
    chart
        .and(grids::of_sweep(&format!("{id}-grid"), sweep))
        .and(forest(&format!("{id}-forest"), cases))
}

/// The charts of one of its points.
pub(super) fn of_point(id: &str, case: &CaseResult, detail: Detail) -> Figures {
    if case.slots.is_empty() {
        return Figures::default();
    }
    Figures::from(slots(&format!("{id}-slots"), case, detail))
        .and(latencies(&format!("{id}-latencies"), case))
        .and(course(&format!("{id}-course"), case))
}

fn chart(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
    let laws: Vec<&Law> = laws.iter().filter(|law| law.sweep == sweep.name).collect();
    let labels = sweep.labels().into_iter().enumerate();
    let ours = labels.map(|(place, label)| series(sweep, place, label, &laws));
    let series: Vec<_> = ours.chain(marks(sweep)).collect();
    let axis = with_unit(sweep.parameter, sweep.unit);
    let fitted = match laws.is_empty() {
        true => "",
        false => "; dashed: the fitted lines",
    };
    let title = format!("Typical time over the parameter, with quartiles{fitted}");
    let data = lines::data("variant", &axis, &series);
    lines::lines(id, &title, &axis, series, data)
}

/// Times of the source, each a level line from the first point to the last.
fn marks(sweep: &Sweep<'_>) -> impl Iterator<Item = Series> {
    let ends = [sweep.points.first(), sweep.points.last()];
    let ends: Vec<f64> = ends.into_iter().flatten().map(|(x, _)| *x).collect();
    sweep.marks.iter().map(move |&(label, ns)| Series {
        label: label.to_owned(),
        look: Look::Aside,
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

fn series(sweep: &Sweep<'_>, place: usize, label: &str, laws: &[&Law]) -> Series {
    let point = |(x, case): &(f64, &CaseResult)| {
        let mut variants = case.variants.iter();
        let own = variants.find(|variant| variant.label == label)?;
        Some(Point::of(*x, own.value.as_ref()?))
    };
    let points: Vec<Point> = sweep.points.iter().filter_map(point).collect();
    let law = laws.iter().find(|law| law.variant == label);
    let fit = law.map(|law| points.iter().map(|p| (p.x, law.line.at(p.x))));
    Series {
        label: label.to_owned(),
        look: Look::Variant(place),
        fit: fit
            .into_iter()
            .flatten()
            .filter(|(_, y)| *y > 0.0)
            .collect(),
        points,
    }
}
