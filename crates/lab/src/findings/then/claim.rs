//! What becomes of a claim, a **direction** and perhaps a **size** or **bound**: the one place that
//! decides it, from what ours says (docs/method.md, "Then and now"). Compared is the effect, by how
//! much the larger figure is more than the smaller one:
//! ```text
//! effect(r) = max(r, 1 / r) - 1        1.45 % for 0.9857, 6 for "7x"
//! ```
//! Effects within a factor of 2 ([`WITHIN`]) are the same size. *The same* within a floor that is
//! larger than the source's effect neither contradicts nor confirms it, if the interval holds half
//! of that. Shapes of sweeps are judged by [`crate::findings::growth`].

use super::Standing;
use crate::data::number::{factor, plain};
use crate::data::{Claim, Published};
use crate::findings::quantity::Word;

pub(super) const WITHIN: f64 = 2.0;

const NEAR: f64 = 1.05;

pub(super) type Judged = (Standing, Option<String>);

pub(super) type Ends = (f64, f64);

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

pub(super) fn of_two(published: &Published, word: Word, ends: Option<Ends>) -> Judged {
    let Some(claim) = published.claim else {
        return (Standing::SideBySide, None);
    };
    let direction = direction(claim, word);
    let excluded = ends.and_then(|ends| excluded(published, claim, ends));
    match direction {
        Standing::CannotTell if excluded.is_some() => return (Standing::Differs, excluded),
        Standing::Differs if claim != Claim::Same && excluded.is_none() => {
            return open(published.size, ends);
        }
        _ => {}
    }
    match (published.value, published.size, ends) {
        (Some(bound), ..) if direction == Standing::Reproduced => by_bound(bound, ends),
        (None, Some(size), Some(ends)) => by_size(direction, size, ends),
        (None, Some(size), None) if direction == Standing::Reproduced => (
            Standing::SameDirection,
            Some(format!("its size is not compared with {}", said(size))),
        ),
        _ => (direction, None),
    }
}

/// The same within the floor, and no reason to say that the source's effect is not there.
fn open(size: Option<f64>, ends: Option<Ends>) -> Judged {
    match size.zip(ends) {
        Some((size, _)) => (
            Standing::CannotTell,
            Some(format!(
                "the same within the floor, and the interval holds half of the source's {} as well",
                said(size)
            )),
        ),
        None => (Standing::Differs, None),
    }
}

/// What the source claims, where no ratio of the interval is as far in its direction.
fn excluded(published: &Published, claim: Claim, (low, high): Ends) -> Option<String> {
    let far = match claim {
        Claim::Faster | Claim::Less => 1.0 / low,
        Claim::Slower | Claim::More => high,
        _ => return None,
    };
    let claimed = match (published.value, published.size) {
        (Some(bound), _) => bound.max(1.0 / bound),
        (None, Some(size)) => 1.0 + effect(size) / WITHIN,
        (None, None) => return None,
    };
    let theirs = published.value.or(published.size)?;
    (far < claimed).then(|| format!("the interval excludes the source's {}", said(theirs)))
}

/// `2x`, `1.4 %`: of less than half, how many times as much; else the share that is missing or added.
fn said(ratio: f64) -> String {
    match ratio {
        0.5..1.0 => factor(2.0 - ratio),
        _ => factor(1.0 + effect(ratio)),
    }
}

/// At most that share of the other, or at least that many times as much.
fn by_bound(bound: f64, ends: Option<Ends>) -> Judged {
    let standing = match ends {
        Some((_, high)) if bound < 1.0 && high <= bound => Standing::Reproduced,
        Some((low, _)) if bound < 1.0 && low > bound => Standing::SameDirection,
        Some((low, _)) if bound >= 1.0 && low >= bound => Standing::Reproduced,
        Some((_, high)) if bound >= 1.0 && high < bound => Standing::SameDirection,
        _ => Standing::CannotTell,
    };
    let claimed = plain(bound.max(1.0 / bound));
    let because = match standing {
        Standing::SameDirection => Some(format!(
            "the direction is the source's, its factor of {claimed} is not"
        )),
        Standing::CannotTell => Some(format!(
            "whether it is the factor of {claimed} the interval does not tell"
        )),
        _ => None,
    };
    (standing, because)
}

fn by_size(direction: Standing, size: f64, (low, high): Ends) -> Judged {
    let theirs = effect(size);
    let [a, b] = [effect(low), effect(high)];
    let (least, most) = (a.min(b), a.max(b));
    let is_within = least >= theirs / WITHIN && most <= theirs * WITHIN;
    let is_beyond = most < theirs / WITHIN || least > theirs * WITHIN;
    let claimed = said(size);
    match direction {
        Standing::Reproduced if is_beyond => (
            Standing::SameDirection,
            Some(format!("the source's size is {claimed}")),
        ),
        Standing::Reproduced if !is_within => (
            Standing::SameDirection,
            Some(format!(
                "whether its size of {claimed} is, the interval does not tell"
            )),
        ),
        other => (other, None),
    }
}

fn effect(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio) - 1.0
}

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
        .filter(|one| !matches!(one, Standing::CannotTell | Standing::NotRun))
        .collect();
    match known.as_slice() {
        [] => Standing::CannotTell,
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            match 2 * known.len() > each.len() {
                true => *first,
                false => Standing::CannotTell,
            }
        }
        _ => Standing::Differs,
    }
}

/// Two halves together: what both are; no answer without both; else another thing.
pub(super) fn of_both([first, second]: [Standing; 2]) -> Standing {
    use Standing::{CannotTell, NotPossible, NotRun};
    let is_open = |one: Standing| matches!(one, CannotTell | NotPossible | NotRun);
    match first == second {
        true => first,
        false if is_open(first) || is_open(second) => Standing::CannotTell,
        false => Standing::Differs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(direction: Standing, size: f64, ends: (f64, f64)) -> Standing {
        by_size(direction, size, ends).0
    }

    /// A claim of 1.43 % was reproduced by 3.94x.
    #[test]
    fn a_size_is_reproduced_within_a_factor_of_two_of_the_effect_alone() {
        use Standing::{Reproduced, SameDirection};
        let ours = |ends| judged(Reproduced, 0.9857, ends);
        assert_eq!(ours((0.2, 0.3)), SameDirection);
        assert_eq!(ours((0.975, 0.99)), Reproduced);
        assert_eq!(ours((0.994, 0.998)), SameDirection);
        assert_eq!(judged(Reproduced, 7.0, (7.2, 8.2)), Reproduced);
        assert_eq!(judged(Reproduced, 7.0, (14.0, 20.0)), SameDirection);
    }

    /// "5 % faster" was reproduced in size by an interval from 0.3 to 5.5 %.
    #[test]
    fn a_size_is_reproduced_by_the_whole_interval() {
        let wide = judged(Standing::Reproduced, 1.034, (1.003, 1.055));
        assert_eq!(wide, Standing::SameDirection);
    }

    /// More than twice the memory was "cannot tell" beside an interval of 7 %.
    #[test]
    fn an_interval_that_excludes_what_is_claimed_differs_without_a_direction() {
        let of = |value, size, claim, ends| {
            let published = Published {
                value,
                size,
                claim: Some(claim),
                ..Published::default()
            };
            of_two(&published, Word::CannotTell, Some(ends)).0
        };
        use Claim::{Less, Slower};
        use Standing::{CannotTell, Differs};
        assert_eq!(of(Some(0.5), None, Less, (0.937, 1.008)), Differs);
        assert_eq!(of(Some(0.5), None, Less, (0.4, 1.008)), CannotTell);
        assert_eq!(of(None, Some(3.07), Slower, (0.9, 1.43)), Differs);
        assert_eq!(of(None, Some(3.07), Slower, (0.9, 2.1)), CannotTell);
        assert_eq!(of(None, None, Slower, (0.9, 1.1)), CannotTell);
    }

    /// "No difference beyond 1 %" was said to differ from a difference of 0.54 %, and an interval that
    /// goes to 1.9 % from one of 2.1 %.
    #[test]
    fn an_effect_below_the_floor_is_not_contradicted_by_no_difference() {
        let same = |size, ends| {
            let published = Published {
                claim: Some(Claim::Less),
                size: Some(size),
                ..Published::default()
            };
            of_two(&published, Word::Same, Some(ends)).0
        };
        assert_eq!(same(0.9946, (0.992, 1.004)), Standing::CannotTell);
        assert_eq!(same(0.979, (0.981, 1.009)), Standing::CannotTell);
        assert_eq!(same(0.956, (0.992, 1.004)), Standing::Differs);
    }
}
