//! What would change the answer: the same two sides at the other points of a sweep.
//!
//! # Theory
//!
//! A row is of one point. Where its study varied something with the same work and the same sides, a slider
//! goes over it. At a measured point it says that point's verdict. Between two it says what both
//! neighbours say, and where they differ that nothing is known there; beyond the ends there is no slider.
//! So no verdict is made that the run did not make.

use lab::{Answer, Block, CaseResult, Results, Sweep};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Lesson;
use super::picture::{WIDTH, at, px};
use crate::number::significant;
use crate::words::{Comparison, comparison, spoken, with_unit};

/// Of the picture: the highest and the lowest place of a mark, and all of it.
const TOP: f64 = 14.0;
const FOOT: f64 = 150.0;
const HEIGHT: f64 = 190.0;

/// A sweep between the sides of a row.
#[derive(Debug)]
pub(super) struct Varied {
    parameter: String,
    axis: String,
    is_log: bool,
    points: Vec<Point>,
}

#[derive(Debug)]
struct Point {
    value: f64,
    shown: String,
    ratio: f64,
    ends: (f64, f64),
    said: Comparison,
}

/// Of two points at least.
pub(super) fn of(results: &Results, row: &Answer) -> Vec<Varied> {
    let study = &results.studies[row.place];
    let own = results.case_of(row);
    let sweeps = Block::all(study)
        .into_iter()
        .filter_map(|block| match block {
            Block::Sweep(sweep) => Some(sweep),
            Block::Case(_) | Block::Matrix(_) => None,
        });
    let is_same_work =
        |sweep: &Sweep<'_>| own.is_some_and(|own| does_the_same(own, sweep.points[0].1));
    let varied = sweeps.filter(is_same_work).map(|sweep| varied(row, &sweep));
    varied.filter(|one| one.points.len() > 1).collect()
}

fn does_the_same(one: &CaseResult, other: &CaseResult) -> bool {
    let kind = |case: &CaseResult| {
        let work = serde_json::to_value(&case.case.work).ok()?;
        Some((work.get("kind")?.clone(), work.get("operation").cloned()))
    };
    kind(one).is_some() && kind(one) == kind(other)
}

fn varied(row: &Answer, sweep: &Sweep<'_>) -> Varied {
    let points: Vec<Point> = sweep
        .points
        .iter()
        .filter_map(|one| point(row, one))
        .collect();
    Varied {
        parameter: spoken(sweep.parameter),
        axis: with_unit(sweep.parameter, sweep.unit),
        is_log: points.iter().all(|point| point.value > 0.0),
        points,
    }
}

fn point(row: &Answer, (value, case): &(f64, &CaseResult)) -> Option<Point> {
    let mut findings = case.findings.iter();
    let finding = findings.find(|one| {
        Some(&one.subject) == row.subject.as_ref() && Some(&one.reference) == row.reference.as_ref()
    })?;
    let estimate = finding.estimate?;
    Some(Point {
        value: *value,
        shown: case.case.point_value(),
        ratio: estimate.ratio,
        ends: estimate.interval()?,
        said: comparison(Some(&estimate), &finding.verdict),
    })
}

impl Varied {
    /// Between the first point and the last.
    fn share(&self, value: f64) -> f64 {
        let scaled = |v: f64| if self.is_log { v.ln() } else { v };
        let [low, high] =
            [self.points.first(), self.points.last()].map(|p| scaled(p.map_or(1.0, |p| p.value)));
        (scaled(value) - low) / (high - low).max(f64::MIN_POSITIVE)
    }

    pub(super) fn data(&self) -> Value {
        let points = self.points.iter();
        let points = points.map(|point| {
            json!([
                self.share(point.value),
                point.value,
                point.shown,
                point.said.with_interval(),
                point.said.tone.class()
            ])
        });
        json!({ "parameter": self.parameter, "log": self.is_log, "points": points.collect::<Vec<_>>() })
    }

    fn words(&self, subject: &str) -> String {
        let said = self.points.iter();
        let said = said.map(|one| {
            format!(
                "{} {}: {}",
                self.parameter,
                one.shown,
                one.said.with_interval()
            )
        });
        format!("{subject}, {}", said.collect::<Vec<_>>().join("; "))
    }
}

pub(super) fn part(lesson: &Lesson) -> Markup {
    html! {
        @for (place, varied) in lesson.varied.iter().enumerate() {
            div.varied data-sweep=(place) {
                h3 { "What would change the answer: " (varied.axis) }
                (picture(lesson, varied))
            }
        }
    }
}

fn picture(lesson: &Lesson, varied: &Varied) -> Markup {
    let ends = varied
        .points
        .iter()
        .flat_map(|point| [point.ends.0, point.ends.1]);
    let (low, high) = ends.fold((1.0_f64, 1.0_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    let y = |ratio: f64| FOOT - (FOOT - TOP) * (ratio / low).ln() / (high / low).ln().max(1e-9);
    let x = |point: &Point| at(varied.share(point.value));
    let line = |points: Vec<String>| format!("M{}", points.join("L"));
    let curve = varied
        .points
        .iter()
        .map(|one| format!("{} {}", px(x(one)), px(y(one.ratio))));
    html! {
        div.picture {
            svg role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-label=(varied.words(&lesson.subject)) {
                path class="one" d=(format!("M{} {}H{}", at(0.0), px(y(1.0)), at(1.0))) {}
                path class="here" d="" {}
                path class="grid" fill="none" d=(line(curve.collect())) {}
                @for point in &varied.points {
                    path class=(format!("span {}", point.said.tone.class())) d=(format!("M{} {}V{}", px(x(point)), px(y(point.ends.0)), px(y(point.ends.1)))) {}
                    circle class=(format!("dot {}", point.said.tone.class())) cx=(px(x(point))) cy=(px(y(point.ratio))) r="5" {}
                }
                text class="tick" x="0" y=(px(y(1.0) - 4.0)) { "equal" }
                @if high > 1.0 { text class="tick e" x=(WIDTH) y=(TOP - 2.0) { (significant(high)) "x slower" } }
                @if low < 1.0 { text class="tick e" x=(WIDTH) y=(FOOT + 14.0) { (significant(1.0 / low)) "x faster" } }
                @if let [first, .., last] = &varied.points[..] {
                    text class="tick" x="0" y=(HEIGHT - 8.0) { (varied.parameter) " " (first.shown) }
                    text class="tick e" x=(WIDTH) y=(HEIGHT - 8.0) { (last.shown) }
                }
            }
        }
    }
}
