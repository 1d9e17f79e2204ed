//! A quantity over time, one line a variant.

use maud::{Markup, html};

use super::axis::{SECONDS, Scale, Unit, margin, thinned};
use super::lines::{columns, rows};
use super::marker::{class, outline};
use super::{Frame, LINE, label, line, px};

/// Lines of more points than this have no markers on them.
const MARKED: usize = 60;

/// A line.
#[derive(Debug, Clone)]
pub(crate) struct Course {
    /// Place of its variant.
    pub(crate) variant: usize,
    /// Seconds and values.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The chart. Values begin at zero; `unit` is that of the values.
pub(crate) fn course(frame: &Frame<'_>, lines: &[Course], unit: &Unit) -> Markup {
    let points = || lines.iter().flat_map(|line| &line.points);
    let most = |value: fn(&(f64, f64)) -> f64| points().map(value).fold(0.0, f64::max);
    let (top, bottom) = (8.0, if frame.is_narrow() { 180.0 } else { 200.0 });
    let y = Scale::new((0.0, most(|p| p.1)), (bottom, top + 6.0), false);
    let values = y.round(40.0, unit);
    let left = margin(&values);
    let x = Scale::new(
        (0.0, most(|p| p.0)),
        (left + 2.0, frame.width - 24.0),
        false,
    );
    let body = html! {
        (rows(&values, left, frame.width - 8.0))
        (columns(&thinned(x.round(90.0, &SECONDS)), bottom, bottom))
        (line((left, bottom), (frame.width - 8.0, bottom), "axis"))
        (label(frame.width - 8.0, bottom + 2.6 * LINE, "end", "tick", "time in the slot"))
        @for line in lines { (drawn(line, &x, &y)) }
    };
    frame.svg(bottom + 3.0 * LINE, &body)
}

fn drawn(line: &Course, x: &Scale, y: &Scale) -> Markup {
    let places = line.points.iter().map(|&(s, value)| (x.at(s), y.at(value)));
    let places: Vec<_> = places.collect();
    let corners: Vec<_> = places
        .iter()
        .map(|(x, y)| format!("{} {}", px(*x), px(*y)))
        .collect();
    let marked = if places.len() <= MARKED {
        &places[..]
    } else {
        &[]
    };
    html! {
        @if !corners.is_empty() {
            g class=(class(line.variant)) data-v=(line.variant) {
                path class="curve" d=(format!("M{}", corners.join("L"))) {}
                @for (x, y) in marked {
                    path class="mark" d=(outline(line.variant, *x, *y, 3.2)) {}
                }
            }
        }
    }
}
