//! The ratio of two variants on average, with its interval (docs/method.md, "On average"). The
//! typical ratio ([`estimate()`](crate::estimate())) hardly moves when one launch in ten takes
//! twice as long; the mean does:
//! ```text
//! A_1 .. A_n, B_1 .. B_n   means of the slots of round 1 .. n      ratio r = sum B / sum A
//!
//! for a ratio x:  D_i = B_i / x - A_i        T = |sum D_i|, and with signs s:  T_s = |sum s_i D_i|
//!                 p(x) = share of all s with T_s >= T         interval: every x with p(x) > alpha
//! ```
//! The order within a round is random, so every T_s is as likely as T: of equal variants the
//! interval leaves out 1 in `alpha` of runs, exactly, for any noise (R. A. Fisher, 1935; E. J. G.
//! Pitman, 1937). Up to [`ALL`] rounds all signs are taken, beyond that [`DRAWN`] from a fixed
//! seed. What the interval does not settle, [`is_seen`] shows. One level, [`AVERAGE_ALPHA`], at the
//! end of the rounds: below 5 %, since looks that end a run early by the typical ratio add little.

use crate::error::StatsError;
use crate::estimate::{Estimate, check_alpha, check_time, paired};
use crate::simulate::Draw;

/// Level of the interval of a mean.
pub const AVERAGE_ALPHA: f64 = 0.04;

const ALL: usize = 10;
const DRAWN: usize = 999;
const FARTHEST: f64 = 1e3;
/// Ends are exact to a part in a billion.
const HALVINGS: usize = 40;
/// Means and typical ratios closer than this are one number to a reader.
const SEEN: f64 = 0.02;

/// The ratio of means, subject over reference, of the slots of each round. No interval where the
/// rounds are too few (6 at the usual level). Errors: those of [`estimate()`](crate::estimate()).
pub fn average(reference: &[f64], subject: &[f64], alpha: f64) -> Result<Estimate, StatsError> {
    check_alpha(alpha)?;
    paired(reference, subject, check_time, |_, _| ())?;
    let sums = Sums::of(reference, subject);
    let (r, s) = sums.seen;
    let ratio = s / r;
    Ok(Estimate {
        rounds: reference.len(),
        ratio,
        low: sums.end(ratio, 1.0 / FARTHEST, alpha),
        high: sums.end(ratio, FARTHEST, alpha),
        alpha,
    })
}

/// Whether the mean is proven to differ from the typical ratio: no value is in both intervals.
pub fn is_apart(typical: &Estimate, average: &Estimate) -> bool {
    let ends = typical.interval().zip(average.interval());
    ends.is_some_and(|((low, high), (from, to))| to < low || from > high)
}

/// Whether the mean lies so far from the typical ratio that a reader must see both.
pub fn is_seen(typical: &Estimate, average: &Estimate) -> bool {
    (average.ratio / typical.ratio).ln().abs() >= SEEN.ln_1p()
}

/// Over rounds, (reference, subject): as seen, and with signs exchanged.
struct Sums {
    seen: (f64, f64),
    exchanged: Vec<(f64, f64)>,
}

impl Sums {
    fn of(reference: &[f64], subject: &[f64]) -> Self {
        let with = |signs: &[f64]| {
            let pairs = signs.iter().zip(reference.iter().zip(subject));
            pairs.fold((0.0, 0.0), |(r, s), (sign, (of_r, of_s))| {
                (r + sign * of_r, s + sign * of_s)
            })
        };
        let rounds = reference.len();
        Self {
            seen: with(&vec![1.0; rounds]),
            exchanged: signs(rounds).iter().map(|signs| with(signs)).collect(),
        }
    }

    fn holds(&self, ratio: f64, alpha: f64) -> bool {
        let far = |(r, s): (f64, f64)| (s / ratio - r).abs();
        let seen = far(self.seen) * (1.0 - 1e-12);
        let as_far = self.exchanged.iter().filter(|sums| far(**sums) >= seen);
        as_far.count() as f64 > alpha * self.exchanged.len() as f64
    }

    /// The last ratio that holds from `ratio` to `ratio * by`; `None` where all do.
    fn end(&self, ratio: f64, by: f64, alpha: f64) -> Option<f64> {
        if self.holds(ratio * by, alpha) {
            return None;
        }
        let (mut inside, mut outside) = (0.0, by.ln());
        for _ in 0..HALVINGS {
            let middle = (inside + outside) / 2.0;
            match self.holds(ratio * middle.exp(), alpha) {
                true => inside = middle,
                false => outside = middle,
            }
        }
        Some(ratio * inside.exp())
    }
}

/// Every choice of signs, or those drawn, and that of the rounds as they are.
fn signs(rounds: usize) -> Vec<Vec<f64>> {
    let exchanged = |is: bool| if is { -1.0 } else { 1.0 };
    if rounds <= ALL {
        // All signs turned around at once change nothing: that of the last round stays.
        let choices = 0..1_usize << rounds.saturating_sub(1);
        let of = |bits: usize| (0..rounds).map(move |round| exchanged(bits >> round & 1 == 1));
        return choices.map(|bits| of(bits).collect()).collect();
    }
    let mut draw = Draw::new(0, 0);
    let drawn = (0..DRAWN).map(|_| (0..rounds).map(|_| draw.sign()).collect());
    std::iter::once(vec![1.0; rounds]).chain(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::estimate;
    use crate::looks::{LOOK_ALPHA, LookPlan};
    use crate::quantile;
    use crate::sequential::Sequential;
    use crate::verdict::Rule;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    /// One side of a run: launches that take 1 with some noise, of which a share takes longer.
    #[derive(Clone, Copy)]
    struct Side {
        noise: f64,
        slow: f64,
        by: fn(&mut Draw) -> f64,
    }

    const TWICE: fn(&mut Draw) -> f64 = |_| 2.0;
    const HEAVY: fn(&mut Draw) -> f64 = |draw| 1.0 + draw.exponential(4.0);

    fn side(noise: f64, slow: f64, by: fn(&mut Draw) -> f64) -> Side {
        Side { noise, slow, by }
    }

    /// Median and mean of a slot of five launches.
    fn slot(side: Side, draw: &mut Draw) -> (f64, f64) {
        let launch = |draw: &mut Draw| {
            let slow = draw.chance(side.slow);
            draw.normal(side.noise).exp() * if slow { (side.by)(draw) } else { 1.0 }
        };
        let all: Vec<f64> = (0..5).map(|_| launch(draw)).collect();
        let mean = all.iter().sum::<f64>() / 5.0;
        (quantile::median(&quantile::sorted(&all)), mean)
    }

    /// Typical ratio and that of means of this number of rounds.
    fn run(sides: [Side; 2], rounds: usize, draw: &mut Draw) -> (Estimate, Estimate) {
        let mut typical = [Vec::new(), Vec::new()];
        let mut means = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            for (place, side) in sides.into_iter().enumerate() {
                let (median, mean) = slot(side, draw);
                typical[place].push(median);
                means[place].push(mean);
            }
        }
        (
            estimate(&typical[0], &typical[1], LOOK_ALPHA).unwrap(),
            average(&means[0], &means[1], AVERAGE_ALPHA).unwrap(),
        )
    }

    /// Of 400 runs, how many are marked and how many show both.
    fn shares(sides: [Side; 2], rounds: usize) -> (usize, usize) {
        let runs = (0..400).map(|index| run(sides, rounds, &mut Draw::new(5, index)));
        runs.fold((0, 0), |(apart, seen), (typical, average)| {
            (
                apart + usize::from(is_apart(&typical, &average)),
                seen + usize::from(is_seen(&typical, &average)),
            )
        })
    }

    #[test]
    fn equal_variants_are_marked_in_at_most_one_run_of_twenty_whatever_the_noise() {
        for (noise, slow, by) in [
            (0.03, 0.0, TWICE),
            (0.3, 0.0, TWICE),
            (0.005, 0.1, TWICE),
            (0.005, 0.3, TWICE),
            (0.005, 0.1, HEAVY),
            (0.005, 0.02, HEAVY),
        ] {
            for rounds in [10, 30] {
                let (apart, _) = shares([side(noise, slow, by); 2], rounds);
                assert!(apart <= 20, "{noise} {slow} {rounds}: {apart} of 400");
            }
        }
    }

    /// "Same" was said in 80 of 100 runs of what took 10 % more on average.
    #[test]
    fn a_mean_that_is_a_tenth_off_is_shown_in_nineteen_runs_of_twenty() {
        for (slow, noise, marked) in [(0.1, 0.005, 60), (0.1, 0.03, 40), (0.2, 0.005, 280)] {
            let sides = [side(noise, 0.0, TWICE), side(noise, slow, TWICE)];
            let (apart, seen) = shares(sides, 10);
            assert!(seen >= 380, "{slow} {noise}: shown in {seen} of 400");
            let (more, _) = shares(sides, 30);
            assert!(
                more > apart && more >= marked,
                "{slow} {noise}: marked in {more} of 400"
            );
        }
    }

    #[test]
    fn ends_are_those_of_all_signs_and_symmetric() {
        let (a, b) = (
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [1.1, 2.3, 3.1, 4.8, 5.2, 6.9],
        );
        let there = average(&a, &b, 0.05).unwrap();
        let back = average(&b, &a, 0.05).unwrap();
        let (low, high) = there.interval().unwrap();
        let (from, to) = back.interval().unwrap();
        assert!((there.ratio - 23.4 / 21.0).abs() < 1e-12);
        // All six are slower by more than 3 %, and one by more than 19 %: 2 of 64 signs are as far.
        assert!(low > 1.03 && high < 1.2, "{there:?}");
        assert!((low * to - 1.0).abs() < 1e-6 && (high * from - 1.0).abs() < 1e-6);
        assert_eq!(there, average(&a, &b, 0.05).unwrap());
        assert_eq!(average(&a[..5], &b[..5], 0.05).unwrap().interval(), None);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        assert_eq!(average(&[], &[], 0.05), Err(StatsError::Empty));
        assert!(average(&[1.0, 0.0], &[1.0, 1.0], 0.05).is_err());
        assert!(average(&[1.0], &[1.0, 1.0], 0.05).is_err());
        assert!(average(&[1.0], &[1.0], 0.0).is_err());
    }

    /// A run with the looks of a plan: the typical ratio that ends it, and the means.
    fn looked_at(sides: [Side; 2], draw: &mut Draw) -> (Estimate, [Vec<f64>; 2]) {
        let mut looks = Sequential::new(LookPlan::default(), Rule::default()).unwrap();
        let mut means = [Vec::new(), Vec::new()];
        loop {
            let both = sides.map(|side| slot(side, draw));
            means
                .iter_mut()
                .zip(both)
                .for_each(|(own, slot)| own.push(slot.1));
            let step = looks.push(both[0].0, both[1].0).unwrap();
            if step.finding().is_some() || looks.rounds() == looks.plan().max_rounds() {
                return (looks.conclude().unwrap().0, means);
            }
        }
    }

    /// Ratio of means, and the standard error of the linearised one.
    fn linearised(pairs: &[(f64, f64)]) -> (f64, f64) {
        let n = pairs.len() as f64;
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        let ratio = sum(&|one| one.1) / sum(&|one| one.0);
        let squares = sum(&|one| (one.1 - ratio * one.0).powi(2));
        (ratio, (squares / (n - 1.0) * n).sqrt() / sum(&|one| one.0))
    }

    /// Ends by Student's t, and by a t whose quantiles are those of rounds drawn anew.
    fn rivals([a, b]: &[Vec<f64>; 2], draw: &mut Draw) -> [(f64, f64); 2] {
        let pairs: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
        let (ratio, error) = linearised(&pairs);
        let student = StudentsT::new(0.0, 1.0, pairs.len() as f64 - 1.0).unwrap();
        let t = student.inverse_cdf(1.0 - AVERAGE_ALPHA / 2.0);
        let again = |_| {
            let (drawn, own) = linearised(&draw.again(&pairs));
            (drawn - ratio) / own.max(1e-12)
        };
        let drawn = quantile::sorted(&(0..999).map(again).collect::<Vec<_>>());
        let end = |p| ratio - quantile::quantile(&drawn, p) * error;
        [
            (ratio - t * error, ratio + t * error),
            (end(1.0 - AVERAGE_ALPHA / 2.0), end(AVERAGE_ALPHA / 2.0)),
        ]
    }

    /// The table above.
    #[test]
    #[ignore = "2,000 runs of each noise"]
    fn the_table_of_intervals_of_means() {
        let even = side(0.005, 0.0, TWICE);
        for (name, sides) in [
            ("normal, 3 %", [side(0.03, 0.0, TWICE); 2]),
            ("normal, 30 %", [side(0.3, 0.0, TWICE); 2]),
            ("a tenth takes 2x", [side(0.005, 0.1, TWICE); 2]),
            ("a tenth takes up to 10x", [side(0.005, 0.1, HEAVY); 2]),
            ("10 % 2x against none", [even, side(0.005, 0.1, TWICE)]),
        ] {
            let mut apart = [0; 3];
            for index in 0..2_000 {
                let mut draw = Draw::new(9, index);
                let (typical, means) = looked_at(sides, &mut draw);
                let own = average(&means[0], &means[1], AVERAGE_ALPHA).unwrap();
                let ends = rivals(&means, &mut draw).map(|(low, high)| Estimate {
                    low: Some(low),
                    high: Some(high),
                    ..own
                });
                for (count, one) in apart.iter_mut().zip([own, ends[0], ends[1]]) {
                    *count += u32::from(is_apart(&typical, &one));
                }
            }
            println!("{name}: signs, Student, bootstrap-t: {apart:?} of 2,000");
        }
    }
}
