//! A straight line through noisy points that a few wild ones cannot bend, after Theil (1950) and
//! Sen (1968), with Sen's interval (docs/method.md, "The law of a sweep"). Several points have one
//! x, so the variance has ties in x:
//! ```text
//! V = [ n(n-1)(2n+5) - sum over tied groups of t(t-1)(2t+5) ] / 18
//! low  = slope number (N - z sqrt(V)) / 2         of N slopes in order,
//! high = slope number (N + z sqrt(V)) / 2 + 1     z = 1.96, so the level is 95 %
//! ```
//! The height at 0 is the median of what the line leaves. Whether the points lie on a line apart
//! from noise of any one shape, [`Line::straightness`] says: how much of the medians' way is the
//! line's.

use serde::{Deserialize, Serialize};

use crate::quantile::{ends, median, sorted};

const Z_95: f64 = 1.96;

/// A line y = at_zero + slope x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How many points.
    pub points: usize,
    /// How many different x they have.
    pub places: usize,
    /// What y gains when x grows by 1.
    pub slope: f64,
    /// Lower end of the 95 % interval of the slope; `None` for too few points.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// y at x = 0.
    pub at_zero: f64,
    /// R squared of the medians of each x, 0 or below where it tells nothing; `None` of equal ones.
    pub straightness: Option<f64>,
}

impl Line {
    /// The line through finite points (x, y); `None` unless two differ in x. Quadratic cost.
    #[must_use]
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let mut points: Vec<(f64, f64)> = points.iter().filter(finite).copied().collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let slopes = slopes(&points);
        let slope = (!slopes.is_empty()).then(|| median(&slopes))?;
        let left: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
        let at_zero = median(&sorted(&left));
        let ends = interval(&slopes, &points);
        Some(Self {
            points: points.len(),
            places: places(&points).count(),
            slope,
            low: ends.map(|ends| ends.0),
            high: ends.map(|ends| ends.1),
            at_zero,
            straightness: straightness(&points, |x| at_zero + slope * x),
        })
    }

    /// y at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.at_zero + self.slope * x
    }

    /// The 95 % interval of the slope.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }
}

/// Of all two points that differ in x, in order; `points` are ordered by x.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let pairs = points.iter().enumerate().flat_map(|(i, a)| {
        let further = points[i + 1..].iter().filter(|b| b.0 > a.0);
        further.map(move |b| (b.1 - a.1) / (b.0 - a.0))
    });
    let mut slopes: Vec<f64> = pairs.collect();
    slopes.sort_unstable_by(f64::total_cmp);
    slopes
}

/// The points at each x, of points that are ordered by x.
pub(crate) fn places(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    points.chunk_by(|a, b| a.0 == b.0)
}

pub(crate) type Place = (f64, f64, f64);

pub(crate) fn place(tied: &[(f64, f64)]) -> Place {
    let values: Vec<f64> = tied.iter().map(|point| point.1).collect();
    (tied[0].0, median(&sorted(&values)), tied.len() as f64)
}

fn interval(slopes: &[f64], points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let weight = |n: usize| (n * n.saturating_sub(1) * (2 * n + 5)) as f64;
    let ties: f64 = places(points).map(|tied| weight(tied.len())).sum();
    let deviation = ((weight(points.len()) - ties) / 18.0).sqrt();
    let below = (slopes.len() as f64 - Z_95 * deviation) / 2.0;
    ends(slopes, below.floor() as usize)
}

fn straightness(points: &[(f64, f64)], line: impl Fn(f64) -> f64) -> Option<f64> {
    let medians: Vec<Place> = places(points).map(place).collect();
    let mean = medians.iter().map(|point| point.1).sum::<f64>() / medians.len() as f64;
    let squares = |of: &dyn Fn(&Place) -> f64| medians.iter().map(|p| of(p).powi(2)).sum::<f64>();
    let all = squares(&|p| p.1 - mean);
    let left = squares(&|p| p.1 - line(p.0));
    // Slots may lie farther from the medians of counts than from a flat line.
    (all > 0.0).then(|| (1.0 - left / all).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Draw;
    use proptest::prelude::*;

    /// `slots` points at each of 2 to 5, on 1 + 3 x with noise as a share of the time.
    fn noisy(
        seed: u64,
        slots: usize,
        slope: f64,
        noise: impl Fn(&mut Draw) -> f64,
    ) -> Vec<(f64, f64)> {
        let mut draw = Draw::new(seed, 0);
        let at = |x: f64| (0..slots).map(move |_| x);
        [2.0, 3.0, 4.0, 5.0]
            .into_iter()
            .flat_map(at)
            .map(|x| (x, (1.0 + slope * x) * (1.0 + noise(&mut draw))))
            .collect()
    }

    #[test]
    fn points_on_a_line_give_that_line() {
        let points: Vec<(f64, f64)> = (2..9)
            .map(|x| (f64::from(x), 7.0 - 0.5 * f64::from(x)))
            .collect();
        let line = Line::through(&points).unwrap();
        assert_eq!((line.slope, line.at_zero, line.at(4.0)), (-0.5, 7.0, 5.0));
        assert_eq!(line.interval(), Some((-0.5, -0.5)));
        assert_eq!(line.straightness, Some(1.0));
        assert_eq!((line.points, line.places), (7, 7));
    }

    #[test]
    fn wild_points_do_not_bend_it() {
        let mut points = noisy(1, 10, 3.0, |_| 0.0);
        for wild in [3, 14, 22, 35] {
            points[wild].1 *= 10.0;
        }
        let line = Line::through(&points).unwrap();
        assert!((line.slope - 3.0).abs() < 1e-9, "{line:?}");
        assert!((line.at_zero - 1.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn too_few_points_have_no_interval_and_one_place_no_line() {
        let line = Line::through(&[(2.0, 1.0), (3.0, 2.0), (4.0, 3.0)]).unwrap();
        assert_eq!((line.slope, line.interval()), (1.0, None));
        assert_eq!(Line::through(&[(2.0, 1.0), (2.0, 3.0)]), None);
        assert_eq!(Line::through(&[(2.0, 1.0), (3.0, f64::NAN)]), None);
        assert_eq!(Line::through(&[]), None);
    }

    #[test]
    fn a_bend_costs_straightness_and_a_flat_line_has_none() {
        let bent: Vec<(f64, f64)> = [(2.0, 1.0), (3.0, 2.0), (4.0, 2.0), (5.0, 1.0)].into();
        assert!(Line::through(&bent).unwrap().straightness.unwrap() < 0.1);
        let flat = [(2.0, 1.0), (3.0, 1.0)];
        assert_eq!(Line::through(&flat).unwrap().straightness, None);
    }

    /// Of 2,000 lines with noise the interval must hold the truth in about 95 of 100: 1,860
    /// or fewer would come to pass once in some 20,000 such tests.
    fn coverage(slope: f64, noise: impl Fn(&mut Draw) -> f64) -> usize {
        let holds = |seed: &u64| {
            let line = Line::through(&noisy(*seed, 10, slope, &noise)).unwrap();
            let (low, high) = line.interval().unwrap();
            (low..=high).contains(&slope)
        };
        (0..2_000).filter(holds).count()
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        assert!(coverage(3.0, |draw| draw.normal(0.02)) > 1_860);
        assert!(coverage(0.0, |draw| draw.t3(0.05)) > 1_860);
        // Late now and then, as on a machine with neighbours.
        let late = |draw: &mut Draw| {
            let spike = if draw.chance(0.05) {
                draw.exponential(0.15)
            } else {
                0.0
            };
            draw.t3(0.02) + spike
        };
        assert!(coverage(3.0, late) > 1_860);
    }

    proptest! {
        #[test]
        fn it_moves_and_grows_with_its_points(
            values in prop::collection::vec(-1e3..1e3, 4..30), up in -1e3..1e3, by in 0.1..10.0,
        ) {
            let points = |f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
                values.iter().enumerate().map(|(i, y)| ((i % 5) as f64, f(*y))).collect()
            };
            let (line, other) = (Line::through(&points(&|y| y)), Line::through(&points(&|y| up + by * y)));
            let (line, other) = (line.unwrap(), other.unwrap());
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs() + b.abs());
            prop_assert!(near(other.slope, by * line.slope));
            prop_assert!(near(other.at_zero, up + by * line.at_zero));
            if let Some((low, high)) = line.interval() {
                prop_assert!(low <= line.slope && line.slope <= high);
            }
        }
    }
}
