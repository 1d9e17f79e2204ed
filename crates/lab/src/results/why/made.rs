//! How many flows are made: a flow for each item against a few for all of them.

use super::copied::MOST;
use super::{Evidence, Reason, Weight};
use crate::number::{count, time};
use crate::words::plural;

/// Flows are far more from this factor on.
const FAR: u32 = 2;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (making_ns, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let made = |variant: &flow::Variant| variant.carriers();
    let (many, few) = (made(&slow.profile.variant), made(&fast.profile.variant));
    if share < MOST || making_ns <= 0.0 || many < few.saturating_mul(FAR).max(few + 2) {
        return None;
    }
    Some(Reason {
        weight: Weight::Cause(share.min(1.0)),
        text: format!(
            "{} flows are made and ended for {} against {} for {}: {} of create and tear-down \
             for each of the others",
            count(many.into()),
            plural(slow.label),
            count(few.into()),
            plural(fast.label),
            time(making_ns / f64::from(many - few))
        ),
    })
}
