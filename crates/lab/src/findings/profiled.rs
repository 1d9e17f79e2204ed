//! Where the difference is: two variants' profiles, frame by frame, paired by round (docs/method.md, "Where the
//! difference is"). The mean of the differences of rounds is judged by an exact test of signs ([`stats::SignFlips`]).
//!
//! * Frames are **places** (each moment has one) and **nodes** of the tree of callers, each with all below it. Of the
//!   places that are named, at most 5 % are false on average ([`stats::discoveries`]). Nodes are named, at the same
//!   level, only where a place is.
//! * A place with less than 0.3 % of both sides together (a node: 1 %), or seen in fewer than six rounds, is shown
//!   without a test. A flip of signs does not change that sum, so the test stays exact.
//! * A frame of one side alone is 0 on the other. A process that waits for its child is left out.

mod frame;
mod pair;

use measure::Measured;

pub use frame::{Frame, Profiled};

use super::paired::of;
use crate::data::{Case, Metric, RawSlot, median};

/// Of work that another daemon does, or this program itself as a command.
const NOTHING: &str =
    "nothing was seen of the work: it is done by processes that the slots do not start";

/// What a unit is called, and how much of the work one repetition is.
fn unit(case: &Case) -> &'static str {
    match case.metric {
        Metric::Switch => "switch",
        Metric::Unit => "unit of work",
        Metric::Request | Metric::P99 => "request",
        _ if case.work.program().is_some() => "launch",
        _ => "repetition",
    }
}

pub(crate) fn profiled(
    case: &Case,
    (timed, slots): (&[RawSlot], &[RawSlot]),
    subject: usize,
) -> Option<Measured<Profiled>> {
    let own = |slot: &&RawSlot| slot.variant == subject || slot.variant == 0;
    let own: Vec<&RawSlot> = slots.iter().filter(own).collect();
    own.first()?;
    let rounds = pair::rounds(&own, subject, case.metric);
    if rounds.is_empty() {
        let failed = || Measured::not_available("no round has a profile of both sides", "");
        let mut refused = own
            .iter()
            .filter_map(|slot| match slot.outcome.profile.as_ref()? {
                Measured::NotAvailable { reason, remedy } => {
                    Some(Measured::not_available(reason, remedy))
                }
                Measured::Value(_) => None,
            });
        return refused.next_back().or_else(|| Some(failed()));
    }
    let found = pair::compared(&rounds);
    if found.total_s == [0.0; 2] {
        return Some(Measured::not_available(NOTHING, ""));
    }
    Some(Measured::Value(Profiled {
        unit: unit(case).to_owned(),
        cost: cost(timed, slots, subject),
        ..found
    }))
}

fn cost(timed: &[RawSlot], slots: &[RawSlot], subject: usize) -> Option<[f64; 2]> {
    let typical =
        |slots: &[RawSlot], variant| median(of(slots, variant).filter_map(|slot| slot.value_ns));
    let ratio = |variant| Some(typical(slots, variant)? / typical(timed, variant)?);
    Some([ratio(0)?, ratio(subject)?])
}

#[cfg(test)]
mod tests;
