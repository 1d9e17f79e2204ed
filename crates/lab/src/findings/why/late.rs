use super::{Clause, Evidence, Reason, Weight};
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

/// Where the slower side would save most of the difference if its last flow ended as early as the
/// other's.
pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let is_parted = evidence.metric == Metric::Total && evidence.has_phases();
    if !is_parted && evidence.metric != Metric::Steady {
        return None;
    }
    let (slow, fast) = evidence.slow_and_fast()?;
    let (late, early) = (slow.profile.imbalance, fast.profile.imbalance);
    let (slow_ns, fast_ns) = (slow.profile.phases, fast.profile.phases);
    let whole = match is_parted {
        true => slow_ns.total() - fast_ns.total(),
        false => slow_ns.steady_ns - fast_ns.steady_ns,
    };
    let saved = slow_ns.steady_ns * (1.0 - early / late);
    (late >= LATE * early && whole > 0.0).then(|| {
        let text = format!(
            "the last flow of {} ends {late:.2}x as late as the mean one, against {early:.2}x",
            plural(slow.label)
        );
        ((saved / whole).min(1.0), text)
    })
}
