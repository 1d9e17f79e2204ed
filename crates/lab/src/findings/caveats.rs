//! What must be said beside a finding, or it would be read for more than it is.
//!
//! * Comparisons of one case are decided at looks of their own. One that is decided early keeps
//!   its estimate, its interval and its verdict, while rounds go on for the others; medians, phases
//!   and slow ends are of all rounds. So the number of rounds that decided is said.
//! * A run stops at the first look that decides. A difference that so few rounds find only by
//!   luck in this noise is overstated where they do ([`stats::overstates`]).

use crate::findings::judge::Judged;

pub(super) fn early(judged: &Judged, of: usize) -> Option<String> {
    let rounds = judged.estimate.rounds;
    (judged.verdict.is_decided() && rounds < of).then(|| {
        format!(
            "decided after {rounds} of {of} rounds; medians, phases and slow runs are of all {of}"
        )
    })
}

pub(super) fn overstated(judged: &Judged) -> Option<String> {
    judged.overstates.then(|| {
        format!(
            "decided after only {} rounds: the difference may be smaller than shown",
            judged.estimate.rounds
        )
    })
}
