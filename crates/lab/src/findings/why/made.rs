use super::{Clause, Evidence, MOST, Part, Reason, Side, Weight};
use crate::data::number::{count, time};
use crate::data::words::plural;

const FAR: f64 = 2.0;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let Weight::Cause(share) = rule(evidence)?.weight else {
        return None;
    };
    let (slow, fast) = evidence.slow_and_fast()?;
    let [many, few] = [slow, fast].map(|side| count(side.profile.made as u64));
    let flows = flows(&[slow, fast]);
    Some(Clause {
        share,
        part: Part::Making,
        text: format!(
            "{} {} {many} {flows}, {} {few}",
            plural(slow.label),
            verb(slow),
            plural(fast.label)
        ),
    })
}

fn verb(side: Side<'_>) -> &'static str {
    match plural(side.label) == side.label {
        true => "creates",
        false => "create",
    }
}

/// Of user-level flows the kernel sees only carriers.
fn flows(sides: &[Side<'_>]) -> &'static str {
    let of_kernel = |side: &Side<'_>| side.profile.variant.carriers() < side.profile.variant.flows;
    match sides.iter().any(of_kernel) {
        true => "kernel flows",
        false => "flows",
    }
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (making_ns, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let (many, few) = (slow.profile.made, fast.profile.made);
    if share < MOST || making_ns <= 0.0 || many < (few * FAR).max(few + 2.0) {
        return None;
    }
    Some(Reason {
        weight: Weight::Cause(share.min(1.0)),
        text: format!(
            "{} {} {} {}, {} {}: creating and ending takes {} more for each further one",
            plural(slow.label),
            verb(slow),
            count(many as u64),
            flows(&[slow, fast]),
            plural(fast.label),
            count(few as u64),
            time(making_ns / (many - few))
        ),
    })
}
