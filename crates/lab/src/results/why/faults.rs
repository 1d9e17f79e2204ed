//! Page faults, and how many of them are the parent's: after a fork it pays one for each
//! page that it writes.

use super::apart::apart;
use super::{Evidence, Reason};
use crate::number::plain;
use crate::words::plural;

/// Fewer faults apart than this explain nothing.
const HANDFUL: f64 = 20.0;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (subject, reference) = (evidence.subject, evidence.reference);
    let (s, r) = (evidence.counts(subject), evidence.counts(reference));
    let apart = apart(s.faults(), r.faults(), HANDFUL, "fewer")?;
    let (more, counts) = match s.faults() > r.faults() {
        true => (subject, s),
        false => (reference, r),
    };
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} page faults against {} ({}); of those of {} {} are the parent's",
            plain(s.faults()),
            plain(r.faults()),
            apart.words,
            plural(more.label),
            plain(counts.parent_faults)
        ),
    })
}
