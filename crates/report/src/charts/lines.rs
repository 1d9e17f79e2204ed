//! Typical times over a parameter, one line a variant, quartiles as a band, the fit in dashes.

use maud::{Markup, html};

use super::axis::{Scale, TIME, Tick, ends, margin, thinned};
use super::frame::{FINE, Frame, LINE, label, line, px, steps};
use super::marker::Look;
use crate::number::{plain, time};

const LINE_OF: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
    pub(crate) fit: Vec<(f64, f64)>,
}

impl Series {
    pub(crate) fn new(
        place: usize,
        label: impl Into<String>,
        points: impl Iterator<Item = Point>,
    ) -> Self {
        Self {
            label: label.into(),
            look: Look::Variant(place),
            points: points.collect(),
            fit: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

pub(crate) fn lines(frame: &Frame<'_>, series: &[Series], unit: &str) -> Markup {
    let points = || series.iter().flat_map(|series| &series.points);
    let (top, bottom, right) = (8.0, 290.0, frame.width - 8.0);
    if points().next().is_none() {
        return html! {};
    }
    let times = ends(points().flat_map(|point| [point.low, point.high]));
    let y = Scale::new(times, (bottom - 8.0, top + 8.0), true);
    let ticks = y.round(44.0, &TIME);
    let left = margin(&ticks, frame.large);
    let (x, at) = across(frame, left, series);
    let body = html! {
        (rows(&ticks, left, right))
        (columns(&at, (top, bottom)))
        (foot(frame, left, bottom, &format!("{unit}{}", x.said(&y))))
        @for (place, series) in series.iter().enumerate() { (self::series(place, series, &x, &y)) }
    };
    let data = format!("{} {} {}", y.data(), px(left), px(right));
    frame.svg(bottom + frame.foot(), Some(&data), &body)
}

/// The axis of what series are over, with a tick for each of its values that has room.
pub(super) fn across(frame: &Frame<'_>, left: f64, series: &[Series]) -> (Scale, Vec<Tick>) {
    let points = series.iter().flat_map(|series| &series.points);
    let mut values: Vec<f64> = points.map(|point| point.x).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let room = (left + 16.0, frame.width - 40.0 * frame.large);
    let x = Scale::new(ends(values.iter().copied()), room, true);
    let ticks = thinned(x.values(values.into_iter()), frame.large);
    (x, ticks)
}

pub(super) fn path(points: &[(f64, f64)], x: &Scale, y: &Scale) -> String {
    let placed: Vec<_> = points.iter().map(|&(a, b)| (x.at(a), y.at(b))).collect();
    steps(&placed, FINE)
}

pub(super) fn band(points: &[Point]) -> Vec<(f64, f64)> {
    let high = points.iter().map(|point| (point.x, point.high));
    let low = points.iter().rev().map(|point| (point.x, point.low));
    high.chain(low).collect()
}

fn grid(lines: impl Iterator<Item = String>) -> Markup {
    html! { path class="grid" d=(lines.collect::<String>()) {} }
}

pub(super) fn rows(ticks: &[Tick], left: f64, right: f64) -> Markup {
    html! {
        g.y {
            (grid(ticks.iter().map(|tick| format!("M{} {}H{}", px(left), px(tick.at), px(right)))))
            @for tick in ticks { (label(left - 6.0, tick.at + 4.0, "end", class_of(tick), &tick.label)) }
        }
    }
}

pub(super) fn columns(ticks: &[Tick], (top, bottom): (f64, f64)) -> Markup {
    html! {
        @if top < bottom {
            (grid(ticks.iter().map(|tick| format!("M{} {}V{}", px(tick.at), px(top), px(bottom)))))
        }
        @for tick in ticks {
            (label(tick.at, bottom + 1.3 * LINE, "middle", class_of(tick), &tick.label))
        }
    }
}

pub(super) fn foot(frame: &Frame<'_>, left: f64, bottom: f64, name: &str) -> Markup {
    let right = frame.width - 8.0;
    html! {
        (line((left, bottom), (right, bottom), "axis"))
        (label(right, bottom + frame.below(), "end", "tick", name))
    }
}

fn class_of(tick: &Tick) -> &'static str {
    if tick.small { "tick w" } else { "tick" }
}

fn series(place: usize, series: &Series, x: &Scale, y: &Scale) -> Markup {
    let path = |points: &[(f64, f64)]| path(points, x, y);
    let is_line = series.points.len() >= LINE_OF;
    let class = if is_line { "curve" } else { "dots" };
    let points = series.points.iter();
    let curve: Vec<_> = points.clone().map(|p| (p.x, p.y)).collect();
    let said = points.map(|p| format!("at {}: {}", plain(p.x), time(p.y)));
    let said = said.collect::<Vec<_>>().join("|");
    html! {
        g class=(series.look.class()) data-v=(place) {
            @if is_line { path class="area" d=(path(&band(&series.points))) {} }
            @if series.fit.len() > 1 { path class="fit" d=(path(&series.fit)) {} }
            path class=(format!("{class} {}", series.look.marked()).trim_end()) data-say=(said)
                d=(path(&curve)) {}
        }
    }
}
