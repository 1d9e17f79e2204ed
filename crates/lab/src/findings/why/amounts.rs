//! Counts and amounts that lie far apart, a rule each; none tells what it does to the time.

use measure::counters::Event;

use super::apart::apart;
use super::{Evidence, Reason, Side, copied};
use crate::data::Metric;
use crate::data::number::{amount, bytes, plain, time};
use crate::findings::counts::Counts;

const FEW_SWITCHES: f64 = 20.0;
const FEW_MOVES: f64 = 5.0;
const FEW_MISSES: f64 = 1_000.0;
const FEW_BYTES: f64 = 16_384.0;

pub(super) fn cpu_time(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = evidence.both(|side| evidence.counts(side).cpu_ns)?;
    apart(both, (0.0, "less"), |s, r| {
        format!("{} of CPU time against {}", time(s), time(r))
    })
}

/// Context switches: CPUs that were given up, and CPUs that were taken.
pub(super) fn switches(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = evidence.both(|side| evidence.counts(side).switches())?;
    let reason = apart(both, (FEW_SWITCHES, "fewer"), |s, r| {
        format!("{} context switches against {}", plain(s), plain(r))
    })?;
    let [s, r] = evidence.both(|side| evidence.counts(side).involuntary_switches)?;
    let involuntary = format!("; involuntary {} against {}", plain(s), plain(r));
    Some(Reason {
        text: reason.text + &involuntary,
        ..reason
    })
}

/// Moves from one CPU to another, after which a flow finds its caches empty.
pub(super) fn migrations(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = evidence.both(|side| evidence.counts(side).migrations)?;
    apart(both, (FEW_MOVES, "fewer"), |s, r| {
        let moves = if s == 1.0 { "move" } else { "moves" };
        let (s, r) = (plain(s), plain(r));
        format!("{s} {moves} from one CPU to another against {r}")
    })
}

pub(super) fn calls(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = |counts: &Counts| Some(counts.bytes_read? + counts.bytes_written?);
    moved(evidence, both, "read and written by system calls")
}

pub(super) fn storage(evidence: &Evidence<'_>) -> Option<Reason> {
    let both = |counts: &Counts| Some(counts.storage_read? + counts.storage_written?);
    moved(evidence, both, "of storage read and written")
}

fn moved(
    evidence: &Evidence<'_>,
    of: impl Fn(&Counts) -> Option<f64>,
    what: &str,
) -> Option<Reason> {
    let both = evidence.both(|side| of(evidence.counts(side)))?;
    apart(both, (FEW_BYTES, "less"), |s, r| {
        format!("{} {what} against {}", bytes(s), bytes(r))
    })
}

/// Page tables, which a fork copies: a reason only where making flows is part of the time. Silent where it was said
/// what fork copied.
pub(super) fn page_tables(evidence: &Evidence<'_>) -> Option<Reason> {
    if !evidence.times_making() || copied::rule(evidence).is_some() {
        return None;
    }
    let both = evidence.both(|side| Some(side.profile.memory?.page_tables as f64))?;
    apart(both, (FEW_BYTES, "less"), |s, r| {
        format!("{} of page tables against {}", bytes(s), bytes(r))
    })
}

pub(super) fn cache_misses(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::CacheMisses)
}

pub(super) fn tlb_misses(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::DtlbMisses)
}

pub(super) fn branch_misses(evidence: &Evidence<'_>) -> Option<Reason> {
    misses(evidence, Event::BranchMisses)
}

fn misses(evidence: &Evidence<'_>, event: Event) -> Option<Reason> {
    let of = |side: Side<'_>| side.counted?.of(event)?.value().copied();
    let (s, r) = (of(evidence.subject)?, of(evidence.reference)?);
    if evidence.metric == Metric::Create || s.scope != r.scope {
        return None;
    }
    apart([s.scaled, r.scaled], (FEW_MISSES, "fewer"), |s, r| {
        let (s, r) = (amount(s), amount(r));
        format!("{s} {event} in the steady phase against {r}")
    })
}
