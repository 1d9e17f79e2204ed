//! How many flows are made: a flow for each item against a few for all of them.

use super::copied::MOST;
use super::{Evidence, Reason, Weight};
use crate::number::{count, time};
use crate::words::plural;

/// Flows are far more from this factor on.
const FAR: f64 = 2.0;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (making_ns, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let (many, few) = (slow.profile.made, fast.profile.made);
    if share < MOST || making_ns <= 0.0 || many < (few * FAR).max(few + 2.0) {
        return None;
    }
    Some(Reason {
        weight: Weight::Cause(share.min(1.0)),
        text: format!(
            "{} flows are made and ended for {} against {} for {}: {} of create and tear-down \
             for each of the others",
            count(many as u64),
            plural(slow.label),
            count(few as u64),
            plural(fast.label),
            time(making_ns / (many - few))
        ),
    })
}
