use maud::{Markup, html};

use super::axis::{SECONDS, Scale, Unit, margin, thinned};
use super::frame::{FINE, Frame, steps};
use super::lines::{columns, foot, rows};
use super::marker::Look;

const MARKED: usize = 60;

#[derive(Debug, Clone)]
pub(crate) struct Course {
    pub(crate) variant: usize,
    pub(crate) points: Vec<(f64, f64)>,
}

pub(crate) fn course(frame: &Frame<'_>, lines: &[Course], unit: &Unit) -> Markup {
    let points = || lines.iter().flat_map(|line| &line.points);
    let most = |value: fn(&(f64, f64)) -> f64| points().map(value).fold(0.0, f64::max);
    let (top, bottom) = (8.0, 220.0);
    let y = Scale::new((0.0, most(|p| p.1)), (bottom, top + 6.0), false);
    let mut values = y.round(40.0, unit);
    if let Some(zero) = values.first_mut() {
        zero.small = true;
    }
    let left = margin(&values, frame.large);
    let x = Scale::new(
        (0.0, most(|p| p.0)),
        (left + 2.0, frame.width - 24.0 * frame.large),
        false,
    );
    let body = html! {
        (rows(&values, left, frame.width - 8.0))
        (columns(&thinned(x.round(90.0, &SECONDS), frame.large), (bottom, bottom)))
        (foot(frame, left, bottom, "time in the slot"))
        @for line in lines { (drawn(line, &x, &y)) }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn drawn(line: &Course, x: &Scale, y: &Scale) -> Markup {
    let places = line.points.iter().map(|&(s, value)| (x.at(s), y.at(value)));
    let places: Vec<_> = places.collect();
    let look = Look::Variant(line.variant);
    let marked = match places.len() {
        ..=MARKED => look.marked(),
        _ => String::new(),
    };
    html! {
        @if !places.is_empty() {
            g class=(look.class()) data-v=(line.variant) {
                path class=(format!("curve {marked}").trim_end()) d=(steps(&places, FINE)) {}
            }
        }
    }
}
