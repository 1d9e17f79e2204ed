//! How many of all values lie below each: the whole distribution, its slow end included.
//!
//! # Theory
//!
//! The empirical distribution of n values is a staircase of n steps of 1/n. It needs no
//! choice of bins, shows two speeds of a clock as two rises and a slow end as a long way to
//! the top. Thousands of steps cannot be told from a hundred, so of many values some
//! quantiles are drawn, evenly spaced, and of the slowest twentieth each one that there is
//! room for: the slow end is what people look for here.

use maud::{Markup, html};

use super::axis::{Scale, TIME, Tick, margin, thinned};
use super::lines::{columns, foot, rows};
use super::marker::{class, marked};
use super::{FINE, Frame, steps};
use crate::number::{percent, time};

/// Steps that are drawn below the slow end, and within it.
const STEPS: usize = 26;
const SLOW_STEPS: usize = 12;
/// Values further apart than this stand on a logarithmic axis.
const FAR: f64 = 8.0;
/// The values of a variant.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) label: String,
    /// In ns, in ascending order.
    pub(crate) values: Vec<f64>,
}

/// Whether the axis of times is logarithmic.
fn is_log((low, high): (f64, f64)) -> bool {
    low > 0.0 && high > FAR * low
}

/// The smallest and the largest value.
fn span(curves: &[Curve]) -> Option<(f64, f64)> {
    let low = curves.iter().filter_map(|curve| curve.values.first());
    let high = curves.iter().filter_map(|curve| curve.values.last());
    let low = low.copied().reduce(f64::min)?;
    Some((low, high.copied().reduce(f64::max)?))
}

/// The chart; the place of a curve is its colour and marker.
pub(crate) fn ecdf(frame: &Frame<'_>, curves: &[Curve]) -> Markup {
    let Some(span) = span(curves) else {
        return html! {};
    };
    let (top, bottom) = (14.0, 250.0);
    let y = Scale::new((0.0, 1.0), (bottom, top), false);
    let shares = shares(&y);
    let left = margin(&shares, frame.large);
    let right = frame.width - 8.0;
    let end = frame.width - 24.0 * frame.large;
    let x = Scale::new(span, (left + 12.0, end), is_log(span));
    let body = html! {
        (rows(&shares, left, right))
        (columns(&thinned(x.round(80.0, &TIME), frame.large), (top, bottom)))
        (foot(frame, left, bottom, "time of a repetition"))
        @for (place, curve) in curves.iter().enumerate() {
            (self::curve(place, curve, &x, &y, left, right))
        }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn shares(y: &Scale) -> Vec<Tick> {
    let shares = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
    let tick = |share: f64| Tick {
        // Large, it would touch the one above it.
        small: share == 0.9,
        ..Tick::new(y.at(share), format!("{:.0} %", share * 100.0))
    };
    shares.map(tick).into()
}

fn curve(place: usize, curve: &Curve, x: &Scale, y: &Scale, left: f64, right: f64) -> Markup {
    let n = curve.values.len();
    if n == 0 {
        return html! {};
    }
    let share = |rank: usize| (rank + 1) as f64 / n as f64;
    let mut path = format!("M{:.0} {:.0}", left, y.at(0.0));
    for rank in ranks(n) {
        path.push_str(&format!(
            "H{:.0}V{:.0}",
            x.at(curve.values[rank]),
            y.at(share(rank))
        ));
    }
    path.push_str(&format!("H{right:.0}"));
    // One marker at each quartile, so that curves are told apart without colour.
    let ranks = [0.25, 0.5, 0.75].map(|part| ((n as f64 * part).ceil() as usize).max(1) - 1);
    let marks = ranks.map(|rank| (x.at(curve.values[rank]), y.at(share(rank))));
    let said = ranks.map(|rank| {
        let value = time(curve.values[rank]);
        format!("{} within {value}", percent(share(rank)))
    });
    html! {
        g class=(class(place)) data-v=(place) {
            path class="curve" d=(path) {}
            path class=(format!("dots {}", marked(place))) data-say=(said.join("|"))
                d=(steps(&marks, FINE)) {}
        }
    }
}

/// Which of n sorted values are drawn, by rank; the last always.
fn ranks(n: usize) -> Vec<usize> {
    let slow = n - n.div_ceil(20);
    let few = |from: usize, to: usize, most: usize| {
        let step = ((to - from).div_ceil(most)).max(1);
        (from..to).step_by(step)
    };
    let mut ranks: Vec<usize> = few(0, slow, STEPS)
        .chain(few(slow, n, SLOW_STEPS))
        .collect();
    if ranks.last() != Some(&(n - 1)) {
        ranks.push(n - 1);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_few_values_and_the_slow_end_of_many_are_drawn() {
        assert_eq!(ranks(1), [0]);
        assert_eq!(ranks(5), [0, 1, 2, 3, 4]);
        let many = ranks(2000);
        assert!(many.len() <= STEPS + SLOW_STEPS + 1, "{}", many.len());
        assert!(many.is_sorted_by(|a, b| a < b));
        assert_eq!(many.last(), Some(&1999));
        assert!(many.iter().filter(|rank| **rank >= 1900).count() > 10);
    }

    #[test]
    fn values_far_apart_stand_on_a_logarithmic_axis() {
        assert!(!is_log((1.0, 2.0)));
        assert!(is_log((1.0, 90.0)));
        assert!(!is_log((0.0, 90.0)));
    }
}
