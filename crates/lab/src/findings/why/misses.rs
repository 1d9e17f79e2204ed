use measure::counters::Event;

use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::Metric;
use crate::data::number::amount;
use crate::findings::counted::EventMedians;

const HANDFUL: f64 = 1_000.0;

pub(super) fn cache(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::CacheMisses)
}

pub(super) fn tlb(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::DtlbMisses)
}

pub(super) fn branches(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::BranchMisses)
}

/// Of the steady phase: nothing about creating flows.
fn misses(evidence: &Evidence<'_>, event: Event) -> Option<Reason> {
    if evidence.metric == Metric::Create {
        return None;
    }
    let of = |side: super::Side<'_>| -> Option<EventMedians> {
        side.counted?.of(event)?.value().copied()
    };
    let (s, r) = (of(evidence.subject)?, of(evidence.reference)?);
    if s.scope != r.scope {
        return None;
    }
    let apart = apart(s.scaled, r.scaled, HANDFUL, "fewer")?;
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} {event} in the steady phase against {}{}",
            amount(s.scaled),
            amount(r.scaled),
            apart.words
        ),
    })
}
