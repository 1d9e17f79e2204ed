//! Flows that wait for each other at something that they share. Waiting for a lock is a voluntary
//! switch. Where the slower side waits far more often while it works, and the models in between put
//! the difference down to one shared thing, they wait for its lock: that of the address space or of
//! the file table. Either alone proves nothing: flows also wait for a pipe, and a shared thing may
//! be slow.

use stats::Verdict;

use super::apart::are_apart;
use super::shared;
use super::{Clause, Evidence, Part, Reason, Weight};
use crate::data::Metric;
use crate::data::number::plain;
use crate::data::words::plural;
use crate::findings::Seen;
use crate::findings::shared::Cause;

const HANDFUL: f64 = 20.0;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    rule(evidence)?;
    let (slow, _) = evidence.slow_and_fast()?;
    let (what, seen) = match shared::of(evidence)?.cause {
        Cause::AddressSpace => ("one address space", Seen::AddressSpace),
        _ => ("one file table", Seen::FileTable),
    };
    Some(Clause {
        share: 1.0,
        part: Part::Elsewhere(seen),
        text: format!(
            "{} wait for each other at the lock of {what}",
            plural(slow.label)
        ),
    })
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if evidence.metric == Metric::Create {
        return None;
    }
    let (slow, fast) = evidence.slow_and_fast()?;
    let (what, effect) = match shared::of(evidence)? {
        shared if shared.cause == Cause::AddressSpace => ("address space", shared.address_space),
        shared if shared.cause == Cause::FileTable => ("file table", shared.file_table),
        _ => return None,
    };
    let slows = matches!(effect.verdict, Verdict::Slower { .. });
    let waits = |side: super::Side<'_>| side.profile.steady.voluntary_switches;
    let (many, few) = (waits(slow)?, waits(fast)?);
    let more = many > few && are_apart([many, few], HANDFUL);
    (slows && more && shares_more(slow, fast)).then(|| Reason {
        weight: Weight::Cause(1.0),
        text: format!(
            "{} wait for each other at the {what} that they share: {} times in the steady phase \
             against {}",
            plural(slow.label),
            plain(many),
            plain(few)
        ),
    })
}

/// Only sharers can wait for each other.
fn shares_more(slow: super::Side<'_>, fast: super::Side<'_>) -> bool {
    let isolates = |side: super::Side<'_>| side.profile.variant.model.isolates();
    !isolates(slow) && isolates(fast)
}
