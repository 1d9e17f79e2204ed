//! Whether points lie on a line, or on another curve as well. Of three numbers a root and a
//! logarithm are as straight as a line, so a line is claimed only against its rivals ([`RIVALS`]).
//! Each is fitted to the medians of each x by least squares, and what it leaves is weighed by the
//! noise of the points around their medians:
//! ```text
//! misfit = sum of n (median - fit)^2 / (1.57 s^2)
//! ```
//! with n points at an x, s 1.4826 MAD around the medians of all x, and 1.57 s^2 / n the variance
//! of a median of n values with Gaussian noise s. Points lie on a line where each rival's misfit
//! exceeds the line's by [`BEYOND`] (the rival is e^4.6 = 100 times less likely) and is [`TIMES`]
//! as large: what moves a whole x, such as a machine that drifts, is in both.

use crate::line::{Place, place, places};
use crate::quantile::{MAD_TO_SIGMA, mad};

const BEYOND: f64 = 9.2;
const TIMES: f64 = 3.0;
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

/// A curve is `a + b f(x)`.
const RIVALS: [fn(f64) -> f64; 5] = [|_| 0.0, f64::sqrt, f64::ln, |x| x.powf(1.5), |x| x * x];

/// Whether the points (x, y) lie on a line and on no rival; not for fewer than three x or x <= 0.
#[must_use]
pub fn is_a_line(points: &[(f64, f64)]) -> bool {
    let mut points: Vec<(f64, f64)> = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tied: Vec<&[(f64, f64)]> = places(&points).collect();
    if tied.len() < 3 || points[0].0 <= 0.0 {
        return false;
    }
    let places: Vec<Place> = tied.iter().map(|tied| place(tied)).collect();
    let variance = variance(&tied, &places);
    let misfit = |shape: &dyn Fn(f64) -> f64| misfit(&places, shape) / (OF_MEDIAN * variance);
    let line = misfit(&|x| x);
    let is_worse = |of: f64| of - line >= BEYOND && of >= TIMES * line;
    let steps = places.windows(2).map(|pair| (pair[0].0 + pair[1].0) / 2.0);
    let mut steps = steps.map(|at| misfit(&|x| f64::from(x > at)));
    RIVALS.iter().all(|rival| is_worse(misfit(rival))) && steps.all(is_worse)
}

/// Of one point around the median of its x; at least rounding.
fn variance(tied: &[&[(f64, f64)]], places: &[Place]) -> f64 {
    let left = tied.iter().zip(places);
    let left: Vec<f64> = left
        .flat_map(|(tied, place)| tied.iter().map(|point| point.1 - place.1))
        .collect();
    let most = places.iter().map(|one| one.1.abs()).fold(0.0, f64::max);
    let noise = (MAD_TO_SIGMA * mad(&left, 0.0)).max(1e-6 * most);
    noise * noise
}

/// Weighted squares that the best `a + b f(x)` leaves.
fn misfit(places: &[Place], f: &dyn Fn(f64) -> f64) -> f64 {
    let sum = |of: &dyn Fn(&Place) -> f64| places.iter().map(|one| one.2 * of(one)).sum::<f64>();
    let all = sum(&|_| 1.0);
    let (middle_f, middle_y) = (sum(&|one| f(one.0)) / all, sum(&|one| one.1) / all);
    let spread = sum(&|one| (f(one.0) - middle_f).powi(2));
    let together = sum(&|one| (f(one.0) - middle_f) * (one.1 - middle_y));
    let slope = if spread > 0.0 { together / spread } else { 0.0 };
    sum(&|one| (one.1 - middle_y - slope * (f(one.0) - middle_f)).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Draw;

    /// Of 1,000 sweeps with ten slots at each number, how many are called a line.
    fn lines(numbers: &[f64], noise: f64, law: fn(f64) -> f64) -> usize {
        let is_line = |seed: &u64| {
            let mut draw = Draw::new(*seed, 0);
            let slots = numbers.iter().flat_map(|&x| (0..10).map(move |_| x));
            let points: Vec<(f64, f64)> = slots
                .map(|x| (x, law(x) * (1.0 + draw.normal(noise))))
                .collect();
            is_a_line(&points)
        };
        (0..1_000).filter(is_line).count()
    }

    const THREE: [f64; 3] = [2.0, 3.0, 5.0];
    const SEVEN: [f64; 7] = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

    /// "In a line (R squared 0.999)" was said of roots, logarithms and powers.
    #[test]
    fn what_grows_by_another_law_is_called_a_line_in_less_than_one_run_of_a_hundred() {
        let laws: [fn(f64) -> f64; 5] = [
            |_| 1.0,
            f64::sqrt,
            |x| 1.0 + x.ln(),
            |x| x.powf(1.5),
            |x| if x > 3.5 { 2.0 } else { 1.0 },
        ];
        for (place, law) in laws.into_iter().enumerate() {
            for noise in [0.002, 0.02, 0.1] {
                for numbers in [&THREE[..], &SEVEN] {
                    let called = lines(numbers, noise, law);
                    assert!(
                        called < 10,
                        "law {place}, {noise}, {}: {called}",
                        numbers.len()
                    );
                }
            }
        }
    }

    #[test]
    fn lines_are_found_where_the_noise_lets_them_be() {
        assert!(lines(&SEVEN, 0.01, |x| x) > 950);
        assert!(lines(&SEVEN, 0.01, |x| 3.0 + x) > 950);
        assert!(lines(&THREE, 0.002, |x| x) > 950);
        // Three numbers with a noise of a tenth tell nothing.
        assert!(lines(&THREE, 0.1, |x| x) < 500);
        assert!(!is_a_line(&[(1.0, 1.0), (2.0, 2.0)]));
        assert!(!is_a_line(&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]));
    }
}
