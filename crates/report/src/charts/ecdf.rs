//! How many of all values lie below each: the empirical distribution of n values is a staircase of
//! n steps of 1/n, without a choice of bins. Up to [`ALL`] values are drawn each; of more some,
//! evenly spaced by rank, and each of the slowest twentieth that has room. A mark stands at each
//! quartile as it is given elsewhere: steps on both sides of it are drawn.

use maud::{Markup, html};

use super::axis::{Scale, TIME, Tick, margin, thinned};
use super::frame::{COARSE, Frame, steps};
use super::lines::{columns, foot, rows};
use super::marker::Look;
use crate::number::time;

const ALL: u64 = 100;
/// Of more: steps below the slow end, and within it.
const STEPS: u64 = 40;
const SLOW_STEPS: u64 = 20;
const QUARTILES: [&str; 3] = ["lower quartile", "half", "upper quartile"];
const FAR: f64 = 8.0;
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) label: String,
    /// Times in ns, ascending, with their counts.
    pub(crate) values: Vec<(f64, u64)>,
    pub(crate) quartiles: [f64; 3],
}

impl Curve {
    pub(crate) fn count(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum()
    }

    pub(crate) fn at(&self, rank: u64) -> Option<f64> {
        let mut below = 0;
        let mut values = self.values.iter();
        let found = values.find(|(_, count)| {
            below += count;
            below > rank
        });
        found.or(self.values.last()).map(|(value, _)| *value)
    }

    fn within(&self, value: f64) -> u64 {
        let values = self.values.iter();
        let within = values.take_while(|(own, _)| *own <= value);
        within.map(|(_, count)| count).sum()
    }
}

fn is_log((low, high): (f64, f64)) -> bool {
    low > 0.0 && high > FAR * low
}

fn span(curves: &[Curve]) -> Option<(f64, f64)> {
    let low = curves.iter().filter_map(|curve| curve.values.first());
    let high = curves.iter().filter_map(|curve| curve.values.last());
    let low = low.map(|(value, _)| *value).reduce(f64::min)?;
    Some((low, high.map(|(value, _)| *value).reduce(f64::max)?))
}

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
        (foot(frame, left, bottom, &format!("{what}{}", x.said(&y))))
        @for (place, curve) in curves.iter().enumerate() {
            (self::curve(place, curve, &x, &y, left, right))
        }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn shares(y: &Scale) -> Vec<Tick> {
    let shares = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
    let tick = |share: f64| Tick {
        // Enlarged, they would touch the one above, and the times below.
        small: share == 0.9 || share == 0.0,
        ..Tick::new(y.at(share), format!("{:.0} %", share * 100.0))
    };
    shares.map(tick).into()
}

fn curve(place: usize, curve: &Curve, x: &Scale, y: &Scale, left: f64, right: f64) -> Markup {
    let marks = marks(curve, x, y);
    let said = QUARTILES.iter().zip(curve.quartiles);
    let said = said.map(|(name, value)| format!("{name}: {}", time(value)));
    let said: Vec<String> = said.take(marks.len()).collect();
    let look = Look::Variant(place);
    html! {
        g class=(look.class()) data-v=(place) {
            path class="curve" d=(stairs(&corners(curve, x, y), (left, y.at(0.0)), right)) {}
            path class=(format!("dots {}", look.marked())) data-say=(said.join("|"))
                d=(steps(&marks, COARSE)) {}
        }
    }
}

fn marks(curve: &Curve, x: &Scale, y: &Scale) -> Vec<(f64, f64)> {
    let n = curve.count();
    let place = |value: f64| (x.at(value), y.at(curve.within(value) as f64 / n as f64));
    let quartiles = curve.quartiles.into_iter().filter(|_| n > 0);
    quartiles.map(place).collect()
}

fn corners(curve: &Curve, x: &Scale, y: &Scale) -> Vec<(f64, f64)> {
    let n = curve.count();
    let place = |rank: u64| {
        let share = (rank + 1) as f64 / n as f64;
        Some((x.at(curve.at(rank)?), y.at(share)))
    };
    ranks(curve).into_iter().filter_map(place).collect()
}

fn stairs(corners: &[(f64, f64)], from: (f64, f64), right: f64) -> String {
    let whole = |length: f64| length.round() as i64;
    let (mut x, mut y) = (whole(from.0), whole(from.1));
    let mut path = format!("M{x} {y}");
    for (to, up) in corners {
        let (across, along) = (whole(*to) - x, whole(*up) - y);
        for (letter, step) in [('h', across), ('v', along)] {
            if step != 0 {
                path.push_str(&format!("{letter}{step}"));
            }
        }
        (x, y) = (x + across, y + along);
    }
    path.push_str(&format!("H{}", whole(right)));
    path
}

/// Ranks of the drawn values: all of few; of many always both sides of each quartile and the last.
fn ranks(curve: &Curve) -> Vec<u64> {
    let n = curve.count();
    if n <= ALL {
        return (0..n).collect();
    }
    let slow = n - n.div_ceil(20);
    let few = |from: u64, to: u64, most: u64| {
        let step = ((to - from).div_ceil(most)).max(1);
        (0..most).map(move |part| from + part * step)
    };
    let beside = curve.quartiles.into_iter().flat_map(|quartile| {
        let within = curve.within(quartile);
        [within.saturating_sub(1), within]
    });
    let mut ranks: Vec<u64> = few(0, slow, STEPS)
        .filter(|rank| *rank < slow)
        .chain(few(slow, n, SLOW_STEPS))
        .chain(beside)
        .chain([n - 1])
        .filter(|rank| *rank < n)
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve_of(values: Vec<(f64, u64)>, quartiles: [f64; 3]) -> Curve {
        Curve {
            label: String::new(),
            values,
            quartiles,
        }
    }

    /// This many values of which no two are the same distance apart, with quartiles between them.
    fn many(n: u32) -> Curve {
        let value = |rank: f64| 100.0 + rank * rank;
        let values: Vec<(f64, u64)> = (0..n).map(|rank| (value(f64::from(rank)), 1)).collect();
        let between = [0.25, 0.5, 0.75].map(|p| value(p * f64::from(n - 1)));
        curve_of(values, between)
    }

    #[test]
    fn all_of_few_values_and_the_slow_end_of_many_are_drawn() {
        assert_eq!(ranks(&curve_of(Vec::new(), [0.0; 3])), [0; 0]);
        for n in [1, 5, 30, 100] {
            assert_eq!(ranks(&many(n)), (0..u64::from(n)).collect::<Vec<_>>());
        }
        let ranks = ranks(&many(2000));
        let most = STEPS + SLOW_STEPS + 7;
        assert!(ranks.len() as u64 <= most, "{}", ranks.len());
        assert!(ranks.is_sorted_by(|a, b| a < b));
        assert_eq!(ranks.last(), Some(&1999));
        assert!(ranks.iter().filter(|rank| **rank >= 1900).count() > 18);
    }

    /// Marks were drawn finer than the curve, and of quartiles that it did not step at.
    #[test]
    fn marks_are_points_of_the_drawn_curve() {
        let histogram = curve_of(vec![(1.0, 700), (5.0, 100), (90.0, 200)], [1.0, 1.0, 5.0]);
        for curve in [many(3), many(30), many(1999), histogram] {
            let span = span(std::slice::from_ref(&curve)).unwrap();
            let x = Scale::new(span, (40.0, 600.0), false);
            let y = Scale::new((0.0, 1.0), (250.0, 14.0), false);
            let whole = |(x, y): &(f64, f64)| (x.round() as i64, y.round() as i64);
            let corners: Vec<_> = corners(&curve, &x, &y).iter().map(whole).collect();
            let marks: Vec<_> = marks(&curve, &x, &y).iter().map(whole).collect();
            assert_eq!(marks.len(), 3);
            for (right, up) in marks {
                let before = corners.iter().rfind(|(x, y)| *x <= right && *y >= up);
                assert_eq!(
                    before.map(|(_, y)| *y),
                    Some(up),
                    "{right} {up}: {corners:?}"
                );
            }
        }
    }

    #[test]
    fn a_staircase_steps_across_and_up() {
        let path = stairs(
            &[(12.4, 90.0), (12.3, 80.2), (20.0, 80.0)],
            (5.0, 100.0),
            30.0,
        );
        assert_eq!(path, "M5 100h7v-10v-10h8H30");
    }

    #[test]
    fn a_value_that_there_are_many_of_has_as_many_ranks() {
        let curve = curve_of(vec![(1.0, 2), (5.0, 100), (9.0, 1)], [5.0; 3]);
        assert_eq!(curve.count(), 103);
        let at = [0, 1, 2, 101, 102, 500].map(|rank| curve.at(rank).unwrap());
        assert_eq!(at, [1.0, 1.0, 5.0, 5.0, 9.0, 9.0]);
        assert_eq!(
            [0.5, 1.0, 5.0, 9.0].map(|v| curve.within(v)),
            [0, 2, 102, 103]
        );
        // As many ranks as a histogram of a hundred million requests has.
        let many = curve_of(vec![(1.0, 100_000_000)], [1.0; 3]);
        assert_eq!(ranks(&many).last(), Some(&99_999_999));
    }

    #[test]
    fn values_far_apart_stand_on_a_logarithmic_axis() {
        assert!(!is_log((1.0, 2.0)));
        assert!(is_log((1.0, 90.0)));
        assert!(!is_log((0.0, 90.0)));
    }
}
