//! The cause of a difference in one clause, claimed only of an established difference of which
//! something measured explains at least half ([`MOST`]): [`FINDERS`], in the words of docs/why.md.
//! The largest share is given, of equals the most specific; its interval ([`super::share`]) must
//! leave out *no share*. Phases are none where making flows was measured
//! ([`Evidence::is_about_making`]). What else was measured says how the two differ, not why.

use super::{
    Clause, Evidence, MOST, Round, address_spaces, copied, kernel, late, made, parts, phases,
    shared, waits,
};

use crate::findings::Seen;

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

pub(crate) fn cause(
    evidence: &Evidence<'_>,
    rounds: impl FnOnce() -> Vec<Round>,
) -> Option<(String, Option<Seen>)> {
    if !evidence.differ() {
        return None;
    }
    let found = FINDERS.iter().filter_map(|find| find(evidence));
    let mut found: Vec<Clause> = found.filter(|clause| clause.share >= MOST).collect();
    found.sort_by_key(|clause| std::cmp::Reverse(whole(clause.share)));
    let rounds = match found.is_empty() {
        true => Vec::new(),
        false => rounds(),
    };
    found.into_iter().find_map(|Clause { share, part, text }| {
        let share = part.proven(share, evidence, &rounds)?;
        Some((text + &share, part.seen()))
    })
}

fn whole(share: f64) -> i64 {
    (100.0 * share.min(1.0)).round() as i64
}
