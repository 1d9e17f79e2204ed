//! How a quantity grows along a sweep: the one judgement of laws and of what sources say of them (docs/method.md, "The
//! law of a sweep"). The slope of the line ([`stats::Line`]), what one more costs, is set against one's part of the
//! amount in the middle of the sweep:
//! ```text
//! growth = slope / (amount / number)        1 = in proportion, 0 = flat
//! ```
//! A shape is claimed where the whole interval of the growth lies near its value; *flat* where it holds 0, *nearly
//! flat* where it does not. What rises is *in a line* where the line accounts for nine tenths of the medians' way and
//! no rival shape fits nearly as well ([`stats::is_a_line`]); it need not go through 0. It is *in steps* where between
//! neighbouring numbers the amount certainly rises by half as much again as the line (a jump), or by less than half of
//! it (a stay), and the two alternate at least twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stats::{Line, RUNS_ALPHA, is_a_line, typical_amount};

use super::Unit;
use super::then::Standing;
use crate::data::Claim;
use crate::data::number::{DOTS, time_interval};

/// Distance to 0 (flat) or 1 (in proportion).
const NEAR: f64 = 0.15;
/// Share of the medians' way that a line must explain.
const STRAIGHT: f64 = 0.9;
pub(super) const PLACES: usize = 3;

/// Fewest numbers at which a jump, a stay and a jump can be seen.
pub(super) const STEPS: usize = 4;

/// The shape of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The amount does not change, as far as the slots tell.
    Flat,
    /// It changes, by little.
    NearlyFlat,
    /// It grows, by less than one's part.
    Between,
    /// Each further one costs one's part.
    Linear,
    /// Each further one costs more than that.
    Steeper,
    /// It grows; the slots do not tell whether in proportion.
    Growing,
    /// It jumps and stays by turns.
    Steps,
    /// It falls.
    Falling,
    /// The slots do not tell.
    CannotTell,
}

impl Shape {
    pub(super) fn of(claim: Claim) -> Option<Self> {
        match claim {
            Claim::Flat => Some(Self::Flat),
            Claim::Linear => Some(Self::Linear),
            Claim::Grows => Some(Self::Growing),
            Claim::Steps => Some(Self::Steps),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    pub(super) line: Line,
    pub(super) part: f64,
    /// 95 % interval of the slope over a part; `None` for too few slots.
    pub(super) interval: Option<[f64; 2]>,
    pub(super) shape: Shape,
    is_straight: bool,
}

impl Growth {
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let line = Line::through(points)?;
        let ends = points.iter().map(|(x, _)| *x);
        let (first, last) = ends.fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
        let middle = (first + last) / 2.0;
        let part = line.at(middle) / middle;
        let interval = line.interval().map(|(low, high)| [low / part, high / part]);
        let is_straight = is_straight(&line) && is_a_line(points);
        Some(Self {
            line,
            part,
            interval,
            shape: shape(&line, interval, points, is_straight),
            is_straight,
        })
    }

    pub(super) fn share(&self) -> f64 {
        self.line.slope / self.part
    }

    pub(super) fn is_in_a_line(&self) -> bool {
        let rises = self.interval.is_some_and(|[low, _]| low > 0.0);
        let known = !matches!(self.shape, Shape::Steps | Shape::CannotTell);
        rises && known && self.is_straight
    }

    pub(super) fn judge(&self, claim: Claim) -> Standing {
        use Shape::{CannotTell, Falling, Flat, NearlyFlat, Steps};
        let is_flat = matches!(self.shape, Flat | NearlyFlat);
        let shown = match claim {
            Claim::Flat => is_flat,
            // What hardly rises counts as flat, however straight.
            Claim::Linear => self.is_in_a_line() && !is_flat,
            Claim::Steps => self.shape == Steps,
            Claim::Grows => !is_flat && !matches!(self.shape, Falling | CannotTell),
            _ => false,
        };
        let other = match claim {
            Claim::Steps if self.line.places < STEPS && !is_flat => false,
            Claim::Flat | Claim::Grows => self.shape != CannotTell,
            _ => is_flat || matches!(self.shape, Falling | Steps) || self.is_in_a_line(),
        };
        match (shown, other) {
            (true, _) => Standing::Reproduced,
            (_, true) => Standing::Differs,
            _ => Standing::CannotTell,
        }
    }
}

/// `1.15 s [1.13 s … 1.17 s]`; in words if it may be nothing: `3.03 ms less … 3.02 ms more`.
pub(super) fn each_further(unit: Unit, slope: f64, (low, high): (f64, f64)) -> String {
    let show = |value: f64| unit.show(value.abs());
    let ends = |low: f64, high: f64| match unit {
        Unit::Ns => time_interval(low, high),
        _ => format!("[{}{DOTS}{}]", unit.show(low), unit.show(high)),
    };
    match () {
        () if low >= 0.0 => format!("{} {}", show(slope), ends(low, high)),
        () if high <= 0.0 => format!("{} less {}", show(slope), ends(-high, -low)),
        () => format!("{} less{DOTS}{} more", show(low), show(high)),
    }
}

fn is_straight(line: &Line) -> bool {
    line.straightness.is_some_and(|share| share >= STRAIGHT)
}

fn shape(line: &Line, growth: Option<[f64; 2]>, points: &[(f64, f64)], is_straight: bool) -> Shape {
    let Some([low, high]) = growth.filter(|_| line.places >= PLACES) else {
        return Shape::CannotTell;
    };
    let little = low >= -NEAR && high <= NEAR;
    let in_proportion = low >= 1.0 - NEAR && high <= 1.0 + NEAR;
    match () {
        () if little && low <= 0.0 && high >= 0.0 => Shape::Flat,
        () if little => Shape::NearlyFlat,
        () if high < 0.0 => Shape::Falling,
        () if low > 0.0 && are_steps(line, points) => Shape::Steps,
        () if in_proportion && is_straight => Shape::Linear,
        () if low > 1.0 => Shape::Steeper,
        () if low > 0.0 && high < 1.0 => Shape::Between,
        () if low > 0.0 => Shape::Growing,
        () => Shape::CannotTell,
    }
}

fn are_steps(line: &Line, points: &[(f64, f64)]) -> bool {
    let mut by_number: BTreeMap<u64, (f64, Vec<f64>)> = BTreeMap::new();
    for (x, y) in points {
        let (_, values) = by_number.entry(x.to_bits()).or_insert_with(|| (*x, vec![]));
        values.push(*y);
    }
    let typical = by_number.into_values().filter_map(|(x, values)| {
        let ends = typical_amount(&values, RUNS_ALPHA).ok()?.interval?;
        Some((x, ends))
    });
    let numbers: Vec<(f64, (f64, f64))> = typical.collect();
    let mut jumps: Vec<bool> = numbers
        .windows(2)
        .filter_map(|pair| is_jump(line.slope, pair[0], pair[1]))
        .collect();
    jumps.dedup();
    jumps.len() > 2
}

fn is_jump(
    slope: f64,
    (x, (low, high)): (f64, (f64, f64)),
    (next_x, (next_low, next_high)): (f64, (f64, f64)),
) -> Option<bool> {
    let of_line = slope * (next_x - x);
    match () {
        () if next_low - high > 1.5 * of_line => Some(true),
        () if next_high - low < 0.5 * of_line && next_low - high > -0.5 * of_line => Some(false),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten slots of each number of workers, a little apart.
    fn of_numbers(amounts: &[(f64, f64)]) -> Growth {
        let slots = |&(x, y): &(f64, f64)| (0..10).map(move |n| (x, y + f64::from(n) * 0.01));
        let points: Vec<(f64, f64)> = amounts.iter().flat_map(slots).collect();
        Growth::through(&points).unwrap()
    }

    /// Of two to seven workers.
    fn growth(amounts: [f64; 6]) -> Growth {
        of_numbers(&std::array::from_fn::<_, 6, _>(|at| {
            (2.0 + at as f64, amounts[at])
        }))
    }

    #[test]
    fn jumps_and_stays_by_turns_are_steps_and_no_line() {
        let stairs = growth([3.0, 3.0, 6.0, 6.0, 9.0, 9.0]);
        assert_eq!(stairs.shape, Shape::Steps);
        assert!(!stairs.is_in_a_line());
        assert_eq!(stairs.judge(Claim::Steps), Standing::Reproduced);
        assert_eq!(stairs.judge(Claim::Linear), Standing::Differs);
        assert_eq!(stairs.judge(Claim::Flat), Standing::Differs);
        assert_eq!(stairs.judge(Claim::Grows), Standing::Reproduced);
    }

    /// One law, nearly flat, was said to reproduce a linear increase and a constant.
    #[test]
    fn what_hardly_rises_is_no_linear_increase_however_straight_it_is() {
        let hardly = growth([100.0, 101.0, 102.0, 103.0, 104.0, 105.0]);
        assert_eq!(hardly.shape, Shape::NearlyFlat);
        assert!(hardly.is_in_a_line());
        assert_eq!(hardly.judge(Claim::Linear), Standing::Differs);
        assert_eq!(hardly.judge(Claim::Flat), Standing::Reproduced);
    }

    /// An end with a minus stood in brackets.
    #[test]
    fn what_one_more_costs_has_no_sign_but_in_words() {
        let said = |slope, ends| each_further(Unit::Ns, slope, ends);
        assert_eq!(said(2e6, (1e6, 3e6)), "2.00 ms [1.00 ms … 3.00 ms]");
        assert_eq!(said(-2e6, (-3e6, -1e6)), "2.00 ms less [1.00 ms … 3.00 ms]");
        assert_eq!(said(1.0, (-3.03e6, 3.02e6)), "3.03 ms less … 3.02 ms more");
    }

    /// Of a line it was said that its steps were reproduced.
    #[test]
    fn a_line_is_not_in_steps_and_neither_is_a_curve() {
        let line = growth([2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(line.judge(Claim::Steps), Standing::Differs);
        assert_eq!(line.judge(Claim::Linear), Standing::Reproduced);
        let bent = growth([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        assert_ne!(bent.shape, Shape::Steps);
    }

    /// Of three numbers it was said that they are not in steps.
    #[test]
    fn three_numbers_show_no_steps_and_no_lack_of_them() {
        let line = of_numbers(&[2.0, 3.0, 5.0].map(|x| (x, x)));
        assert_eq!(line.judge(Claim::Steps), Standing::CannotTell);
        assert_eq!(line.judge(Claim::Linear), Standing::Reproduced);
    }

    /// "growing, 99 % of one's part" was said to differ from a line.
    #[test]
    fn what_rises_and_leaves_the_line_may_be_a_line_all_the_same() {
        let wild = growth([2.0, 2.2, 5.6, 3.4, 7.6, 6.0]);
        assert!(!wild.is_in_a_line());
        assert_ne!(wild.shape, Shape::Steps);
        assert_eq!(wild.judge(Claim::Linear), Standing::CannotTell);
        assert_eq!(wild.judge(Claim::Steps), Standing::CannotTell);
    }
}
