//! What would change the answer: the same two sides at the other points of a sweep, by a slider. At
//! a measured point it says that point's verdict; between two what the law through both sides'
//! times says, with its interval ([`stats::curve`]), or, where no law fits, what both neighbours
//! say, if they agree. Beyond the ends there is no slider: the run does not bear such verdicts.

use lab::{Answer, Block, CaseResult, Results, ScalingPoint, Sweep};
use maud::{Markup, html};
use serde_json::{Value, json};
use stats::{MeasuredPoint, OnCurve, curve};

use super::Lesson;
use super::picture::{WIDTH, at, px};
use crate::charts::axis::ends;
use crate::number::significant;
use crate::words::{Comparison, comparison, place_of, spoken, with_unit};

/// Of the picture: the highest and the lowest place of a mark, and all of it.
const TOP: f64 = 14.0;
const FOOT: f64 = 150.0;
const HEIGHT: f64 = 204.0;

#[derive(Debug)]
pub(super) struct Varied {
    parameter: String,
    axis: String,
    is_log: bool,
    points: Vec<Point>,
    floor: f64,
    /// In equal steps from the first point to the last; empty where no law fits.
    curve: Vec<OnCurve>,
}

#[derive(Debug)]
struct Point {
    value: f64,
    shown: String,
    ratio: f64,
    ends: (f64, f64),
    said: Comparison,
    rounds: Vec<(f64, f64)>,
}

const STEPS: usize = 40;

pub(super) fn of(results: &Results, row: &Answer) -> Vec<Varied> {
    let study = &results.studies[row.place];
    let own = results.case_of(row);
    let sweeps = Block::all(study).into_iter();
    let sweeps = sweeps.filter_map(|block| match block {
        Block::Sweep(sweep) => Some(sweep),
        Block::Case(_) | Block::Matrix(_) => None,
    });
    let is_same_work =
        |sweep: &Sweep<'_>| own.is_some_and(|own| does_the_same(own, sweep.points[0].1));
    let along = sweeps.filter(is_same_work).map(|sweep| {
        let names = (
            spoken(sweep.parameter),
            with_unit(sweep.parameter, sweep.unit),
        );
        varied(row, names, &sweep.points)
    });
    let cores = study.parts.scaling.iter().filter_map(|scaling| {
        let is_own = scaling.points.iter().any(|point| point.case == row.case);
        let case = |point: &ScalingPoint| {
            let mut cases = study.cases.iter();
            let case = cases.find(|case| case.case.name == point.case)?;
            Some((f64::from(point.flows), case))
        };
        let points: Vec<(f64, &CaseResult)> = scaling.points.iter().filter_map(case).collect();
        let name = format!("flows along {}", scaling.along);
        is_own.then(|| varied(row, (name.clone(), name), &points))
    });
    let all = along.chain(cores);
    all.filter(|one| one.points.len() > 1).collect()
}

fn does_the_same(one: &CaseResult, other: &CaseResult) -> bool {
    let kind = |case: &CaseResult| {
        let work = serde_json::to_value(&case.case.work).ok()?;
        Some((work.get("kind")?.clone(), work.get("operation").cloned()))
    };
    kind(one).is_some() && kind(one) == kind(other)
}

fn varied(
    row: &Answer,
    (parameter, axis): (String, String),
    points: &[(f64, &CaseResult)],
) -> Varied {
    let points: Vec<Point> = points.iter().filter_map(|one| point(row, one)).collect();
    let mut varied = Varied {
        parameter,
        axis,
        is_log: points.iter().all(|point| point.value > 0.0),
        points,
        floor: row.floor,
        curve: Vec::new(),
    };
    let measured = varied.points.iter().map(|point| MeasuredPoint {
        x: point.value,
        rounds: point.rounds.clone(),
        interval: point.ends,
    });
    let measured: Vec<MeasuredPoint> = measured.collect();
    let places: Vec<f64> = (0..=STEPS).map(|step| varied.value(step)).collect();
    varied.curve = curve(&measured, &places).unwrap_or_default();
    varied
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
        rounds: rounds(row, case)?,
    })
}

fn rounds(row: &Answer, case: &CaseResult) -> Option<Vec<(f64, f64)>> {
    let place = |label: &Option<String>| place_of(case, label.as_deref()?);
    let (reference, subject) = (place(&row.reference)?, place(&row.subject)?);
    let of = |variant: usize, round: usize| {
        let mut slots = case.slots.iter();
        let slot = slots.find(|slot| slot.variant == variant && slot.round == round)?;
        slot.value_ns
    };
    let last = case.slots.iter().map(|slot| slot.round).max()?;
    let both = (0..=last).filter_map(|round| Some((of(reference, round)?, of(subject, round)?)));
    Some(both.collect())
}

impl Varied {
    fn ends(&self) -> [f64; 2] {
        [self.points.first(), self.points.last()].map(|p| p.map_or(1.0, |p| p.value))
    }

    fn value(&self, step: usize) -> f64 {
        let share = step as f64 / STEPS as f64;
        let [low, high] = self.ends();
        match self.is_log {
            true => low * (high / low).powf(share),
            false => low + share * (high - low),
        }
    }

    fn share(&self, value: f64) -> f64 {
        let scaled = |v: f64| if self.is_log { v.ln() } else { v };
        let [low, high] = self.ends().map(scaled);
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
        let short = |ratio: f64| (ratio * 1e3).round() / 1e3;
        let curve = self.curve.iter();
        let curve = curve.map(|on| [on.low, on.ratio, on.high].map(short));
        json!({
            "parameter": self.parameter,
            "log": self.is_log,
            "points": points.collect::<Vec<_>>(),
            "floor": self.floor,
            "curve": curve.collect::<Vec<_>>(),
        })
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
    let all = varied.points.iter().map(|point| point.ends);
    let all = all.chain(varied.curve.iter().map(|on| (on.low, on.high)));
    let (low, high) = ends(all.flat_map(|(low, high)| [low, high]).chain([1.0]));
    let y = |ratio: f64| FOOT - (FOOT - TOP) * (ratio / low).ln() / (high / low).ln().max(1e-9);
    let x = |point: &Point| at(varied.share(point.value));
    let line = |points: Vec<String>| format!("M{}", points.join("L"));
    let steps = |of: fn(&OnCurve) -> f64| -> Vec<String> {
        let curve = varied.curve.iter().enumerate();
        let place = |step: usize| px(at(step as f64 / STEPS as f64));
        curve
            .map(move |(step, on)| format!("{} {}", place(step), px(y(of(on)))))
            .collect()
    };
    let high_end = steps(|on| on.high).into_iter().rev();
    let band: Vec<String> = steps(|on| on.low).into_iter().chain(high_end).collect();
    let through = |one: &Point| format!("{} {}", px(x(one)), px(y(one.ratio)));
    let curve: Vec<String> = match varied.curve.is_empty() {
        true => varied.points.iter().map(through).collect(),
        false => steps(|on| on.ratio),
    };
    html! {
        div.picture {
            svg role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-label=(varied.words(&lesson.subject)) {
                path class="one" d=(format!("M{} {}H{}", at(0.0), px(y(1.0)), at(1.0))) {}
                path class="here" d="" {}
                @if !band.is_empty() { path class="lawful" d=(line(band) + "z") {} }
                path class="grid" fill="none" d=(line(curve)) {}
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
