//! Bytes that were moved: through system calls, and to and from storage.

use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::number::bytes;
use crate::findings::counts::Counts;

const FEW: f64 = 16_384.0;

pub(super) fn calls(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = |counts: &Counts| Some(counts.bytes_read? + counts.bytes_written?);
    compare(evidence, both, "read and written by system calls")
}

pub(super) fn storage(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = |counts: &Counts| Some(counts.storage_read? + counts.storage_written?);
    compare(evidence, both, "of storage read and written")
}

fn compare(
    evidence: &Evidence<'_>,
    moved: impl Fn(&Counts) -> Option<f64>,
    what: &str,
) -> Option<Reason> {
    let s = moved(evidence.counts(evidence.subject))?;
    let r = moved(evidence.counts(evidence.reference))?;
    let apart = apart(s, r, FEW, "less")?;
    Some(Reason {
        weight: apart.weight,
        text: format!("{} {what} against {}{}", bytes(s), bytes(r), apart.words),
    })
}
