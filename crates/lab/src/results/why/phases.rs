//! How much of the difference lies in which phase.

use super::{Evidence, Reason, Weight};
use crate::Metric;
use crate::number::time;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if evidence.metric != Metric::Total || !evidence.differ() {
        return None;
    }
    let (s, r) = (
        evidence.subject.profile.phases,
        evidence.reference.profile.phases,
    );
    let create = s.create_ns - r.create_ns;
    let teardown = s.teardown_ns - r.teardown_ns;
    let steady = s.steady_ns - r.steady_ns;
    let text = said(create, teardown, steady)?;
    Some(Reason {
        weight: Weight::Whole,
        text,
    })
}

fn said(create: f64, teardown: f64, steady: f64) -> Option<String> {
    let making = create + teardown;
    let total = making + steady;
    if total == 0.0 {
        return None;
    }
    let share = making / total;
    if !(0.0..=1.0).contains(&share) {
        return Some(format!(
            "create and tear-down take {}, the steady phase {}",
            more_or_less(making),
            more_or_less(steady)
        ));
    }
    Some(format!(
        "of the difference of {}, {:.0} % is create and tear-down ({} and {}) and {:.0} % the steady phase",
        time(total.abs()),
        100.0 * share,
        time(create.abs()),
        time(teardown.abs()),
        100.0 - (100.0 * share).round()
    ))
}

fn more_or_less(ns: f64) -> String {
    let word = if ns < 0.0 { "less" } else { "more" };
    format!("{} {word}", time(ns.abs()))
}
