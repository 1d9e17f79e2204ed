//! Where the difference is: two variants' profiles, frame by frame, paired by round.
//!
//! Every slot of a profile gives each frame its seconds for each unit of work: what was sampled in it over
//! the work that the slot did. In each round the difference of both sides is one number for each frame, so all that the
//! machine did to a whole round is in both; an exact test of signs ([`stats::SignFlips`]) and its interval
//! judge their mean. Means, so that the differences of places add up to the gap.
//!
//! * Frames are **places** (each moment has one, and they add up to the whole) and **nodes** of the tree of
//!   callers, each with all below it. Both are tested together, and of those that are named at most 5 % are
//!   false on average ([`stats::discoveries`]); where nothing differs, none is named in 95 of 100 runs.
//! * A frame that has less than 0.3 % of both sides together, or was seen in fewer than six
//!   rounds, is too small to be judged: it is shown, and has no test. Which ones are is decided by the sum of
//!   both sides, which a flip of signs does not change, so the test stays exact.
//! * A frame of one side alone is 0 on the other, and compared like any other.
//!
//! A process that waits for its child is left out: the child's time is there itself.

mod frame;
mod pair;

use measure::Measured;

pub use frame::{Frame, Profiled};

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

/// `None` where no profile was asked for, or none was begun.
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
        let refused = own.iter().filter_map(|slot| slot.outcome.profile.as_ref());
        let mut refused = refused.filter_map(|one| match one {
            Measured::NotAvailable { reason, remedy } => Some((reason.clone(), remedy.clone())),
            Measured::Value(_) => None,
        });
        return Some(refused.next_back().map_or_else(failed, |(reason, remedy)| {
            Measured::not_available(reason, remedy)
        }));
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
    let typical = |slots: &[RawSlot], variant| {
        let own = slots.iter().filter(|slot| slot.variant == variant);
        median(own.filter_map(|slot| slot.value_ns))
    };
    let ratio = |variant| Some(typical(slots, variant)? / typical(timed, variant)?);
    Some([ratio(0)?, ratio(subject)?])
}

#[cfg(test)]
mod tests;
