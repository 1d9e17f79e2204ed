//! CPU time, where wall time cannot decide.
//!
//! # Theory
//!
//! On a busy machine wall time is mostly waiting for a CPU, and its noise is that of the other programs. The CPU
//! time of the same rounds has a tenth of it: under load 8 to 25 wall time decided 7 of 20 planted differences of 3 and
//! 10 %, and CPU time all of them. So where the rounds leave wall time open, the same rounds are asked for CPU time, and
//! what they say of it is said as CPU time: it is the cost of the work, and not how long somebody waits for it.
//!
//! **Level.** It is a second question of the same rounds, asked only at their end and only where the first has no
//! answer. It gets 1/[`SHARE`] of the level of one look, which comes on top of the 5 %: all answers together are false
//! in at most 5 % + 0.8 %.
//!
//! Only of a time that is the whole (CPU time has no other parts), and of requests, where it is that of each.

use stats::Verdict;

use super::quantity::{Compared, Kind, QuantityFinding, SlotValues};
use crate::data::Metric;

/// What part of the level of a look CPU time has, as a divisor.
const SHARE: usize = 2;

/// What CPU time says of a pair that wall time leaves open; `None` where it does not decide either.
pub(super) fn decides(
    slot_values: &SlotValues<'_>,
    (metric, verdict): (Metric, Verdict),
    pair: Compared,
) -> Option<QuantityFinding> {
    let kind = match metric {
        Metric::Total => Kind::Cpu,
        Metric::Request | Metric::P99 => Kind::CpuRequest,
        _ => return None,
    };
    let strict = Compared {
        comparisons: SHARE * pair.comparisons,
        ..pair
    };
    let found = slot_values
        .one(kind, strict)
        .filter(|_| !verdict.is_decided())?;
    found.verdict.is_decided().then_some(found)
}
