//! A law through the times of two sides along a parameter, and their ratio between measured points
//! (docs/method.md, "Between the points of a sweep"):
//! ```text
//! T(x) = p / x + s + c x
//! ```
//! With c = 0 that is Amdahl's law (1967), with all three Gunther's law of scalability (USL, 1993)
//! for the time of one unit, with p = 0 a fixed cost and one for each. Those used lie nearest to
//! the points, in relative distances. The interval of the ratio of both laws holds 95 % of the
//! curves of rounds drawn anew at each point ([`DRAWN`] times, by a fixed seed, both sides of a
//! round together).

use crate::quantile::{median, sorted};
use crate::simulate::Draw;

const DRAWN: usize = 199;
/// Of [`DRAWN`], at each end: 2.5 %.
const FROM_END: usize = 4;
/// Fewer have no law: two parts, and one point that could refute them.
const POINTS: usize = 3;
/// More lie so near each other that no law is needed.
const MOST_POINTS: usize = 32;

/// A measured point.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPoint {
    /// Of the parameter; above 0.
    pub x: f64,
    /// Times of the reference and of the subject in each round.
    pub rounds: Vec<(f64, f64)>,
    /// The interval of their ratio.
    pub interval: (f64, f64),
}

/// The ratio at one value of the parameter, by the law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnCurve {
    /// Subject over reference.
    pub ratio: f64,
    /// 95 % of the drawn curves lie above.
    pub low: f64,
    /// 95 % of the drawn curves lie below.
    pub high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Law([f64; 3]);

/// The curve at each of `places`, which lie between the points; `None` where no law fits.
#[must_use]
pub fn curve(points: &[MeasuredPoint], places: &[f64]) -> Option<Vec<OnCurve>> {
    let is_known = |point: &MeasuredPoint| point.x > 0.0 && !point.rounds.is_empty();
    if !(POINTS..=MOST_POINTS).contains(&points.len()) || !points.iter().all(is_known) {
        return None;
    }
    let laws = laws(points, |rounds| rounds.to_vec())?;
    let ratio = |laws: &[Law; 2], x: f64| laws[1].at(x) / laws[0].at(x);
    let is_refuted = |point: &MeasuredPoint| {
        let (low, high) = point.interval;
        !(low..=high).contains(&ratio(&laws, point.x))
    };
    if points.iter().any(is_refuted) {
        return None;
    }
    let mut draw = Draw::new(0, 0);
    let again = |_| self::laws(points, |rounds| draw.again(rounds));
    let drawn: Vec<[Law; 2]> = (0..DRAWN).filter_map(again).collect();
    if drawn.len() < DRAWN {
        return None;
    }
    let on_curve = |&x: &f64| {
        let all: Vec<f64> = drawn.iter().map(|laws| ratio(laws, x)).collect();
        let all = sorted(&all);
        let ratio = ratio(&laws, x);
        OnCurve {
            ratio,
            low: all[FROM_END].min(ratio),
            high: all[DRAWN - 1 - FROM_END].max(ratio),
        }
    };
    Some(places.iter().map(on_curve).collect())
}

fn laws(
    points: &[MeasuredPoint],
    mut rounds: impl FnMut(&[(f64, f64)]) -> Vec<(f64, f64)>,
) -> Option<[Law; 2]> {
    let mut sides: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    for point in points {
        let (reference, subject): (Vec<f64>, Vec<f64>) = rounds(&point.rounds).into_iter().unzip();
        for (side, times) in sides.iter_mut().zip([reference, subject]) {
            side.push((point.x, median(&sorted(&times))));
        }
    }
    Some([Law::through(&sides[0])?, Law::through(&sides[1])?])
}

impl Law {
    fn at(self, x: f64) -> f64 {
        parts(x)
            .iter()
            .zip(self.0)
            .map(|(part, size)| part * size)
            .sum()
    }

    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let most = points.len() - 1;
        let choices = (1_u32..8).filter(|choice| choice.count_ones() as usize <= most);
        let laws = choices.filter_map(|choice| Self::of_parts(points, choice));
        let far = |law: &Self| -> f64 {
            let far = points.iter().map(|(x, y)| (law.at(*x) / y - 1.0).powi(2));
            far.sum()
        };
        // Of equally near laws the one with the fewest parts: those come first.
        laws.reduce(|best, law| {
            if far(&law) < far(&best) - 1e-12 {
                law
            } else {
                best
            }
        })
    }

    /// Least squares of relative distances; `None` where a part would be negative.
    fn of_parts(points: &[(f64, f64)], choice: u32) -> Option<Self> {
        let chosen: Vec<usize> = (0..3).filter(|part| choice & (1 << part) != 0).collect();
        let row = |(x, y): &(f64, f64)| {
            let parts = parts(*x).map(|part| part / y);
            chosen.iter().map(|part| parts[*part]).collect::<Vec<f64>>()
        };
        let rows: Vec<Vec<f64>> = points.iter().map(row).collect();
        let size = chosen.len();
        let mut equations = vec![vec![0.0; size + 1]; size];
        for row in &rows {
            for a in 0..size {
                for b in 0..size {
                    equations[a][b] += row[a] * row[b];
                }
                equations[a][size] += row[a];
            }
        }
        let solved = solve(equations)?;
        let mut law = [0.0; 3];
        for (part, value) in chosen.iter().zip(&solved) {
            law[*part] = *value;
        }
        solved.iter().all(|value| *value > 0.0).then_some(Self(law))
    }
}

fn parts(x: f64) -> [f64; 3] {
    [1.0 / x, 1.0, x]
}

/// By elimination; each row ends with its right side.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let largest = (column..size)
            .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, largest);
        let pivot = rows[column].clone();
        if pivot[column].abs() < 1e-12 {
            return None;
        }
        for row in (0..size).filter(|row| *row != column) {
            let times = rows[row][column] / pivot[column];
            for (value, own) in rows[row].iter_mut().zip(&pivot) {
                *value -= times * own;
            }
        }
    }
    Some(
        (0..size)
            .map(|row| rows[row][size] / rows[row][row])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten rounds, up to `noise` apart.
    fn point(x: f64, reference: f64, subject: f64, noise: f64) -> MeasuredPoint {
        let mut draw = Draw::new(7, x.to_bits());
        let mut around = |time: f64| time * (1.0 + noise * (draw.uniform() - 0.5));
        let rounds = (0..10).map(|_| (around(reference), around(subject)));
        let ratio = subject / reference;
        MeasuredPoint {
            x,
            rounds: rounds.collect(),
            interval: (ratio * (1.0 - noise), ratio * (1.0 + noise)),
        }
    }

    fn along(xs: &[f64], noise: f64, times: impl Fn(f64) -> (f64, f64)) -> Vec<MeasuredPoint> {
        let points = xs.iter().map(|&x| {
            let (reference, subject) = times(x);
            point(x, reference, subject, noise)
        });
        points.collect()
    }

    #[test]
    fn a_fixed_cost_and_one_for_each_are_found_between_the_points() {
        let points = along(&[1.0, 10.0, 100.0], 0.01, |x| (100.0 + x, 10.0 + 2.0 * x));
        let found = curve(&points, &[30.0]).expect("a law")[0];
        let truth = 70.0 / 130.0;
        assert!((found.ratio / truth - 1.0).abs() < 0.02, "{found:?}");
        assert!(found.low <= truth && truth <= found.high, "{found:?}");
    }

    #[test]
    fn a_law_of_scalability_is_found() {
        let usl = |x: f64, c: f64| 100.0 / x + 5.0 + c * x;
        let xs = [1.0, 2.0, 4.0, 8.0, 16.0];
        let points = along(&xs, 0.01, |x| (usl(x, 0.1), usl(x, 2.0)));
        let found = curve(&points, &[12.0]).expect("a law")[0];
        let truth = usl(12.0, 2.0) / usl(12.0, 0.1);
        assert!((found.ratio / truth - 1.0).abs() < 0.03, "{found:?}");
    }

    #[test]
    fn points_that_no_law_explains_have_none() {
        let steps = |x: f64| (100.0, if x == 4.0 { 300.0 } else { 100.0 });
        assert_eq!(
            curve(&along(&[1.0, 2.0, 4.0, 8.0, 16.0], 0.01, steps), &[3.0]),
            None
        );
        let line = |x: f64| (x, 2.0 * x);
        assert_eq!(
            curve(&along(&[1.0, 2.0], 0.01, line), &[1.5]),
            None,
            "two points"
        );
        assert_eq!(
            curve(&along(&[0.0, 1.0, 2.0], 0.01, |_| (1.0, 1.0)), &[1.5]),
            None
        );
    }

    /// The interval of a curve holds the truth about as often as it says.
    #[test]
    fn the_interval_holds_the_truth_between_the_points() {
        let truth = (10.0 + 2.0 * 30.0) / (100.0 + 30.0);
        let held = (0..60_u64).filter(|seed| {
            let mut draw = Draw::new(11, *seed);
            let mut points = along(&[1.0, 10.0, 100.0], 0.5, |x| (100.0 + x, 10.0 + 2.0 * x));
            for point in &mut points {
                for round in &mut point.rounds {
                    round.0 = (100.0 + point.x) * (0.8 + 0.4 * draw.uniform());
                    round.1 = (10.0 + 2.0 * point.x) * (0.8 + 0.4 * draw.uniform());
                }
            }
            curve(&points, &[30.0])
                .is_none_or(|found| found[0].low <= truth && truth <= found[0].high)
        });
        assert!(held.count() >= 51, "of 60");
    }
}
