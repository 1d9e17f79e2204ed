use stats::{Estimate, Rule, Verdict};

use super::RawSlot;

/// By their places in the case; `None` without a common round.
pub(super) fn judged(
    slots: &[RawSlot],
    reference: usize,
    subject: usize,
    rule: Rule,
) -> Option<(Estimate, Verdict)> {
    let of = |variant: usize| slots.iter().filter(move |slot| slot.variant == variant);
    let (mut of_reference, mut of_subject) = (Vec::new(), Vec::new());
    for s in of(subject) {
        let r = of(reference).find(|r| r.round == s.round);
        if let Some((r, s)) = r.and_then(|r| r.value_ns).zip(s.value_ns) {
            of_reference.push(r);
            of_subject.push(s);
        }
    }
    rule.judge_values(&of_reference, &of_subject).ok()
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
