//! Why a finding is as it is: reasons taken from counts (docs/why.md). A rule looks
//! at one count of both sides and says nothing where they are alike. By [`Weight`]:
//!
//! 1. **Whole**: the phases, which add up to the difference.
//! 2. **Cause**: named only where a count proves it, the largest share first.
//! 3. **Part**: the verdict on a part alone.
//! 4. **Count**: what else lies far apart, the farthest first, without what it does to the time.
//!
//! A rule whose count is part of a named cause is silent. Counts are of the compared phases
//! ([`Evidence::counts`], [`Evidence::times_making`]). No rule looks at names or models.

mod address_spaces;
mod amounts;
mod apart;
mod cause;
mod copied;
mod evidence;
mod faults;
mod kernel;
mod late;
mod made;
mod modelled;
mod parts;
mod phases;
mod reason;
mod share;
mod shared;
#[cfg(test)]
mod tests;
mod waits;

pub(crate) use cause::cause;
pub(crate) use evidence::{Evidence, Side};
pub(crate) use modelled::{cause as simulated_cause, why as simulated_why};
pub(crate) use reason::MOST;
use reason::{Clause, Reason, Weight};
use share::Part;
pub(crate) use share::Round;

use crate::data::Metric;

type Rule = fn(&Evidence<'_>) -> Option<Reason>;

/// Ties keep this order.
const RULES: [Rule; 18] = [
    phases::rule,
    parts::rule,
    copied::rule,
    made::rule,
    shared::rule,
    waits::rule,
    phases::steady,
    faults::rule,
    amounts::page_tables,
    amounts::switches,
    amounts::migrations,
    amounts::cache_misses,
    amounts::tlb_misses,
    amounts::branch_misses,
    amounts::calls,
    amounts::storage,
    amounts::cpu_time,
    late::rule,
];

pub(crate) fn why(evidence: &Evidence<'_>) -> Vec<String> {
    let rules: &[Rule] = match evidence.metric {
        // An emulator's usage is no reason: see `modelled`.
        Metric::Simulated => &[],
        // Variants take different numbers of turns, so sums over a repetition explain nothing.
        Metric::Switch | Metric::Request | Metric::P99 => &[],
        Metric::Total | Metric::Steady | Metric::Create | Metric::Unit => &RULES,
    };
    ordered(rules.iter().filter_map(|rule| rule(evidence)).collect())
}

fn ordered(mut reasons: Vec<Reason>) -> Vec<String> {
    reasons.sort_by(|a, b| {
        let (a, b) = (a.weight.rank(), b.weight.rank());
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    reasons.into_iter().map(|reason| reason.text).collect()
}
