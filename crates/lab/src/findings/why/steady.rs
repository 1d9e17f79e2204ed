use super::{Evidence, Reason, Weight};
use crate::data::Metric;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if evidence.metric != Metric::Total || !evidence.differ() || !evidence.has_phases() {
        return None;
    }
    Some(Reason {
        weight: Weight::Part,
        text: evidence.steady.clone()?,
    })
}
