//! Context switches: CPUs that were given up, and CPUs that were taken.

use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::number::plain;

const HANDFUL: f64 = 20.0;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let s = evidence.counts(evidence.subject);
    let r = evidence.counts(evidence.reference);
    let (all_s, all_r) = (s.switches()?, r.switches()?);
    let apart = apart(all_s, all_r, HANDFUL, "fewer")?;
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} context switches against {}{}; involuntary {} against {}",
            plain(all_s),
            plain(all_r),
            apart.words,
            plain(s.involuntary_switches?),
            plain(r.involuntary_switches?)
        ),
    })
}
