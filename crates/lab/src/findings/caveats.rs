//! What must be said beside a finding, or it would be read for more than it is.
//!
//! * A comparison that is decided early keeps estimate, interval and verdict, while medians, phases
//!   and slow ends are of all rounds: so the number of rounds that decided is said.
//! * A difference that so few rounds find only by luck in this noise is overstated
//!   ([`stats::overstates`]).

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
