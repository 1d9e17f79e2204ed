//! What becomes of a claim: the one place that decides it, from what ours says.
//!
//! # Theory
//!
//! A claim has a **direction**. Where the source gives it a **size**, the size counts too. What is
//! compared is the effect, by how much the larger figure is more than the smaller one:
//!
//! ```text
//! effect(r) = max(r, 1 / r) - 1        1.43 % for 0.9857, 6 for "7x"
//! ```
//!
//! Two effects within a factor of 2 ([`WITHIN`]) of each other are the same size. With the direction
//! established, the whole interval of ours beyond that is *same direction, other size*. An interval
//! that reaches into it while the estimate lies outside leaves the size open. Ours may also be
//! *the same* within a floor that is larger than the source's effect: if the interval holds that
//! effect, nothing contradicts the source, and nothing confirms it.
//!
//! A **bound** ("more than twice") is kept by the whole interval or missed by the whole interval.
//! Shapes of sweeps are judged by [`crate::findings::growth`], with which the laws of a report agree.

use super::Standing;
use crate::data::number::{factor, plain};
use crate::data::{Claim, Published};
use crate::findings::quantity::Word;

/// Sizes within this factor of each other are the same.
pub(super) const WITHIN: f64 = 2.0;

/// An amount that lies this near to another one is the same.
const NEAR: f64 = 1.05;

/// What ours says of a claim, and what the reader must know of that.
pub(super) type Judged = (Standing, Option<String>);

/// A ratio of ours, subject over reference, with its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio {
    pub(super) estimate: f64,
    pub(super) ends: (f64, f64),
}

/// What a verdict makes of a direction.
pub(super) fn direction(claim: Claim, word: Word) -> Standing {
    use Claim::{Faster, Less, More, Same, Slower};
    match (claim, word) {
        (_, Word::CannotTell | Word::NotCompared) => Standing::CannotTell,
        (Same, Word::Same) => Standing::Reproduced,
        (Faster | Less, Word::Faster | Word::Less) => Standing::Reproduced,
        (Slower | More, Word::Slower | Word::More) => Standing::Reproduced,
        (Faster | Less, Word::Slower | Word::More) => Standing::Refuted,
        (Slower | More, Word::Faster | Word::Less) => Standing::Refuted,
        _ => Standing::Differs,
    }
}

/// What a verdict and a ratio make of a claim with its bound or its size.
pub(super) fn of_two(published: &Published, word: Word, ratio: Option<Ratio>) -> Judged {
    let Some(claim) = published.claim else {
        return (Standing::SideBySide, None);
    };
    let direction = direction(claim, word);
    match (published.value, published.size, ratio) {
        (Some(bound), ..) if direction == Standing::Reproduced => by_bound(bound, ratio),
        (None, Some(size), Some(ratio)) => by_size(direction, size, ratio),
        _ => (direction, None),
    }
}

/// A bound whose direction is right: at most that share of the other, or at least that many times as
/// much.
fn by_bound(bound: f64, ratio: Option<Ratio>) -> Judged {
    let standing = match ratio.map(|ratio| ratio.ends) {
        Some((_, high)) if bound < 1.0 && high <= bound => Standing::Reproduced,
        Some((low, _)) if bound < 1.0 && low > bound => Standing::OtherSize,
        Some((low, _)) if bound >= 1.0 && low >= bound => Standing::Reproduced,
        Some((_, high)) if bound >= 1.0 && high < bound => Standing::OtherSize,
        _ => Standing::CannotTell,
    };
    let claimed = plain(bound.max(1.0 / bound));
    let because = match standing {
        Standing::OtherSize => Some(format!(
            "the direction is the source's, its factor of {claimed} is not"
        )),
        Standing::CannotTell => Some(format!(
            "whether it is the factor of {claimed} the interval does not tell"
        )),
        _ => None,
    };
    (standing, because)
}

fn by_size(direction: Standing, size: f64, ratio: Ratio) -> Judged {
    let theirs = effect(size);
    let (low, high) = ratio.ends;
    let [a, b] = [effect(low), effect(high)];
    let (least, most) = (a.min(b), a.max(b));
    let is_near = |ours: f64| (theirs / WITHIN..=theirs * WITHIN).contains(&ours);
    let claimed = factor(1.0 + theirs);
    match direction {
        Standing::Reproduced if most < theirs / WITHIN || least > theirs * WITHIN => (
            Standing::OtherSize,
            Some(format!("the source's size is {claimed}")),
        ),
        Standing::Reproduced if !is_near(effect(ratio.estimate)) => (
            Standing::CannotTell,
            Some(format!(
                "the direction is the source's; whether its size of {claimed} is, the interval does \
                 not tell"
            )),
        ),
        Standing::Differs if low <= size && size <= high => (
            Standing::CannotTell,
            Some(format!(
                "the interval holds the source's {claimed} as well as no difference"
            )),
        ),
        other => (other, None),
    }
}

/// By how much the larger is more than the smaller.
fn effect(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio) - 1.0
}

/// Whether the whole interval of an amount lies near a value, or beside it.
pub(super) fn of_amount(published: &Published, ends: Option<(f64, f64)>) -> Standing {
    let (Some(Claim::Same), Some(value)) = (published.claim, published.value) else {
        return Standing::SideBySide;
    };
    match ends {
        Some((low, high)) if low >= value / NEAR && high <= value * NEAR => Standing::Reproduced,
        Some((low, high)) if high < value / NEAR || low > value * NEAR => Standing::Differs,
        _ => Standing::CannotTell,
    }
}

/// Whether the whole of an interval is within the bound that a finding claims, or beyond it.
pub(super) fn of_bound(published: &Published, (low, high): (f64, f64)) -> Option<Standing> {
    let bound = published.value?;
    let (within, beyond) = match published.claim? {
        Claim::AtLeast => (low >= bound, high < bound),
        Claim::AtMost => (high <= bound, low > bound),
        _ => return None,
    };
    Some(match (within, beyond) {
        (true, _) => Standing::Reproduced,
        (_, true) => Standing::Refuted,
        _ => Standing::CannotTell,
    })
}

/// What several works together say: what most of them do, if none of the others contradicts.
pub(super) fn of_all(each: &[Standing]) -> Standing {
    let known = each.iter().copied();
    let known: Vec<Standing> = known
        .filter(|standing| *standing != Standing::CannotTell)
        .collect();
    match known.as_slice() {
        [] => Standing::CannotTell,
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            // One of many says nothing for those that are not known.
            match 2 * known.len() > each.len() {
                true => *first,
                false => Standing::CannotTell,
            }
        }
        _ => Standing::Differs,
    }
}

/// What two halves are together: what both are; without an answer to one of them, none; else
/// something else than the source's.
pub(super) fn of_both([first, second]: [Standing; 2]) -> Standing {
    let is_open = |one: Standing| matches!(one, Standing::CannotTell | Standing::NotPossible);
    match first == second {
        true => first,
        false if is_open(first) || is_open(second) => Standing::CannotTell,
        false => Standing::Differs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(direction: Standing, size: f64, estimate: f64, ends: (f64, f64)) -> Standing {
        by_size(direction, size, Ratio { estimate, ends }).0
    }

    /// A claim of 1.43 % was reproduced by 3.94x.
    #[test]
    fn a_size_is_reproduced_within_a_factor_of_two_of_the_effect_alone() {
        use Standing::{CannotTell, OtherSize, Reproduced};
        let ours = |estimate, ends| judged(Reproduced, 0.9857, estimate, ends);
        assert_eq!(ours(0.254, (0.2, 0.3)), OtherSize);
        assert_eq!(ours(0.98, (0.97, 0.99)), Reproduced);
        assert_eq!(ours(0.996, (0.994, 0.998)), OtherSize);
        assert_eq!(ours(0.95, (0.91, 0.99)), CannotTell);
        assert_eq!(judged(Reproduced, 7.0, 7.7, (7.2, 8.2)), Reproduced);
        assert_eq!(judged(Reproduced, 7.0, 16.0, (14.0, 20.0)), OtherSize);
    }

    /// "No difference beyond 1 %" was said to differ from a difference of 0.54 %.
    #[test]
    fn an_effect_below_the_floor_is_not_contradicted_by_no_difference() {
        let ends = (0.992, 1.004);
        let same = judged(Standing::Differs, 0.9946, 0.998, ends);
        assert_eq!(same, Standing::CannotTell);
        let same = judged(Standing::Differs, 0.956, 0.998, ends);
        assert_eq!(same, Standing::Differs);
    }
}
