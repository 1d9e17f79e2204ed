use super::{Clause, Evidence, MOST, Part, Reason, Side, Weight};
use crate::data::number::{count, time};
use crate::data::words::plural;

const FAR: f64 = 2.0;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let (share, _) = proven(evidence)?;
    let (slow, fast) = evidence.slow_and_fast()?;
    Some(Clause {
        share,
        part: Part::Making,
        text: said(slow, fast),
    })
}

/// `processes create 200 flows, threads 2`.
fn said(slow: Side<'_>, fast: Side<'_>) -> String {
    let [many, few] = [slow, fast].map(|side| count(side.profile.made as u64));
    let [slow_ones, fast_ones] = [slow, fast].map(|side| plural(side.label));
    let (verb, flows) = (verb(slow), flows(&[slow, fast]));
    format!("{slow_ones} {verb} {many} {flows}, {fast_ones} {few}")
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

/// The share of the difference, and what each further flow takes in ns, where they are its cause.
fn proven(evidence: &Evidence<'_>) -> Option<(f64, f64)> {
    let (making_ns, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let (many, few) = (slow.profile.made, fast.profile.made);
    let proven = share >= MOST && making_ns > 0.0 && many >= (few * FAR).max(few + 2.0);
    proven.then(|| (share.min(1.0), making_ns / (many - few)))
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (share, each_ns) = proven(evidence)?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let (said, each) = (said(slow, fast), time(each_ns));
    Some(Reason {
        weight: Weight::Cause(share),
        text: format!("{said}: creating and ending takes {each} more for each further one"),
    })
}
