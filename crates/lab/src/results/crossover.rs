//! Crossovers of a sweep: up to which value of the parameter the dearer variant costs more
//! than so much, and from which on less.
//!
//! # Theory
//!
//! Each case of a sweep gives one point: the parameter's value and how many times as long
//! the dearer variant takes, with its interval. Of one point a level may be claimed only if
//! the claim is true of every ratio in the interval: *more* where all of it lies above the
//! level, *less* where all of it lies below. So the points fall into three runs:
//!
//! ```text
//!   cost   [ ]
//!           |  [ ]
//!   level --|---|---[ ]--[ ]------------
//!           |   |    |    |   [ ]  [ ]
//!         more      unclear    less
//! ```
//!
//! Costs of making flows are spread over ever more work, so the curve falls. Where there
//! are points of both kinds, the crossing is read off a straight line in log-log, which is
//! what a fixed cost over growing work is but for its last bend. The ends of the intervals
//! are curves of their own: the first fall of the lower one and the last fall of the upper
//! one are the ends of the crossover's interval. Outside the points nothing is made up.

/// One case of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// Value of the parameter.
    pub(crate) at: f64,
    /// How many times as long the dearer variant takes.
    pub(crate) cost: f64,
    /// Lower end of its interval.
    pub(crate) low: f64,
    /// Upper end of its interval.
    pub(crate) high: f64,
}

/// What the points say of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Crossing {
    /// It costs more at every point.
    Everywhere,
    /// It costs less at every point.
    Nowhere,
    /// It costs more up to somewhere between `low` and `high`, and less from there on.
    Below {
        /// The lower end of the interval.
        low: f64,
        /// About where.
        at: f64,
        /// The upper end.
        high: f64,
    },
    /// It costs more up to the first of these; the second is the last point that is unclear.
    UpTo(f64, Point),
    /// It costs less from the first of these on; the second is the first point, unclear.
    From(f64, Point),
    /// Neither at the first point nor at the last, which this is.
    Unclear(Point),
}

/// Where the cost falls below `level`; `points` ascend. `None` without points.
pub(crate) fn crossing(points: &[Point], level: f64) -> Option<Crossing> {
    let (first, last) = (points.first()?, points.last()?);
    let more = points.iter().take_while(|p| p.low > level).count();
    let less = points.iter().rev().take_while(|p| p.high < level).count();
    let clear_from = points.len() - less;
    Some(match (more.checked_sub(1), less) {
        (Some(_), _) if more == points.len() => Crossing::Everywhere,
        (Some(up_to), 0) => Crossing::UpTo(points[up_to].at, *last),
        (Some(up_to), _) => {
            let within = &points[up_to..=clear_from];
            let first_fall = within.iter().position(|p| p.low <= level)? - 1;
            let fall = within.iter().rposition(|p| p.cost > level)?;
            let last_fall = within.iter().rposition(|p| p.high >= level)?;
            Crossing::Below {
                low: fall_after(within, first_fall, level, |p| p.low),
                at: fall_after(within, fall, level, |p| p.cost),
                high: fall_after(within, last_fall, level, |p| p.high),
            }
        }
        (None, 0) => Crossing::Unclear(*last),
        (None, less) if less == points.len() => Crossing::Nowhere,
        (None, _) => Crossing::From(points[clear_from].at, *first),
    })
}

/// Where a curve crosses the level between a point and the next.
fn fall_after(points: &[Point], i: usize, level: f64, curve: fn(&Point) -> f64) -> f64 {
    let (a, b) = (&points[i], &points[i + 1]);
    let (y0, y1) = (curve(a).ln(), curve(b).ln());
    let part = (y0 - level.ln()) / (y0 - y1);
    (a.at.ln() + part * (b.at.ln() - a.at.ln())).exp()
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

    #[test]
    fn between_points_it_is_near_the_truth_and_within_its_interval() {
        let Some(Crossing::Below { low, at, high }) = crossing(&fixed_cost(), 1.5) else {
            panic!("no crossing")
        };
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
        assert_eq!(crossing(&wide, 2.0), Some(Crossing::UpTo(1.0, wide[1])));
        let wide = points(&[(1.73, 2.68), (1.1, 1.2)]);
        assert_eq!(crossing(&wide, 2.0), Some(Crossing::From(10.0, wide[0])));
        let wide = points(&[(1.73, 2.68), (1.8, 2.1)]);
        assert_eq!(crossing(&wide, 2.0), Some(Crossing::Unclear(wide[1])));
    }

    #[test]
    fn of_a_curve_that_wavers_the_interval_holds_every_fall() {
        let wavering = points(&[(2.9, 3.1), (1.4, 1.6), (2.9, 3.1), (0.9, 1.1)]);
        let Some(Crossing::Below { low, at, high }) = crossing(&wavering, 2.0) else {
            panic!("no crossing")
        };
        assert!(low < 10.0 && at > 100.0 && high > at, "{low} {at} {high}");
    }
}
