//! A last flow that works on alone and leaves the other CPUs idle.

use super::{Evidence, Reason, Weight};
use crate::Metric;

/// A last flow that ends this much later than the mean one decides the time.
const LATE: f64 = 1.15;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if evidence.metric == Metric::Create {
        return None;
    }
    let s = evidence.subject.profile.imbalance;
    let r = evidence.reference.profile.imbalance;
    let apart = s.max(r) / s.min(r);
    (s.max(r) >= LATE && apart >= LATE).then(|| Reason {
        weight: Weight::Count(apart),
        text: format!("the last flow ends {s:.2}x as late as the mean one, against {r:.2}x"),
    })
}
