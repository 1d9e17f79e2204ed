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
use super::marker::Look;
use super::{FINE, Frame, steps};
use crate::number::{percent, time};

/// Steps that are drawn below the slow end, and within it.
const STEPS: u64 = 16;
const SLOW_STEPS: u64 = 8;
/// Values further apart than this stand on a logarithmic axis.
const FAR: f64 = 8.0;
/// The values of a variant.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) label: String,
    /// Times in ns, in ascending order, and how many there are of each.
    pub(crate) values: Vec<(f64, u64)>,
}

impl Curve {
    /// How many values there are.
    pub(crate) fn count(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum()
    }

    /// The value of a rank, from 0: the last one for ranks that there are not.
    pub(crate) fn at(&self, rank: u64) -> Option<f64> {
        let mut below = 0;
        let mut values = self.values.iter();
        let found = values.find(|(_, count)| {
            below += count;
            below > rank
        });
        found.or(self.values.last()).map(|(value, _)| *value)
    }
}

/// Whether the axis of times is logarithmic.
fn is_log((low, high): (f64, f64)) -> bool {
    low > 0.0 && high > FAR * low
}

/// The smallest and the largest value.
fn span(curves: &[Curve]) -> Option<(f64, f64)> {
    let low = curves.iter().filter_map(|curve| curve.values.first());
    let high = curves.iter().filter_map(|curve| curve.values.last());
    let low = low.map(|(value, _)| *value).reduce(f64::min)?;
    Some((low, high.map(|(value, _)| *value).reduce(f64::max)?))
}

/// The chart; the place of a curve is its colour and marker. `what` names the times.
pub(crate) fn ecdf(frame: &Frame<'_>, curves: &[Curve], what: &str) -> Markup {
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
        (foot(frame, left, bottom, what))
        @for (place, curve) in curves.iter().enumerate() {
            (self::curve(place, curve, &x, &y, left, right))
        }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn shares(y: &Scale) -> Vec<Tick> {
    let shares = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
    let tick = |share: f64| Tick {
        // Large, they would touch the one above, and the times below.
        small: share == 0.9 || share == 0.0,
        ..Tick::new(y.at(share), format!("{:.0} %", share * 100.0))
    };
    shares.map(tick).into()
}

fn curve(place: usize, curve: &Curve, x: &Scale, y: &Scale, left: f64, right: f64) -> Markup {
    let n = curve.count();
    let share = |rank: u64| (rank + 1) as f64 / n as f64;
    let place_of = |rank: u64| Some((x.at(curve.at(rank)?), y.at(share(rank))));
    let mut path = format!("M{:.0} {:.0}", left, y.at(0.0));
    for (right, up) in ranks(n).into_iter().filter_map(place_of) {
        path.push_str(&format!("H{right:.0}V{up:.0}"));
    }
    path.push_str(&format!("H{right:.0}"));
    // One marker at each quartile, so that curves are told apart without colour.
    let marks: Vec<_> = quartiles(n).into_iter().filter_map(place_of).collect();
    let said = quartiles(n).into_iter().filter_map(|rank| {
        let value = time(curve.at(rank)?);
        Some(format!("{} within {value}", percent(share(rank))))
    });
    let said: Vec<String> = said.collect();
    let look = Look::Variant(place);
    html! {
        g class=(look.class()) data-v=(place) {
            path class="curve" d=(path) {}
            path class=(format!("dots {}", look.marked())) data-say=(said.join("|"))
                d=(steps(&marks, FINE)) {}
        }
    }
}

/// The ranks of the quartiles of n sorted values.
fn quartiles(n: u64) -> [u64; 3] {
    [0.25, 0.5, 0.75].map(|part| ((n as f64 * part).ceil() as u64).max(1) - 1)
}

/// Which of n sorted values are drawn, by rank; the quartiles and the last always.
fn ranks(n: u64) -> Vec<u64> {
    let slow = n - n.div_ceil(20);
    let few = |from: u64, to: u64, most: u64| {
        let step = ((to - from).div_ceil(most)).max(1);
        (0..most)
            .map(move |part| from + part * step)
            .filter(move |rank| *rank < to)
    };
    let mut ranks: Vec<u64> = few(0, slow, STEPS)
        .chain(few(slow, n, SLOW_STEPS))
        .chain(quartiles(n))
        .chain(n.checked_sub(1))
        .filter(|rank| *rank < n)
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_few_values_and_the_slow_end_of_many_are_drawn() {
        assert_eq!(ranks(0), [0; 0]);
        assert_eq!(ranks(1), [0]);
        assert_eq!(ranks(5), [0, 1, 2, 3, 4]);
        let many = ranks(2000);
        assert!(
            many.len() as u64 <= STEPS + SLOW_STEPS + 4,
            "{}",
            many.len()
        );
        assert!(many.is_sorted_by(|a, b| a < b));
        assert_eq!(many.last(), Some(&1999));
        assert!(many.iter().filter(|rank| **rank >= 1900).count() > 6);
    }

    #[test]
    fn a_value_that_there_are_many_of_has_as_many_ranks() {
        let curve = Curve {
            label: String::new(),
            values: vec![(1.0, 2), (5.0, 100), (9.0, 1)],
        };
        assert_eq!(curve.count(), 103);
        let at = [0, 1, 2, 101, 102, 500].map(|rank| curve.at(rank).unwrap());
        assert_eq!(at, [1.0, 1.0, 5.0, 5.0, 9.0, 9.0]);
        // As many ranks as a histogram of a hundred million requests has.
        assert_eq!(ranks(100_000_000).last(), Some(&99_999_999));
    }

    #[test]
    fn values_far_apart_stand_on_a_logarithmic_axis() {
        assert!(!is_log((1.0, 2.0)));
        assert!(is_log((1.0, 90.0)));
        assert!(!is_log((0.0, 90.0)));
    }
}
