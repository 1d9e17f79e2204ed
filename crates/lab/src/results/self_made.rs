//! What the flows used that work made by itself, and what a study of such work says.
//!
//! # Theory
//!
//! Work that makes its own flows tells for each repetition what they used together, with user
//! and system time apart, how many there were, and what it counted. In some rounds there was
//! one more repetition with timers in it, which tell where the time of the flows went. Those
//! repetitions count nowhere else; how much longer they took than the ones beside them is what
//! the timers cost, and is given with them.
//!
//! Most kernels split CPU time into user and system time by looking at each tick, some 4 ms
//! apart, so that one short repetition has all of it in one of the two. What is split here is
//! the median CPU time, by the shares of all repetitions together.

use std::collections::BTreeMap;

use flow::{Own, Rep, SlotRecord};
use serde::{Deserialize, Serialize};
use stats::Rule;
use workload::{Design, Work};

use super::paired::judged;
use super::profile::reps;
use super::{CaseResult, optimum};
use crate::median::median;
use crate::number::{count, factor, factor_interval, time};
use crate::words::plural;

/// Numbers of flows whose kernel time or waits lie further apart than this are explained by it.
const FAR: f64 = 1.5;
/// Fewer waits apart than this explain nothing.
const HANDFUL: f64 = 20.0;

/// What the flows of a variant used, medians of one repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfMade {
    /// CPU time in user mode, in ns.
    pub user_ns: f64,
    /// CPU time in the kernel, in ns.
    pub system_ns: f64,
    /// CPU time over wall time; 1 = one CPU all the time.
    pub cpu_share: f64,
    /// Flows that were made.
    pub made: f64,
    /// Flows at one time, at the most.
    pub most: f64,
    /// The cap that held flows back, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<f64>,
    /// Repetitions that read from a disk.
    pub from_disk: usize,
    /// Repetitions in all.
    pub reps: usize,
    /// The highest peak of RSS, in bytes.
    pub peak_rss: f64,
    /// What the work counted, by name.
    pub counts: BTreeMap<String, f64>,
    /// Time of all flows by class of work, in ns, as timers told; empty without them.
    pub classes_ns: BTreeMap<String, f64>,
    /// How much longer a repetition took with timers, as a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timers_cost: Option<f64>,
}

/// Of the good slots of a variant; `None` where flows are made by the harness.
pub(super) fn self_made(records: &[&SlotRecord]) -> Option<SelfMade> {
    let own: Vec<(&Rep, &Own)> = reps(records)
        .filter_map(|rep| Some((rep, rep.own.as_deref()?)))
        .collect();
    let over = |what: fn(&Own) -> u64| median(own.iter().map(|(_, own)| what(own) as f64));
    let share = |(rep, own): &(&Rep, &Own)| {
        (own.user_ns + own.system_ns) as f64 / rep.total_ns().max(1) as f64
    };
    let timed = || records.iter().filter_map(|record| record.timed.as_deref());
    let classes = timed().filter_map(|rep| Some(&rep.own.as_ref()?.classes_ns));
    let cpu_ns = over(|own| own.user_ns + own.system_ns)?;
    let sum = |what: fn(&Own) -> u64| own.iter().map(|(_, own)| what(own)).sum::<u64>() as f64;
    let user_share = sum(|own| own.user_ns) / sum(|own| own.user_ns + own.system_ns).max(1.0);
    Some(SelfMade {
        user_ns: user_share * cpu_ns,
        system_ns: (1.0 - user_share) * cpu_ns,
        cpu_share: median(own.iter().map(share))?,
        made: over(|own| own.made)?,
        most: over(|own| own.most)?,
        held_at: median(own.iter().filter_map(|(_, own)| Some(own.held_at? as f64))),
        from_disk: own.iter().filter(|(_, own)| own.disk_blocks > 0).count(),
        reps: own.len(),
        peak_rss: own.iter().map(|(_, own)| own.peak_rss).max()? as f64,
        counts: by_name(own.iter().map(|(_, own)| &own.counts)),
        classes_ns: by_name(classes),
        timers_cost: median(records.iter().filter_map(|record| cost(record))),
    })
}

/// Medians of what has the same name.
fn by_name<'a>(maps: impl Iterator<Item = &'a BTreeMap<String, u64>>) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in maps.flatten() {
        all.entry(name).or_default().push(*value as f64);
    }
    let medians = all.into_iter();
    medians
        .filter_map(|(name, values)| Some((name.to_owned(), median(values)?)))
        .collect()
}

fn cost(record: &SlotRecord) -> Option<f64> {
    let timed = record.timed.as_deref()?.total_ns() as f64;
    let plain = median(record.reps.iter().map(|rep| rep.total_ns() as f64))?;
    (plain > 0.0).then(|| timed / plain - 1.0)
}

/// What a study of such work says beyond its findings.
pub(super) fn sentences(cases: &[CaseResult]) -> Vec<String> {
    let own = || cases.iter().filter(|case| case.case.work.makes_own_flows());
    let mut said: Vec<String> = own().flat_map(flows_each).collect();
    for case in own() {
        if let Some(sentence) = optimum::sentence(case) {
            said.push(sentence);
            said.extend(crowd(case));
        }
    }
    said.extend(own().filter_map(held));
    said.extend(own().filter_map(not_warm));
    said.extend(own().filter_map(not_read));
    said
}

/// Each flow for each file or folder against a pool of few of the same model.
fn flows_each(case: &CaseResult) -> Vec<String> {
    let variants = &case.case.variants;
    let design = |at: usize| match case.case.work_of(at) {
        Work::Search(search) => Some(search.design),
        _ => None,
    };
    let all = 0..variants.len();
    let each = all
        .clone()
        .filter(|&at| matches!(design(at), Some(Design::PerFile | Design::PerFolder)));
    let pairs = each.filter_map(|each| {
        let model = variants[each].variant.model;
        let mut pools = all.clone().filter(|&at| design(at) == Some(Design::Pool));
        let pool = pools.find(|&at| variants[at].variant.model == model)?;
        flow_each(case, each, pool)
    });
    pairs.collect()
}

fn flow_each(case: &CaseResult, each: usize, pool: usize) -> Option<String> {
    let floor = case.findings.first().map_or(0.0, |finding| finding.floor);
    let rule = Rule {
        floor,
        comparisons: 2,
    };
    let (estimate, _) = judged(&case.slots, pool, each, rule)?;
    let (low, high) = estimate.interval()?;
    let [each, pool] = [each, pool].map(|at| &case.variants[at]);
    let [made, few] = [each, pool].map(|variant| variant.self_made.as_ref());
    Some(format!(
        "{}: {} takes {} as long as {} {}: {} flows are made, not {}",
        case.case.name,
        each.label,
        factor(estimate.ratio),
        pool.label,
        factor_interval(estimate.ratio, low, high),
        count(made?.made as u64),
        count(few?.made as u64)
    ))
}

/// Why more flows of a case take longer, where the kernel's time or their waits show it.
fn crowd(case: &CaseResult) -> Option<String> {
    let best = case.optimum.as_ref()?;
    let worst = best.worst_above()?;
    if !matches!(worst.verdict, Some(stats::Verdict::Slower { .. })) {
        return None;
    }
    let of = |label: &str| {
        let variant = case
            .variants
            .iter()
            .find(|variant| variant.label == label)?;
        Some((variant.self_made.as_ref()?, variant.counts?))
    };
    let ((few, few_counts), (many, many_counts)) = (of(&best.label)?, of(&worst.label)?);
    let waits = [
        few_counts.voluntary_switches,
        many_counts.voluntary_switches,
    ];
    let mut reasons = Vec::new();
    if many.system_ns > FAR * few.system_ns {
        reasons.push(format!(
            "the kernel takes {} for the same work instead of {}",
            time(many.system_ns),
            time(few.system_ns)
        ));
    }
    if waits[1] > FAR * waits[0] && waits[1] - waits[0] > HANDFUL {
        reasons.push(format!(
            "flows give up their CPU {} times instead of {}",
            count(waits[1] as u64),
            count(waits[0] as u64)
        ));
    }
    let model = plural(&case.case.variants.first()?.variant.model.to_string());
    (!reasons.is_empty()).then(|| {
        format!(
            "{}: with {} {model} {}",
            case.case.name,
            worst.flows,
            reasons.join(", and ")
        )
    })
}

/// Caps that held flows back.
fn held(case: &CaseResult) -> Option<String> {
    let held = case.variants.iter().filter_map(|variant| {
        let own = variant.self_made.as_ref()?;
        // The number of a pool is no cap.
        (own.made > own.most).then_some(())?;
        let at = count(own.held_at? as u64);
        Some(format!(
            "{} was held to {at} flows at one time",
            variant.label
        ))
    });
    let held: Vec<String> = held.collect();
    (!held.is_empty()).then(|| format!("{}: {}", case.case.name, held.join("; ")))
}

/// Whether what should have been in memory was, and what should not was not.
fn not_warm(case: &CaseResult) -> Option<String> {
    let cold = matches!(&case.case.work, Work::Search(search) if search.cold);
    let own = || case.variants.iter().filter_map(|v| v.self_made.as_ref());
    let from_disk: usize = own().map(|own| own.from_disk).sum();
    let all: usize = own().map(|own| own.reps).sum();
    let name = &case.case.name;
    match (cold, from_disk) {
        (true, 0) => Some(format!(
            "{name}: the page cache was emptied before each repetition, yet the kernel counted no \
             read from a disk: the files come from a memory that it does not manage, such as that \
             of a host"
        )),
        (false, 1..) => Some(format!(
            "{name}: {from_disk} of {all} repetitions read from a disk although all had been read \
             before: there is too little memory to keep the tree in it, or something takes it away"
        )),
        _ => None,
    }
}

/// Paths that no variant could read.
fn not_read(case: &CaseResult) -> Option<String> {
    let own = case.variants.iter().find_map(|v| v.self_made.as_ref())?;
    let errors = own.counts.get("errors").copied().unwrap_or(0.0);
    (errors > 0.0).then(|| {
        format!(
            "{}: {} paths could not be read and were searched by no variant",
            case.case.name,
            count(errors as u64)
        )
    })
}
