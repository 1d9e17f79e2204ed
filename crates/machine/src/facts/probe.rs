//! What was found by trying.

use measure::Measured;

use super::words::binary;
use super::{Fact, fact};
use crate::probe::{Latency, Probe, Reach};

pub(super) fn facts(probe: &Probe) -> Vec<Fact> {
    let mut facts = Vec::new();
    match &probe.latencies {
        Measured::Value(all) => facts.extend(all.iter().map(latency)),
        none => facts.push(fact("time to answer", none.as_ref().map(|_| ""), "")),
    }
    match &probe.reach {
        Measured::Value(reach) => facts.extend(reach_facts(reach)),
        none => facts.push(fact("reach of the TLB", none.as_ref().map(|_| ""), "")),
    }
    facts
}

fn latency(latency: &Latency) -> Fact {
    let over = format!("over {} of {}", binary(latency.bytes), latency.pages);
    fact(latency.to_string(), format!("{:.1} ns", latency.ns), over)
}

fn reach_facts(reach: &Reach) -> Vec<Fact> {
    let most = reach.points.last().map_or(0, |point| point.pages);
    let mut facts = vec![match (reach.small_pages(), reach.miss_ns()) {
        (Some(pages), Some(ns)) => fact(
            "reach of the TLB",
            format!("{pages} pages of 4 KiB ({})", binary(pages * 4096)),
            format!(
                "beyond, a load from another page costs up to {ns:.1} ns more than in huge pages"
            ),
        ),
        _ => fact(
            "reach of the TLB",
            format!("huge pages gain nothing up to {most} pages of 4 KiB"),
            "as where the host of a virtual machine maps it by small pages",
        ),
    }];
    facts.extend(reach.points.iter().map(|point| {
        fact(
            format!("{} pages", point.pages),
            format!(
                "{:.1} ns in 4 KiB pages, {:.1} ns in 2 MiB pages",
                point.small_ns, point.huge_ns
            ),
            "",
        )
    }));
    facts
}
