//! Which model switches cheapest at each number of flows, and where that changes.
//!
//! # Theory
//!
//! Cases of a sweep hold different variants: processes end where their limit is, fibers go
//! on. So variants are followed by their label and compared only where both were measured.
//! "Cheapest" needs a verdict and not a glance at medians: a variant whose interval reaches
//! the cheapest one's is named beside it. Findings are against the case's first variant,
//! whose own noise is in all of them; two subjects are told apart here by their spread over
//! the slots (the middle half of each), which claims less than a finding and is worded so.
//! Of one slot that half has no width: below [`FEWEST`] slots, with which a median has no
//! interval either, nothing is told apart.

use super::{CaseResult, VariantSummary};
use crate::Metric;
use crate::number::{plain, time};

/// Slots of a variant, at least, that let it be told from another: as many as an interval of its
/// median takes.
const FEWEST: usize = 6;

/// The sentences of all sweeps that measure switches.
pub(crate) fn cheapest(cases: &[CaseResult]) -> Vec<String> {
    let mut sweeps: Vec<&str> = Vec::new();
    for case in cases
        .iter()
        .filter(|case| case.case.metric == Metric::Switch)
    {
        match &case.case.sweep {
            Some(point) if !sweeps.contains(&point.sweep.as_str()) => sweeps.push(&point.sweep),
            _ => {}
        }
    }
    let say = |sweep: &&str| {
        let points = points(cases, sweep);
        let winners = (!points.is_empty()).then(|| winners(sweep, &points));
        winners.into_iter().chain(crossings(sweep, &points))
    };
    sweeps.iter().flat_map(say).collect()
}

/// One case of a sweep.
struct Point<'a> {
    at: f64,
    unit: &'a str,
    /// Label and summary, the fastest first.
    ranked: Vec<(&'a str, f64, &'a VariantSummary)>,
}

fn points<'a>(cases: &'a [CaseResult], sweep: &str) -> Vec<Point<'a>> {
    let mut points: Vec<Point<'a>> = cases
        .iter()
        .filter_map(|case| {
            let point = case
                .case
                .sweep
                .as_ref()
                .filter(|point| point.sweep == sweep)?;
            Some(Point {
                at: point.value,
                unit: &point.unit,
                ranked: ranked(case),
            })
        })
        .filter(|point| !point.ranked.is_empty())
        .collect();
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    points
}

fn ranked(case: &CaseResult) -> Vec<(&str, f64, &VariantSummary)> {
    let mut ranked: Vec<_> = case
        .variants
        .iter()
        .filter_map(|variant| {
            let value = variant.value.as_ref()?;
            Some((variant.label.as_str(), value.typical, variant))
        })
        .collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

/// `flows: cheapest to switch is task at 2 flows (1.9 ns) and at 1,000 (2.1 ns), …`.
fn winners(sweep: &str, points: &[Point<'_>]) -> String {
    let untold = |point: &Point<'_>| point.ranked.len() > 1 && has_few(point.ranked[0].2);
    if points.iter().all(untold) {
        return format!(
            "{sweep}: which is cheapest to switch cannot be told: {FEWEST} slots of each variant are \
             needed at a number of flows, or more"
        );
    }
    let said: Vec<String> = points
        .iter()
        .map(|point| match untold(point) {
            true => format!(
                "{} {}: cannot be told (too few slots)",
                plain(point.at),
                point.unit
            ),
            false => winner(point),
        })
        .collect();
    format!("{sweep}: cheapest to switch: {}", said.join("; "))
}

fn winner(point: &Point<'_>) -> String {
    let (first, best, summary) = point.ranked[0];
    let near: Vec<&str> = point.ranked[1..]
        .iter()
        .filter(|(_, _, other)| alike(summary, other))
        .map(|(label, ..)| *label)
        .collect();
    let tie = if near.is_empty() {
        String::new()
    } else {
        format!(", not to be told from {}", near.join(", "))
    };
    format!(
        "{} {}: {first} ({}{tie})",
        plain(point.at),
        point.unit,
        time(best)
    )
}

/// Whether a variant has too few slots to be told from another.
fn has_few(variant: &VariantSummary) -> bool {
    variant.value.as_ref().is_none_or(|value| value.n < FEWEST)
}

/// Whether two variants cannot be told apart.
fn alike(a: &VariantSummary, b: &VariantSummary) -> bool {
    has_few(a) || has_few(b) || overlap(a, b)
}

/// Whether the middle halves of the slots of two variants overlap.
fn overlap(a: &VariantSummary, b: &VariantSummary) -> bool {
    match (&a.value, &b.value) {
        (Some(a), Some(b)) => a.p25.max(b.p25) <= a.p75.min(b.p75),
        _ => false,
    }
}

/// Where of two variants the other one becomes the cheaper.
fn crossings(sweep: &str, points: &[Point<'_>]) -> Vec<String> {
    let mut labels: Vec<&str> = Vec::new();
    for (label, ..) in points.iter().flat_map(|point| &point.ranked) {
        if !labels.contains(label) {
            labels.push(label);
        }
    }
    let pairs = labels
        .iter()
        .enumerate()
        .flat_map(|(i, a)| labels[i + 1..].iter().map(move |b| (*a, *b)));
    pairs
        .filter_map(|(a, b)| crossing(sweep, points, a, b))
        .collect()
}

/// The first change of order between two neighbouring points at which the two are clearly
/// apart.
fn crossing(sweep: &str, points: &[Point<'_>], a: &str, b: &str) -> Option<String> {
    let clear: Vec<(f64, bool)> = points
        .iter()
        .filter_map(|point| Some((point.at, a_is_cheaper(point, a, b)?)))
        .collect();
    let change = clear.windows(2).find(|two| two[0].1 != two[1].1)?;
    let (before, after) = if change[0].1 { (a, b) } else { (b, a) };
    Some(format!(
        "{sweep}: at {} {} {before} is cheaper than {after}, at {} {after} is",
        plain(change[0].0),
        points.first()?.unit,
        plain(change[1].0)
    ))
}

/// `None` where one was not measured or the two cannot be told apart.
fn a_is_cheaper(point: &Point<'_>, a: &str, b: &str) -> Option<bool> {
    let find = |label| point.ranked.iter().find(|(known, ..)| *known == label);
    let ((_, a, of_a), (_, b, of_b)) = (find(a)?, find(b)?);
    (!alike(of_a, of_b)).then_some(a < b)
}
