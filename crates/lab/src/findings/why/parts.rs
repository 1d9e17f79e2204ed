//! Where the time of flows goes that say so themselves: computing, communication, waiting.
//!
//! # Theory
//!
//! Ranks of an MPI program and their threads note when they compute and when they communicate; the
//! rest of the steady phase is waiting. The three are means over all flows and add up to the phase,
//! so differences of them are shares of its difference. Where one of them goes the other way, there are
//! no shares, and each is said for itself.

use super::{Clause, Evidence, Reason, Weight};
use crate::data::Metric;
use crate::data::number::time;
use crate::findings::profile::Parts;

/// Name, and ns of the slower and the faster side.
type Part = (&'static str, f64, f64);

/// The largest difference first; `None` if a side lacks them.
fn parts(evidence: &Evidence<'_>) -> Option<[Part; 3]> {
    if evidence.metric == Metric::Create {
        return None;
    }
    let (slow, fast) = evidence.slow_and_fast()?;
    let (slow, fast): (Parts, Parts) = (slow.profile.parts?, fast.profile.parts?);
    let mut all = [
        ("computing", slow.compute_ns, fast.compute_ns),
        (
            "communication",
            slow.communication_ns,
            fast.communication_ns,
        ),
        ("waiting", slow.waiting_ns, fast.waiting_ns),
    ];
    all.sort_by(|a, b| (b.1 - b.2).total_cmp(&(a.1 - a.2)));
    Some(all)
}

/// And the largest part's share.
fn largest(parts: &[Part; 3]) -> Option<(f64, f64)> {
    let whole: f64 = parts.iter().map(|(_, slow, fast)| slow - fast).sum();
    let (_, slow, fast) = parts[0];
    (whole > 0.0).then(|| (whole, (slow - fast) / whole))
}

/// Where one part is most of the difference.
pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let parts = parts(evidence)?;
    let (_, share) = largest(&parts)?;
    let name = parts[0].0;
    Some((
        share.min(1.0),
        match share < 0.995 {
            true => format!("{:.0} % of the gap is {name}", 100.0 * share),
            false => format!("all of the gap is {name}"),
        },
    ))
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let parts = parts(evidence)?;
    let (whole, share) = largest(&parts)?;
    let has_shares = share <= 1.0 && parts.iter().all(|(_, slow, fast)| slow >= fast);
    let said = parts.map(|(name, slow, fast)| {
        let both = format!("{} against {}", time(slow), time(fast));
        match has_shares {
            true => format!("{:.0} % {name} ({both})", 100.0 * (slow - fast) / whole),
            false => format!("{name} takes {both}"),
        }
    });
    let (slow, _) = evidence.slow_and_fast()?;
    let said = said.join(", ");
    Some(Reason {
        weight: Weight::Whole,
        text: match has_shares {
            true => format!(
                "of {} more in a repetition of {}, {said}",
                time(whole),
                slow.label
            ),
            false => format!("in a repetition of {}, {said}", slow.label),
        },
    })
}
