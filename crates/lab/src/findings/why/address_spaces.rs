//! Processes get an address space each, paid for in page faults: the child's first touches, and the
//! parent's for pages that a fork left write-protected. The cause where making flows makes most of
//! a difference, and one side makes more processes with far more page faults. The kernel's own work
//! (page tables) is not counted, so the share is that of the phases.

use super::{Clause, Evidence, Part, Side, faults};
use crate::data::words::plural;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let (_, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let faults = |side: Side<'_>| evidence.counts(side).faults();
    let is_of_processes = slow.processes() > fast.processes() && faults(slow)? > faults(fast)?;
    let counted = faults::counted(evidence).filter(|_| is_of_processes)?;
    let slow = plural(slow.label);
    Some(Clause {
        share,
        part: Part::Making,
        text: format!("{slow} get an address space each: {counted}"),
    })
}
