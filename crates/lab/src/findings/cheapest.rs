//! Which variant is cheapest at each point of a sweep, a switch or a unit of work at a time, and
//! where that changes. Variants are followed by their label, and compared only where both were
//! measured. All pairs at all points, paired by round, share one false discovery rate: of identical
//! variants, a difference of price is named in at most 5 % of sweeps. All variants that no other
//! beats are named ([`stats::Best`]).

use stats::{Best, PLAN_ALPHA, Verdict, discoveries, pair_p_values};

use super::CaseResult;
use super::paired::{columns, rule};
use super::phrases::joined;
use crate::data::Metric;
use crate::data::gathered::distinct;
use crate::data::number::{plain, time};

fn what(metric: Metric) -> Option<&'static str> {
    match metric {
        Metric::Switch => Some("to switch"),
        Metric::Unit => Some("per unit"),
        _ => None,
    }
}

pub(crate) fn cheapest(cases: &[CaseResult]) -> Vec<String> {
    let sweeps = cases.iter().filter_map(|case| {
        let sweep = case.case.sweep.as_ref()?.sweep.as_str();
        Some((sweep, what(case.case.metric)?))
    });
    let say = |(sweep, what): (&str, &str)| {
        let points = points(cases, sweep);
        let winners = (!points.is_empty()).then(|| winners(sweep, what, &points));
        winners.into_iter().chain(crossings(sweep, &points))
    };
    distinct(sweeps).into_iter().flat_map(say).collect()
}

struct Point<'a> {
    at: f64,
    unit: &'a str,
    /// Place, label, typical time; the fastest first.
    ranked: Vec<(usize, &'a str, f64)>,
    best: Best,
}

fn points<'a>(cases: &'a [CaseResult], sweep: &str) -> Vec<Point<'a>> {
    let of_sweep = cases.iter().filter(|case| case.is_of_sweep(sweep));
    let measured: Vec<&CaseResult> = of_sweep.filter(|case| !ranked(case).is_empty()).collect();
    let all = |case: &&CaseResult| columns(&case.slots, case.variants.len());
    let p_values: Vec<f64> = measured
        .iter()
        .flat_map(|case| pair_p_values(&all(case)))
        .collect();
    let found = discoveries(&p_values, PLAN_ALPHA).max(1);
    let rule = rule(0.0, p_values.len().div_ceil(found).max(1));
    let point = |case: &&'a CaseResult| {
        let point = case.case.sweep.as_ref()?;
        Some(Point {
            at: point.value,
            unit: &point.unit,
            ranked: ranked(case),
            best: Best::of(&all(case), rule).ok()?,
        })
    };
    let mut points: Vec<Point<'a>> = measured.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    points
}

fn ranked(case: &CaseResult) -> Vec<(usize, &str, f64)> {
    let variants = case.variants.iter().enumerate();
    let mut ranked: Vec<_> = variants
        .filter_map(|(place, variant)| {
            let value = variant.value.as_ref()?;
            Some((place, variant.label.as_str(), value.typical))
        })
        .collect();
    ranked.sort_by(|a, b| a.2.total_cmp(&b.2));
    ranked
}

/// `flows: cheapest to switch is task at 2 flows (1.9 ns) and at 1,000 (2.1 ns), …`.
fn winners(sweep: &str, what: &str, points: &[Point<'_>]) -> String {
    let untold =
        |point: &Point<'_>| point.ranked.len() > 1 && point.near().len() == point.ranked.len();
    if points.iter().all(untold) {
        return format!(
            "{sweep}: which is cheapest {what} is not known at any number of {}",
            points.first().map_or("", |point| point.unit)
        );
    }
    let said: Vec<String> = points
        .iter()
        .map(|point| match untold(point) {
            true => format!("{} {}: not known", plain(point.at), point.unit),
            false => winner(point),
        })
        .collect();
    format!("{sweep}: cheapest {what}: {}", said.join("; "))
}

impl<'a> Point<'a> {
    fn near(&self) -> Vec<&(usize, &'a str, f64)> {
        let ranked = self.ranked.iter();
        ranked
            .filter(|(place, ..)| !self.best.is_beaten(*place))
            .collect()
    }
}

fn winner(point: &Point<'_>) -> String {
    let near = point.near();
    // A ring of pairs leaves none.
    let Some((_, first, best)) = near.first() else {
        return format!("{} {}: not known", plain(point.at), point.unit);
    };
    let others = near[1..].iter().map(|(_, label, _)| (*label).to_owned());
    let tie = joined(others, ", ").map_or(String::new(), |others| format!(" or {others}"));
    format!(
        "{} {}: {first} ({}){tie}",
        plain(point.at),
        point.unit,
        time(*best)
    )
}

fn crossings(sweep: &str, points: &[Point<'_>]) -> Vec<String> {
    let ranked = points.iter().flat_map(|point| &point.ranked);
    let labels = distinct(ranked.map(|(_, label, _)| *label));
    let pairs = labels
        .iter()
        .enumerate()
        .flat_map(|(i, a)| labels[i + 1..].iter().map(move |b| (*a, *b)));
    pairs
        .filter_map(|(a, b)| crossing(sweep, points, a, b))
        .collect()
}

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

fn a_is_cheaper(point: &Point<'_>, a: &str, b: &str) -> Option<bool> {
    let find = |label| point.ranked.iter().find(|(_, known, _)| *known == label);
    let ((a, ..), (b, ..)) = (find(a)?, find(b)?);
    match point.best.pair(*a, *b)?.1 {
        Verdict::Faster { .. } => Some(true),
        Verdict::Slower { .. } => Some(false),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
    }
}
