//! Where a series of values changes its level, with the interval of the place and of the size.
//!
//! Pettitt's test (1979): for each cut, how often a value of the end exceeds one of the beginning,
//! less how often it is exceeded. The level changes where that is farthest from 0. How often chance
//! goes as far is counted in [`SHUFFLES`] orders of the same values, by a fixed seed, for noise of
//! any shape. A drift is a change too; a level left for a while may not be found.
//!
//! The size is the end over the beginning with the interval of two samples ([`crate::two_runs`]).
//! The place has an interval from series whose sides are drawn with replacement ([`DRAWN`] times):
//! 95 % of their cuts. A small change is overstated.

use crate::simulate::Draw;
use crate::{Estimate, RUNS_ALPHA, two_runs};

/// Fewer values have no change that chance would not make in one of twenty.
pub const FEWEST_FOR_CHANGE: usize = 8;
const SHUFFLES: usize = 2_000;
const DRAWN: usize = 399;
/// Of [`DRAWN`], at each end: 2.5 %.
const FROM_END: usize = 9;

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Values before it.
    pub at: usize,
    /// The same, at the earliest and at the latest.
    pub between: (usize, usize),
    /// In which share of orders chance goes as far.
    pub p_value: f64,
    /// The end over the beginning.
    pub estimate: Estimate,
}

/// The change of a series of values above 0, at a level such as 0.05; `None` if chance explains it.
#[must_use]
pub fn change_point(values: &[f64], level: f64) -> Option<ChangePoint> {
    if values.len() < FEWEST_FOR_CHANGE || !values.iter().all(|value| *value > 0.0) {
        return None;
    }
    let (at, far) = farthest(values);
    let mut draw = Draw::new(0, 1);
    let as_far = (0..SHUFFLES).filter(|_| {
        let mut shuffled = values.to_vec();
        draw.shuffle(&mut shuffled);
        farthest(&shuffled).1 >= far
    });
    let p_value = (as_far.count() + 1) as f64 / (SHUFFLES + 1) as f64;
    let (before, after) = values.split_at(at);
    let estimate = two_runs(before, after, RUNS_ALPHA).ok()?;
    (p_value <= level).then(|| ChangePoint {
        at,
        between: between(before, after, &mut draw),
        p_value,
        estimate,
    })
}

fn farthest(values: &[f64]) -> (usize, i64) {
    let order = |a: &f64, b: &f64| a.total_cmp(b) as i64;
    // Of a value: how many values exceed it, less how many it exceeds.
    let moved = |value: &f64| values.iter().map(|other| order(other, value)).sum::<i64>();
    let mut sum = 0;
    let cuts = values.iter().enumerate().map(|(place, value)| {
        sum += moved(value);
        (place + 1, sum.abs())
    });
    let within = cuts.take(values.len() - 1);
    within.fold((1, 0), |best, cut| if cut.1 > best.1 { cut } else { best })
}

fn between(before: &[f64], after: &[f64], draw: &mut Draw) -> (usize, usize) {
    let mut cut = || farthest(&[before, after].map(|side| draw.again(side)).concat()).0;
    let mut cuts: Vec<usize> = (0..DRAWN).map(|_| cut()).collect();
    cuts.sort_unstable();
    let at = before.len();
    (cuts[FROM_END].min(at), cuts[DRAWN - 1 - FROM_END].max(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values about 1 within a noise, and from a place on about a level.
    fn series(count: usize, from: usize, level: f64, noise: f64, seed: u64) -> Vec<f64> {
        let mut draw = Draw::new(3, seed);
        let value = |place| {
            let about = if place >= from { level } else { 1.0 };
            about * (1.0 + noise * (draw.uniform() - 0.5))
        };
        (0..count).map(value).collect()
    }

    #[test]
    fn a_change_is_found_with_its_place_and_size() {
        let found = change_point(&series(20, 12, 1.10, 0.04, 1), 0.05).expect("a change");
        assert_eq!(found.at, 12);
        assert!(found.between.0 <= 12 && 12 <= found.between.1, "{found:?}");
        let (low, high) = found.estimate.interval().expect("an interval");
        assert!(low <= 1.10 && 1.10 <= high && low > 1.05, "{found:?}");
        assert!(found.p_value < 0.01);
    }

    #[test]
    fn few_values_have_none_and_equal_ones_neither() {
        assert_eq!(change_point(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], 0.05), None);
        assert_eq!(change_point(&[1.0; 12], 0.05), None);
        assert_eq!(
            change_point(&[1.0, -1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0], 0.05),
            None
        );
    }

    /// At 5 %: of 200 series without a change 3 to 18 would be usual.
    #[test]
    fn noise_alone_is_named_a_change_in_one_of_twenty() {
        let named =
            (0..200).filter(|&seed| change_point(&series(12, 12, 1.0, 0.1, seed), 0.05).is_some());
        let named = named.count();
        assert!(named <= 20, "{named} of 200");
    }

    #[test]
    fn the_interval_of_the_place_holds_it() {
        let held = (0..60).filter(|&seed| {
            let found = change_point(&series(24, 10, 1.06, 0.10, seed), 0.05);
            found.is_none_or(|found| found.between.0 <= 10 && 10 <= found.between.1)
        });
        let held = held.count();
        assert!(held >= 50, "{held} of 60");
    }
}
