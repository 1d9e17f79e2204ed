//! What a variant's good slots have in common: medians over repetitions, of phases over slots.

use flow::{FlowRecord, Rep, SlotRecord, Variant};
use measure::memory::{Memory, Reading};
use measure::usage::Usage;
use serde::{Deserialize, Serialize};

use super::counts;
use super::counts::{Counts, Span};
use crate::data::{median, number};

const FLOWS: usize = 64;

/// Times of the three phases, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Create.
    pub create_ns: f64,
    /// Steady.
    pub steady_ns: f64,
    /// Tear-down.
    pub teardown_ns: f64,
}

impl Phases {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.create_ns + self.steady_ns + self.teardown_ns
    }
}

/// Of one repetition, for reasons. Times in ns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile {
    pub(crate) variant: Variant,
    pub(crate) phases: Phases,
    pub(crate) create: Counts,
    pub(crate) steady: Counts,
    pub(crate) all: Counts,
    pub(crate) parent_end_ns: f64,
    /// Latest end of a flow over the mean end.
    pub(crate) imbalance: f64,
    pub(crate) memory: Option<Memory>,
    pub(crate) made: f64,
    /// Flows are made while others work: phases are sums over flows, not parts of the time.
    pub(crate) overlap: bool,
    pub(crate) parts: Option<Parts>,
}

/// Names and ns; they add up to the steady phase.
pub(crate) type Parts = [(&'static str, f64); 3];

pub(crate) fn profile(variant: &Variant, records: &[&SlotRecord]) -> Option<Profile> {
    let reps: Vec<&Rep> = reps(records).collect();
    let over = |what: fn(&Rep) -> f64| median(reps.iter().map(|rep| what(rep)));
    let typical = |what: fn(&Rep) -> f64| {
        let of_slot = |record: &&SlotRecord| median(record.reps.iter().map(what));
        median(records.iter().filter_map(of_slot))
    };
    Some(Profile {
        variant: variant.clone(),
        phases: Phases {
            create_ns: typical(|rep| rep.create_ns as f64)?,
            steady_ns: typical(|rep| rep.steady_ns as f64)?,
            teardown_ns: typical(|rep| rep.teardown_ns as f64)?,
        },
        create: counts::of(&reps, Span::Create)?,
        steady: counts::of(&reps, Span::Steady)?,
        all: counts::of(&reps, Span::All)?,
        parent_end_ns: over(|rep| rep.parent.end_ns as f64)?,
        imbalance: over(|rep| latest_over_mean(&rep.flows))?,
        memory: memory(records),
        made: match over(|rep| {
            rep.self_managed
                .as_ref()
                .map_or(f64::NAN, |own| own.made as f64)
        })? {
            told if told.is_nan() => variant.carriers().into(),
            told => told,
        },
        overlap: reps
            .iter()
            .filter_map(|rep| rep.self_managed.as_ref())
            .any(|own| own.made > own.most),
        parts: parts(&reps).or_else(|| of_one_thread(records, &reps)),
    })
}

/// What flows of ranks do, and under which name that is counted.
pub(crate) const PARTS: [(&str, &str); 3] = [
    ("computing", "compute_ns"),
    ("communication", "communication_ns"),
    ("waiting", "waiting_ns"),
];

fn parts(reps: &[&Rep]) -> Option<Parts> {
    let over = |name: &str| {
        let own = reps.iter().filter_map(|rep| rep.self_managed.as_ref());
        median(own.filter_map(|own| own.counts.get(name).map(|ns| *ns as f64)))
    };
    let [a, b, c] = PARTS.map(|(part, count)| over(count).map(|ns| (part, ns)));
    Some([a?, b?, c?])
}

/// The part of a command's time in which it waits, for a CPU too.
pub(crate) const WITHOUT_CPU: &str = "time without a CPU";

/// Of a command that was seen, and never with a second thread.
fn of_one_thread(records: &[&SlotRecord], reps: &[&Rep]) -> Option<Parts> {
    let own = || reps.iter().filter_map(|rep| rep.self_managed.as_ref());
    let beside = own().filter_map(|own| own.counts.get("tasks").copied());
    let alone = records.iter().filter_map(|record| record.memory.tasks());
    if beside.chain(alone).max() != Some(1) || own().any(|own| own.most > 1) {
        return None;
    }
    let parts = |rep: &&Rep| -> Option<[f64; 3]> {
        let own = rep.self_managed.as_ref()?;
        let (user, kernel) = (own.user_ns as f64, own.system_ns as f64);
        Some([user, kernel, rep.total_ns() as f64 - user - kernel])
    };
    let all: Vec<[f64; 3]> = reps.iter().filter_map(parts).collect();
    let over = |at: usize| median(all.iter().map(|parts| parts[at]));
    Some([
        ("CPU time in user mode", over(0)?),
        ("CPU time in the kernel", over(1)?),
        (WITHOUT_CPU, over(2)?),
    ])
}

pub(crate) fn reps<'a>(records: &'a [&SlotRecord]) -> impl Iterator<Item = &'a Rep> + Clone {
    records.iter().flat_map(|record| &record.reps)
}

fn latest_over_mean(flows: &[FlowRecord]) -> f64 {
    let ends = || flows.iter().map(|flow| flow.end_ns as f64);
    let mean = ends().sum::<f64>() / flows.len().max(1) as f64;
    if mean > 0.0 {
        ends().fold(0.0, f64::max) / mean
    } else {
        1.0
    }
}

pub(crate) fn memory(records: &[&SlotRecord]) -> Option<Memory> {
    let honest = |record: &&SlotRecord| match &record.memory {
        Reading::Honest(memory) => Some(*memory),
        Reading::RssOnly { .. } => None,
    };
    let mut all: Vec<Memory> = records.iter().filter_map(honest).collect();
    all.sort_by_key(Memory::total);
    all.get(all.len().saturating_sub(1) / 2).copied()
}

pub(crate) fn memory_not_available(records: &[&SlotRecord]) -> Option<String> {
    records.iter().find_map(|record| match &record.memory {
        Reading::Honest(_) => None,
        Reading::RssOnly {
            rss,
            reason,
            remedy,
        } => Some(format!(
            "RSS alone, {}: {reason} ({remedy})",
            number::bytes(*rss as f64)
        )),
    })
}

/// Ids and proof are those of the first repetition.
pub(crate) fn flow_medians(records: &[&SlotRecord]) -> Vec<FlowRecord> {
    let Some(first) = reps(records).next() else {
        return Vec::new();
    };
    let flows = first.flows.iter().enumerate().take(FLOWS);
    flows
        .map(|(i, first)| {
            let same: Vec<&FlowRecord> = reps(records).filter_map(|rep| rep.flows.get(i)).collect();
            flow_median(first, &same)
        })
        .collect()
}

fn flow_median(first: &FlowRecord, same: &[&FlowRecord]) -> FlowRecord {
    let over = |what: fn(&FlowRecord) -> u64| whole(same.iter().map(|flow| what(flow)));
    FlowRecord {
        start_ns: over(|flow| flow.start_ns),
        end_ns: over(|flow| flow.end_ns),
        create: usage_median(same, |flow| flow.create),
        steady: usage_median(same, |flow| flow.steady),
        units: over(|flow| flow.units),
        sent: over(|flow| flow.sent),
        ..first.clone()
    }
}

fn usage_median(same: &[&FlowRecord], usage: fn(&FlowRecord) -> Usage) -> Usage {
    let of = |place| whole(same.iter().map(|flow| usage(flow).words()[place]));
    Usage::of_words(std::array::from_fn(of))
}

fn whole(values: impl Iterator<Item = u64>) -> u64 {
    median(values.map(|value| value as f64))
        .unwrap_or(0.0)
        .round() as u64
}
