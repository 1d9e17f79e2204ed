//! Where the time of flows goes. Ranks of an MPI program and their threads note when they compute
//! and communicate, and wait otherwise; of a command of one thread there are CPU time in user mode,
//! in the kernel, and the rest. Means over all flows add up to the steady phase, so their
//! differences are shares of its difference. On a busy machine waits for a CPU go with CPU time, at
//! the faster side's rate. Parts that go opposite ways have no shares.

use super::{Clause, Evidence, Part, Reason, Weight};
use crate::data::Metric;
use crate::data::number::time;
use crate::findings::profile::WITHOUT_CPU;

/// Name, and ns of the slower and the faster side.
type Both = (&'static str, f64, f64);

fn parts(evidence: &Evidence<'_>) -> Option<[Both; 3]> {
    if evidence.metric == Metric::Create {
        return None;
    }
    let (slow, fast) = evidence.slow_and_fast()?;
    let (slow, fast) = (slow.profile.parts?, fast.profile.parts?);
    let alike = slow.iter().zip(&fast).all(|(slow, fast)| slow.0 == fast.0);
    alike.then(|| std::array::from_fn(|at| (slow[at].0, slow[at].1, fast[at].1)))
}

fn in_order(mut parts: [Both; 3]) -> [Both; 3] {
    parts.sort_by(|a, b| (b.1 - b.2).total_cmp(&(a.1 - a.2)));
    parts
}

fn whole(parts: &[Both; 3]) -> f64 {
    parts.iter().map(|(_, slow, fast)| slow - fast).sum()
}

fn with_waits(mut parts: [Both; 3]) -> [Both; 3] {
    if parts[2].0 != WITHOUT_CPU {
        return parts;
    }
    let [user, kernel, waiting] = &mut parts;
    let rate = waiting.2 / (user.2 + kernel.2).max(1.0);
    waiting.1 -= rate * (user.1 + kernel.1);
    waiting.2 -= rate * (user.2 + kernel.2);
    for part in [user, kernel] {
        part.1 *= 1.0 + rate;
        part.2 *= 1.0 + rate;
    }
    parts
}

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let parts = in_order(with_waits(parts(evidence)?));
    let (name, slow, fast) = parts[0];
    let whole = whole(&parts);
    (whole > 0.0).then(|| Clause {
        share: (slow - fast) / whole,
        part: Part::Named(name),
        text: name.to_owned(),
    })
}

pub(super) fn part(evidence: &Evidence<'_>, name: &str) -> Option<(f64, f64)> {
    let parts = with_waits(parts(evidence)?);
    let (_, slow, fast) = parts.iter().find(|part| part.0 == name)?;
    Some((slow - fast, whole(&parts)))
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let parts = in_order(parts(evidence)?);
    let whole = whole(&parts);
    if whole <= 0.0 {
        return None;
    }
    let has_shares = parts.iter().all(|(_, slow, fast)| slow >= fast);
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
