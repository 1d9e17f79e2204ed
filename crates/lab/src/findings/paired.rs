//! Slots of one variant, and of two variants round by round.

use stats::{Estimate, Rule, Verdict};

use super::RawSlot;

pub(super) fn of(
    slots: &[RawSlot],
    variant: usize,
) -> impl DoubleEndedIterator<Item = &RawSlot> + Clone {
    slots.iter().filter(move |slot| slot.variant == variant)
}

/// Rounds with a slot of both, in the order of the subject's: its slot stands behind the reference's.
pub(super) fn rounds<'a, R, S>(reference: R, subject: S) -> impl Iterator<Item = [&'a RawSlot; 2]>
where
    R: Iterator<Item = &'a RawSlot> + Clone,
    S: Iterator<Item = &'a RawSlot>,
{
    subject.filter_map(move |s| {
        let r = reference.clone().find(|r| r.round == s.round)?;
        Some([r, s])
    })
}

pub(super) fn values<'a>(
    rounds: impl Iterator<Item = [&'a RawSlot; 2]>,
    value: impl Fn(&RawSlot) -> Option<f64>,
) -> (Vec<f64>, Vec<f64>) {
    rounds.filter_map(|[r, s]| value(r).zip(value(s))).unzip()
}

/// `None` without a common round.
pub(super) fn judged(
    slots: &[RawSlot],
    reference: usize,
    subject: usize,
    rule: Rule,
) -> Option<(Estimate, Verdict)> {
    let rounds = rounds(of(slots, reference), of(slots, subject));
    let (reference, subject) = values(rounds, |slot| slot.value_ns);
    rule.judge_values(&reference, &subject).ok()
}

/// Where this number of comparisons shares the level.
pub(super) fn rule(floor: f64, comparisons: usize) -> Rule {
    Rule {
        floor,
        comparisons,
        ..Rule::default()
    }
}

/// Round by round; `None` for slots that are no data points.
pub(super) fn columns(slots: &[RawSlot], variants: usize) -> Vec<Vec<Option<f64>>> {
    let rounds = slots.iter().map(|slot| slot.round + 1).max().unwrap_or(0);
    let mut columns = vec![vec![None; rounds]; variants];
    for slot in slots {
        columns[slot.variant][slot.round] = slot.value_ns;
    }
    columns
}
