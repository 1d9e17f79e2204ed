//! Page tables, which a fork copies: a reason only where making flows is part of the time.

use super::apart::apart;
use super::{Evidence, Reason, copied};
use crate::data::number::bytes;

const FEW_BYTES: f64 = 16_384.0;

/// Silent where it was said what fork copied.
pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if !evidence.times_making() {
        return None;
    }
    let tables = |side: super::Side<'_>| Some(side.profile.memory?.page_tables as f64);
    let (s, r) = (tables(evidence.subject)?, tables(evidence.reference)?);
    let apart = apart(s, r, FEW_BYTES, "less")?;
    if copied::rule(evidence).is_some() {
        return None;
    }
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} of page tables against {}{}",
            bytes(s),
            bytes(r),
            apart.words
        ),
    })
}
