//! Typical times over a parameter, one line a variant, with the quartiles as a band and, where
//! there is one, the fitted line in dashes (bent by the axes, which are logarithms).

use maud::{Markup, html};

use super::axis::{Scale, TIME, Tick, margin, thinned};
use super::marker::{class, outline};
use super::{Frame, LINE, label, line, px};
use crate::number::{plain, time};

/// A line.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<Point>,
    /// A curve through them, by its corners; none where nothing was fitted.
    pub(crate) fit: Vec<(f64, f64)>,
}

/// A point of a line: the parameter, the time, and the quartiles around it, in ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The chart; the place of a series is its colour and marker. `unit` names the parameter.
pub(crate) fn lines(frame: &Frame<'_>, series: &[Series], unit: &str, log: bool) -> Markup {
    let points = || series.iter().flat_map(|series| &series.points);
    let (top, bottom) = (8.0, if frame.is_narrow() { 220.0 } else { 280.0 });
    let spread = |value: fn(&Point) -> [f64; 2]| {
        let values = points().flat_map(value);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        })
    };
    if points().next().is_none() {
        return html! {};
    }
    let (low, high) = spread(|point| [point.low, point.high]);
    let low = if log { low } else { 0.0 };
    let y = Scale::new((low, high), (bottom - 8.0, top + 8.0), log);
    let times = y.round(44.0, &TIME);
    let left = margin(&times);
    let x = Scale::new(
        spread(|point| [point.x, point.x]),
        (left + 16.0, frame.width - 40.0),
        true,
    );
    let mut at: Vec<f64> = points().map(|point| point.x).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let body = html! {
        (rows(&times, left, frame.width - 8.0))
        (columns(&thinned(x.values(at.into_iter())), top, bottom))
        (line((left, bottom), (frame.width - 8.0, bottom), "axis"))
        (label(frame.width - 8.0, bottom + 2.6 * LINE, "end", "tick", unit))
        @for (place, series) in series.iter().enumerate() { (self::series(place, series, &x, &y)) }
    };
    frame.svg(bottom + 3.0 * LINE, &body)
}

/// Lines of a grid as one path.
fn grid(lines: impl Iterator<Item = String>) -> Markup {
    html! { path class="grid" d=(lines.collect::<String>()) {} }
}

/// Grid lines with labels on the left.
pub(super) fn rows(ticks: &[Tick], left: f64, right: f64) -> Markup {
    html! {
        (grid(ticks.iter().map(|tick| format!("M{} {}H{}", px(left), px(tick.at), px(right)))))
        @for tick in ticks {
            (label(left - 6.0, tick.at + 4.0, "end", "tick", &tick.label))
        }
    }
}

/// Grid lines with labels below.
pub(super) fn columns(ticks: &[Tick], top: f64, bottom: f64) -> Markup {
    html! {
        (grid(ticks.iter().map(|tick| format!("M{} {}V{}", px(tick.at), px(top), px(bottom)))))
        @for tick in ticks {
            (label(tick.at, bottom + 1.3 * LINE, "middle", "tick", &tick.label))
        }
    }
}

fn series(place: usize, series: &Series, x: &Scale, y: &Scale) -> Markup {
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let corners: Vec<_> = points
            .map(|(a, b)| format!("{} {}", px(x.at(a)), px(y.at(b))))
            .collect();
        format!("M{}", corners.join("L"))
    };
    let points = &series.points;
    let band = points.iter().map(|p| (p.x, p.high));
    let mut band = band.chain(points.iter().rev().map(|p| (p.x, p.low)));
    html! {
        g class=(class(place)) data-v=(place) {
            path class="area" d=(path(&mut band)) {}
            @if series.fit.len() > 1 {
                path class="fit" d=(path(&mut series.fit.iter().copied())) {}
            }
            path class="curve" d=(path(&mut points.iter().map(|p| (p.x, p.y)))) {}
            @for point in points {
                path class="mark" d=(outline(place, x.at(point.x), y.at(point.y), 4.5)) {
                    title { (crate::text::visible(&series.label)) " at " (plain(point.x)) ": " (time(point.y)) }
                }
            }
        }
    }
}
