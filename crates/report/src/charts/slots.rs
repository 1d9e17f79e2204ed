//! Every slot in the order of time, one marker each; failed slots are crosses at the foot.

use maud::{Markup, html};

use super::axis::{SECONDS, Scale, TIME, ends, margin, thinned};
use super::frame::{COARSE, Frame, px, steps};
use super::lines::{columns, foot, rows};
use super::marker::Look;

const FAR: f64 = 8.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Dot {
    /// After the first slot of the case.
    pub(crate) at_s: f64,
    pub(crate) ns: Option<f64>,
    pub(crate) variant: usize,
}

pub(crate) fn slots(frame: &Frame<'_>, dots: &[Dot], variants: usize) -> Markup {
    let (top, bottom) = (8.0, 220.0);
    let values = || dots.iter().filter_map(|dot| dot.ns);
    let has_any = values().next().is_some();
    let (low, high) = match has_any {
        true => ends(values()),
        false => (0.0, 1.0),
    };
    let y = Scale::new((low, high), (bottom - 14.0, top + 6.0), high > FAR * low);
    let times = match has_any {
        true => y.round(40.0, &TIME),
        false => Vec::new(),
    };
    let left = margin(&times, frame.large);
    let end = dots.iter().map(|dot| dot.at_s).fold(0.0, f64::max);
    let x = Scale::new(
        (0.0, end),
        (left + 8.0, frame.width - 24.0 * frame.large),
        false,
    );
    let body = html! {
        (rows(&times, left, frame.width - 8.0))
        (columns(&thinned(x.round(90.0, &SECONDS), frame.large), (bottom, bottom)))
        (foot(frame, left, bottom, "time since the first slot"))
        @for variant in 0..variants { (self::variant(dots, variant, &x, &y)) }
        (failed(dots, &x, bottom - 5.0))
    };
    frame.svg(bottom + frame.foot(), Some(&y.data()), &body)
}

/// One path, seen by its markers alone: a run has thousands of slots.
fn variant(dots: &[Dot], variant: usize, x: &Scale, y: &Scale) -> Markup {
    let own = dots.iter().filter(|dot| dot.variant == variant);
    let places = own.filter_map(|dot| Some((x.at(dot.at_s), y.at(dot.ns?))));
    let path = steps(&places.collect::<Vec<_>>(), COARSE);
    html! {
        @if !path.is_empty() {
            path class=(format!("dots {}", Look::Variant(variant).marked())) data-v=(variant) d=(path) {}
        }
    }
}

fn failed(dots: &[Dot], x: &Scale, y: f64) -> Markup {
    let crosses: String = dots
        .iter()
        .filter(|dot| dot.ns.is_none())
        .map(|dot| {
            let x = x.at(dot.at_s);
            let (left, right, up, down) = (px(x - 4.0), px(x + 4.0), px(y - 4.0), px(y + 4.0));
            format!("M{left} {up}L{right} {down}M{left} {down}L{right} {up}")
        })
        .collect();
    html! { @if !crosses.is_empty() { path class="cross" d=(crosses) { title { "failed slots" } } } }
}
