use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::number::time;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let s = evidence.counts(evidence.subject).cpu_ns?;
    let r = evidence.counts(evidence.reference).cpu_ns?;
    let apart = apart(s, r, 0.0, "less")?;
    Some(Reason {
        weight: apart.weight,
        text: format!("{} of CPU time against {}{}", time(s), time(r), apart.words),
    })
}
