//! The cause of a difference in one clause.
//!
//! # Theory
//!
//! A cause is claimed only of a difference that was established, and only where something that
//! was measured explains at least half of it ([`MOST`]): a count that accounts for the time
//! (page-table entries that forks copied, flows that were made), waits at something shared that
//! the models in between point to, what sharing alone does, what flows say of their own time, the
//! phases (not where they are what was measured: see [`Evidence::is_about_making`]), address spaces
//! that were made, a last flow that works on alone, or switches by the kernel. The one that explains
//! the most is given; of those that explain as much, the most specific. Where none does, there
//! is no cause: what else was measured says how the two differ and not why.

use super::{
    Clause, Evidence, MOST, address_spaces, copied, kernel, late, made, parts, phases, shared,
    waits,
};

type Finder = fn(&Evidence<'_>) -> Option<Clause>;

/// The most specific first.
const FINDERS: [Finder; 9] = [
    waits::clause,
    copied::clause,
    made::clause,
    shared::clause,
    parts::clause,
    phases::clause,
    address_spaces::clause,
    late::clause,
    kernel::clause,
];

/// `None` if no measurement is a cause.
pub(crate) fn cause(evidence: &Evidence<'_>) -> Option<String> {
    if !evidence.differ() {
        return None;
    }
    let found = FINDERS.iter().filter_map(|find| find(evidence));
    let found = found.filter(|(share, _)| *share >= MOST);
    // Of equal shares (in whole percent) the first stays.
    let best = found.reduce(|best, next| match whole(next.0) > whole(best.0) {
        true => next,
        false => best,
    });
    best.map(|(_, clause)| clause)
}

fn whole(share: f64) -> i64 {
    (100.0 * share.min(1.0)).round() as i64
}
