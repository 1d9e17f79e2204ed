//! Crossovers of a sweep: from which value of the parameter on the dearer variant costs
//! less than so much more.
//!
//! # Theory
//!
//! Each case of a sweep gives one point: the parameter's value and how many times as long
//! the dearer variant takes. Costs of making flows are spread over ever more work, so the
//! curve falls; where it crosses a level between two points is read off a straight line in
//! log-log, which is what a fixed cost over growing work is but for its last bend. The
//! ends of the intervals are curves of their own, and where they cross are the ends of the
//! crossover's interval. A crossing outside the values that were run is never made up: it
//! is said to lie below the smallest or above the largest.

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

/// Where a curve crosses a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Crossing {
    /// Below the smallest value that was run: it costs less everywhere.
    Below(f64),
    /// About here.
    At(f64),
    /// Above the largest value that was run: it costs more everywhere.
    Above(f64),
}

/// Where the cost falls below `level`, with the crossings of the interval's ends; `points`
/// ascend. `None` without points.
pub(crate) fn crossing(points: &[Point], level: f64) -> Option<(Crossing, Crossing, Crossing)> {
    let along = |cost: fn(&Point) -> f64| {
        let curve: Vec<(f64, f64)> = points.iter().map(|p| (p.at, cost(p))).collect();
        cross(&curve, level)
    };
    Some((along(|p| p.low)?, along(|p| p.cost)?, along(|p| p.high)?))
}

/// The last place where a curve falls through a level.
fn cross(curve: &[(f64, f64)], level: f64) -> Option<Crossing> {
    let (first, last) = (curve.first()?, curve.last()?);
    if last.1 > level {
        return Some(Crossing::Above(last.0));
    }
    let above = curve.iter().rposition(|(_, cost)| *cost > level);
    let Some(i) = above else {
        return Some(Crossing::Below(first.0));
    };
    let ((x0, y0), (x1, y1)) = (curve[i], curve[i + 1]);
    let part = (y0.ln() - level.ln()) / (y0.ln() - y1.ln());
    Some(Crossing::At((x0.ln() + part * (x1.ln() - x0.ln())).exp()))
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

    fn at(crossing: Crossing) -> f64 {
        match crossing {
            Crossing::At(at) => at,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_level_at_a_point_is_that_point() {
        let (_, middle, _) = crossing(&fixed_cost(), 1.1).unwrap();
        assert!((at(middle) / 1e4 - 1.0).abs() < 1e-9, "{middle:?}");
    }

    #[test]
    fn between_points_it_is_near_the_truth_and_within_its_interval() {
        let (low, middle, high) = crossing(&fixed_cost(), 1.5).unwrap();
        // The truth is 2,000; the bend of the curve costs some of it.
        assert!((1500.0..4000.0).contains(&at(middle)), "{middle:?}");
        assert!(at(low) < at(middle) && at(middle) < at(high));
    }

    #[test]
    fn outside_of_what_was_run_nothing_is_made_up() {
        let points = fixed_cost();
        assert_eq!(crossing(&points, 3.0).unwrap().1, Crossing::Below(1e3));
        assert_eq!(crossing(&points, 1.0001).unwrap().1, Crossing::Above(1e6));
        assert_eq!(crossing(&[], 2.0), None);
    }

    #[test]
    fn of_a_curve_that_wavers_the_last_fall_counts() {
        let curve = [(1.0, 3.0), (10.0, 1.5), (100.0, 3.0), (1000.0, 1.0)];
        assert!(matches!(cross(&curve, 2.0), Some(Crossing::At(x)) if x > 100.0));
    }
}
