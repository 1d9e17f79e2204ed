//! Which share of a difference a cause has: the part of a gap over the gap, in ns, of medians over
//! the rounds. Its interval is that of rounds drawn anew with replacement, [`DRAWN`] times (B.
//! Efron, 1979), by a fixed seed. Only one that leaves out *no share* names a cause.

use stats::simulate::Draw;

use super::{Evidence, late, parts};
use crate::data::median;
use crate::data::number::{DOTS, time};
use crate::findings::Seen;
use crate::findings::profile::Profile;

pub(crate) type Round = [Profile; 2];

const DRAWN: usize = 999;
/// 99 % lie between, so that one without a share is hardly ever named.
const FROM_END: usize = 4;
const FEWEST: usize = 5;
/// Shares from here on are all of a gap.
const ALL: f64 = 0.995;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    Making,
    Named(&'static str),
    LastFlow,
    /// None: what it rests on has an interval of its own, or is a count of every turn.
    Elsewhere(Seen),
}

impl Part {
    /// The part and the whole gap in ns, slower less faster.
    fn of(self, evidence: &Evidence<'_>) -> Option<(f64, f64)> {
        match self {
            Self::Making => evidence.making_and_whole(),
            Self::Named(name) => parts::part(evidence, name),
            Self::LastFlow => late::part(evidence),
            Self::Elsewhere(_) => None,
        }
    }

    pub(super) fn seen(self) -> Option<Seen> {
        match self {
            Self::Making => Some(Seen::Making),
            Self::LastFlow => Some(Seen::LastFlow),
            Self::Named(_) => None,
            Self::Elsewhere(seen) => Some(seen),
        }
    }

    fn in_rounds(self, evidence: &Evidence<'_>, rounds: &[Round]) -> Vec<(f64, f64)> {
        let own = rounds.iter().filter_map(|[subject, reference]| {
            let mut one = evidence.clone();
            (one.subject.profile, one.reference.profile) = (subject, reference);
            self.of(&one)
        });
        own.collect()
    }

    /// `, 85 % [77 … 100 %] of the 5.00 ms gap`; `None` where it may be no share at all.
    pub(super) fn proven(
        self,
        seen: f64,
        evidence: &Evidence<'_>,
        rounds: &[Round],
    ) -> Option<String> {
        let Some((_, whole)) = self.of(evidence) else {
            return Some(String::new());
        };
        let (low, high) = interval(seen, &self.in_rounds(evidence, rounds))?;
        (low > 0.0).then(
            || match self == Self::Making && evidence.is_about_making() {
                true => String::new(),
                false => format!(", {} of the {} gap", percent(seen, low, high), time(whole)),
            },
        )
    }
}

fn interval(seen: f64, rounds: &[(f64, f64)]) -> Option<(f64, f64)> {
    if rounds.len() < FEWEST {
        return None;
    }
    let mut draw = Draw::new(0, 0);
    let mut shares: Vec<f64> = (0..DRAWN).map(|_| of_drawn(rounds, &mut draw)).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let (low, high) = (shares[FROM_END], shares[DRAWN - 1 - FROM_END]);
    Some((low.min(seen), high.max(seen)))
}

fn of_drawn(rounds: &[(f64, f64)], draw: &mut Draw) -> f64 {
    let last = rounds.len() - 1;
    let drawn: Vec<(f64, f64)> = rounds
        .iter()
        .map(|_| rounds[((draw.uniform() * rounds.len() as f64) as usize).min(last)])
        .collect();
    let of = |amount: fn(&(f64, f64)) -> f64| median(drawn.iter().map(amount)).unwrap_or(0.0);
    let (part, whole) = (of(|one| one.0), of(|one| one.1));
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn percent(seen: f64, low: f64, high: f64) -> String {
    if low >= ALL {
        return "all".to_owned();
    }
    let of = |share: f64, round: fn(f64) -> f64| round(100.0 * share.min(1.0));
    format!(
        "{:.0} % [{:.0}{DOTS}{:.0} %]",
        of(seen, f64::round),
        of(low, f64::floor),
        of(high, f64::ceil)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds whose gap is 10 and whose part of it is `part`, each with noise of this size.
    fn rounds(seed: u64, count: usize, part: f64, noise: f64) -> Vec<(f64, f64)> {
        let mut draw = Draw::new(seed, 1);
        let round = |_| {
            let part = part + draw.normal(noise);
            (part, part + (10.0 - part) + draw.normal(noise))
        };
        (0..count).map(round).collect()
    }

    #[test]
    fn the_interval_of_a_share_holds_it_and_is_the_same_again() {
        let holds = |seed: &u64| {
            let own = rounds(*seed, 20, 6.0, 2.0);
            let (low, high) = interval(0.6, &own).unwrap();
            assert_eq!(interval(0.6, &own), Some((low, high)));
            // The share that was seen is in it by rule: here it is the true one, so ask without it.
            low < high && (low..=high).contains(&0.6)
        };
        assert!((0..20).filter(holds).count() == 20);
        assert_eq!(interval(0.6, &rounds(1, 4, 6.0, 0.1)), None);
    }

    /// A part that makes nothing is seen as half of the gap only by chance, and then it is not named.
    #[test]
    fn a_part_without_a_share_is_named_in_less_than_one_run_of_a_hundred() {
        let is_named = |seed: &u64| {
            let own = rounds(*seed, 10, 0.0, 8.0);
            let of = |amount: fn(&(f64, f64)) -> f64| median(own.iter().map(amount)).unwrap();
            let seen = of(|one| one.0) / of(|one| one.1);
            seen >= super::super::MOST && interval(seen, &own).unwrap().0 > 0.0
        };
        let named = (0..500).filter(is_named).count();
        assert!(named < 5, "{named} of 500");
    }

    #[test]
    fn shares_beyond_the_whole_are_all_of_it() {
        assert_eq!(percent(0.85, 0.774, 1.05), "85 % [77 … 100 %]");
        assert_eq!(percent(1.02, 0.996, 1.3), "all");
    }
}
