//! Crossovers of a sweep: up to which value of the parameter the dearer variant costs more than so
//! much, and from which on less.
//!
//! Each case gives one point: the parameter's value and how many times as long the dearer variant
//! takes. *More* may be claimed where all of the interval lies above the level, *less* where below:
//! ```text
//!   cost   [ ]
//!           |  [ ]
//!   level --|---|---[ ]--[ ]------------
//!           |   |    |    |   [ ]  [ ]
//!         more      unclear    less
//! ```
//! A cost that is spread over ever more work falls, one that flows cause each other rises (the fall
//! of the inverse). Where the ends lie on different sides, the crossing is read off a straight line
//! in log-log, or from a value of 0 on over the value itself; its interval goes from the first
//! crossing of the lower ends to the last one of the upper ends. Any other order of parts is no
//! crossing, and each part is said for itself. Outside the points nothing is made up.

use stats::Estimate;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: f64,
    /// Cost of the dearer variant as a multiple of the other's.
    pub(crate) cost: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    More,
    Less,
    Unclear,
}

impl Point {
    /// `None` without an interval.
    pub(crate) fn of(at: f64, estimate: &Estimate) -> Option<Self> {
        let (low, high) = estimate.interval()?;
        let cost = estimate.ratio;
        Some(Self {
            at,
            cost,
            low,
            high,
        })
    }

    fn side(&self, level: f64) -> Side {
        match () {
            () if self.low > level => Side::More,
            () if self.high < level => Side::Less,
            () => Side::Unclear,
        }
    }

    pub(crate) fn inverse(&self) -> Self {
        Self {
            at: self.at,
            cost: 1.0 / self.cost,
            low: 1.0 / self.high,
            high: 1.0 / self.low,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub(crate) side: Side,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) at: f64,
    pub(crate) high: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Crossing {
    Everywhere,
    Nowhere,
    /// More at the first point, less at the last; it falls here.
    Below(Span),
    /// Less at the first point, more at the last; it rises here.
    Above(Span),
    /// Decided up to this value, undecided from there to the last point.
    UpTo(Side, f64, Point),
    /// Decided from this value on, undecided at the first point.
    From(Side, f64, Point),
    /// Nothing else in common; at least one part is decided.
    Parts(Vec<Part>),
    Unclear(Point),
}

pub(crate) fn crossing(points: &[Point], level: f64) -> Option<Crossing> {
    let (first, last) = (points.first()?, points.last()?);
    let parts = parts(points, level);
    let sides: Vec<Side> = parts.iter().map(|part| part.side).collect();
    Some(match sides[..] {
        [Side::More] => Crossing::Everywhere,
        [Side::Less] => Crossing::Nowhere,
        [Side::Unclear] => Crossing::Unclear(*last),
        [told, Side::Unclear] => Crossing::UpTo(told, parts[0].to, *last),
        [Side::Unclear, told] => Crossing::From(told, parts[1].from, *first),
        [Side::More, .., Side::Less] => Crossing::Below(fall(points, level)?),
        [Side::Less, .., Side::More] => {
            let inverse: Vec<Point> = points.iter().map(Point::inverse).collect();
            Crossing::Above(fall(&inverse, 1.0 / level)?)
        }
        _ => Crossing::Parts(parts),
    })
}

fn parts(points: &[Point], level: f64) -> Vec<Part> {
    let same = points.chunk_by(|a, b| a.side(level) == b.side(level));
    let part = |of: &[Point]| Part {
        side: of[0].side(level),
        from: of[0].at,
        to: of[of.len() - 1].at,
    };
    same.map(part).collect()
}

/// For good, of points that begin above and end below.
fn fall(points: &[Point], level: f64) -> Option<Span> {
    let up_to = points.iter().position(|p| p.low <= level)? - 1;
    let clear_from = points.iter().rposition(|p| p.high >= level)? + 1;
    let within = &points[up_to..=clear_from];
    let fall = within.iter().rposition(|p| p.cost > level)?;
    let last_fall = within.iter().rposition(|p| p.high >= level)?;
    Some(Span {
        low: fall_after(within, 0, level, |p| p.low),
        at: fall_after(within, fall, level, |p| p.cost),
        high: fall_after(within, last_fall, level, |p| p.high),
    })
}

fn fall_after(points: &[Point], i: usize, level: f64, curve: fn(&Point) -> f64) -> f64 {
    let (a, b) = (&points[i], &points[i + 1]);
    let (y0, y1) = (curve(a).ln(), curve(b).ln());
    let part = (y0 - level.ln()) / (y0 - y1);
    match a.at > 0.0 {
        true => (a.at.ln() + part * (b.at.ln() - a.at.ln())).exp(),
        false => a.at + part * (b.at - a.at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed cost of 1,000 units over work that takes one unit a number.
    fn fixed_cost() -> Vec<Point> {
        let point = |at: f64| {
            let cost = 1.0 + 1000.0 / at;
            Point {
                at,
                cost,
                low: cost / 1.02,
                high: cost * 1.02,
            }
        };
        [1e3, 1e4, 1e5, 1e6].map(point).to_vec()
    }

    fn points(intervals: &[(f64, f64)]) -> Vec<Point> {
        let point = |(i, &(low, high)): (usize, &(f64, f64))| Point {
            at: 10f64.powi(i as i32),
            cost: (low * high).sqrt(),
            low,
            high,
        };
        intervals.iter().enumerate().map(point).collect()
    }

    fn below(points: &[Point], level: f64) -> Span {
        match crossing(points, level) {
            Some(Crossing::Below(span)) => span,
            other => panic!("no fall: {other:?}"),
        }
    }

    fn above(points: &[Point], level: f64) -> Span {
        match crossing(points, level) {
            Some(Crossing::Above(span)) => span,
            other => panic!("no rise: {other:?}"),
        }
    }

    #[test]
    fn between_points_it_is_near_the_truth_and_within_its_interval() {
        let Span { low, at, high } = below(&fixed_cost(), 1.5);
        // The truth is 2,000; the bend of the curve costs some of it.
        assert!((1500.0..4000.0).contains(&at), "{at}");
        assert!(low < at && at < high);
    }

    #[test]
    fn outside_of_what_was_run_nothing_is_made_up() {
        let points = fixed_cost();
        assert_eq!(crossing(&points, 3.0), Some(Crossing::Nowhere));
        assert_eq!(crossing(&points[..2], 1.05), Some(Crossing::Everywhere));
        assert_eq!(crossing(&[], 2.0), None);
    }

    #[test]
    fn a_level_within_an_interval_is_claimed_neither_way() {
        let wide = points(&[(2.5, 3.0), (1.73, 2.68)]);
        assert_eq!(
            crossing(&wide, 2.0),
            Some(Crossing::UpTo(Side::More, 1.0, wide[1]))
        );
        let wide = points(&[(1.73, 2.68), (1.1, 1.2)]);
        assert_eq!(
            crossing(&wide, 2.0),
            Some(Crossing::From(Side::Less, 10.0, wide[0]))
        );
        let wide = points(&[(1.73, 2.68), (1.8, 2.1)]);
        assert_eq!(crossing(&wide, 2.0), Some(Crossing::Unclear(wide[1])));
    }

    #[test]
    fn of_a_curve_that_wavers_the_interval_holds_every_fall() {
        let wavering = points(&[(2.9, 3.1), (1.4, 1.6), (2.9, 3.1), (0.9, 1.1)]);
        let Span { low, at, high } = below(&wavering, 2.0);
        assert!(low < 10.0 && at > 100.0 && high > at, "{low} {at} {high}");
    }

    /// Of a rising curve it was said that more or less is not known.
    #[test]
    fn a_rise_is_told_as_one() {
        let rising = points(&[(0.98, 1.02), (1.01, 1.05), (1.25, 1.35)]);
        let Span { low, at, high } = above(&rising, 1.10);
        assert!(
            10.0 < low && low < at && at < high && high < 100.0,
            "{low} {at} {high}"
        );
        let clear = crossing(&rising, 1.01);
        assert_eq!(clear, Some(Crossing::From(Side::More, 100.0, rising[0])));
        assert_eq!(crossing(&rising, 2.0), Some(Crossing::Nowhere));
        let unclear_end = points(&[(1.0, 1.05), (1.05, 1.3)]);
        let up_to = Crossing::UpTo(Side::Less, 1.0, unclear_end[1]);
        assert_eq!(crossing(&unclear_end, 1.10), Some(up_to));
    }

    #[test]
    fn a_rise_is_the_fall_of_the_inverse() {
        let falling = fixed_cost();
        let rising: Vec<Point> = falling.iter().map(Point::inverse).collect();
        let (fall, rise) = (below(&falling, 1.5), above(&rising, 1.0 / 1.5));
        for (a, b) in [
            (fall.low, rise.low),
            (fall.at, rise.at),
            (fall.high, rise.high),
        ] {
            assert!((a / b - 1.0).abs() < 1e-9, "{fall:?} {rise:?}");
        }
    }

    /// At 0 % waiting the crossing was at 0.
    #[test]
    fn from_nothing_on_the_value_itself_counts() {
        let mut points = points(&[(1.9, 2.1), (0.48, 0.52)]);
        (points[0].at, points[1].at) = (0.0, 90.0);
        let Span { low, at, high } = below(&points, 1.0);
        assert!(low < at && at < high, "{low} {at} {high}");
        assert!((at - 45.0).abs() < 1.0, "{at}");
    }

    /// "More up to 1, above that it is not known", with a known point in between.
    #[test]
    fn what_goes_down_and_up_again_is_said_part_by_part() {
        let there_and_back = points(&[(2.5, 3.0), (1.1, 1.2), (2.5, 3.0)]);
        let part = |side, at| Part {
            side,
            from: at,
            to: at,
        };
        let parts = [(Side::More, 1.0), (Side::Less, 10.0), (Side::More, 100.0)];
        let parts = parts.map(|(side, at)| part(side, at)).to_vec();
        assert_eq!(crossing(&there_and_back, 2.0), Some(Crossing::Parts(parts)));
        let open_end = points(&[(2.5, 3.0), (1.1, 1.2), (1.5, 3.0)]);
        let Some(Crossing::Parts(parts)) = crossing(&open_end, 2.0) else {
            panic!("no parts")
        };
        assert_eq!(parts[2].side, Side::Unclear);
    }
}
