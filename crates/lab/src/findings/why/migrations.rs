//! Moves from one CPU to another, after which a flow finds its caches empty.

use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::number::plain;

const HANDFUL: f64 = 5.0;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let s = evidence.counts(evidence.subject).migrations?;
    let r = evidence.counts(evidence.reference).migrations?;
    let apart = apart(s, r, HANDFUL, "fewer")?;
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} {} from one CPU to another against {}{}",
            plain(s),
            if s == 1.0 { "move" } else { "moves" },
            plain(r),
            apart.words
        ),
    })
}
