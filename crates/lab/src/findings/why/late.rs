use super::{Clause, Evidence, Part, Reason, Weight};
use crate::data::Metric;
use crate::data::words::plural;

/// End of the last flow over the mean end.
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

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let (saved, whole) = part(evidence)?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let (late, early) = (slow.profile.imbalance, fast.profile.imbalance);
    (late >= LATE * early && whole > 0.0).then(|| Clause {
        share: saved / whole,
        part: Part::LastFlow,
        text: format!(
            "the last flow of {} ends {late:.2}x as late as the mean one, against {early:.2}x",
            plural(slow.label)
        ),
    })
}

/// What would be saved, and the whole difference.
pub(super) fn part(evidence: &Evidence<'_>) -> Option<(f64, f64)> {
    let is_parted = evidence.metric == Metric::Total && evidence.has_phases();
    if !is_parted && evidence.metric != Metric::Steady {
        return None;
    }
    let (slow, fast) = evidence.slow_and_fast()?;
    let (slow_ns, fast_ns) = (slow.profile.phases, fast.profile.phases);
    let whole = match is_parted {
        true => slow_ns.total() - fast_ns.total(),
        false => slow_ns.steady_ns - fast_ns.steady_ns,
    };
    let early = fast.profile.imbalance / slow.profile.imbalance;
    Some((slow_ns.steady_ns * (1.0 - early), whole))
}
