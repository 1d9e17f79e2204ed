//! What a study of scaling found: throughput against the number of flows, threads over
//! processes, and on which pages the flows worked.
//!
//! # Theory
//!
//! * **Throughput** is what a repetition does over the typical time of its steady phase.
//! * **Against one flow**: throughput over that of one flow (of one pair where flows come in
//!   pairs) of the reference, the first variant. 2.0 with two flows is all that there is to
//!   win. The two numbers of flows are two cases, whose slots were not launched in turn, so the
//!   interval is that of two samples ([`stats::two_runs`]) at 95 %. A machine that drifts from
//!   one case to the next moves it; nothing in it knows of that.
//! * **Threads over processes** is the source's figure. Both sides are of one case, in which
//!   only the model differs and rounds are in random order: it is the finding of that case,
//!   turned around from time to throughput.
//! * **Pages** are those of the slot that is in the middle by how many small pages its flows
//!   have together.

use flow::SlotRecord;
use flow::record::footprint::Footprint;
use machine::Machine;
use measure::Measured;
use serde::{Deserialize, Serialize};
use stats::{Estimate, RUNS_ALPHA, two_runs};

use super::{CaseResult, Finding, VariantSummary};
use crate::number::{factor_interval, ratio_interval};
use crate::scaling::{Along, along, base};
use crate::words::plural;

/// One work along one way through the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The work: what the names of its cases begin with.
    pub workload: String,
    /// The way.
    pub along: Along,
    /// CPUs on which flows do not have to take turns.
    pub room: u32,
    /// What is counted (`transactions`).
    pub counted: String,
    /// Flows that throughput is set against: 2 where flows come in pairs.
    pub one: u32,
    /// One entry a number of flows, ascending.
    pub points: Vec<ScalingPoint>,
}

/// One number of flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// How many.
    pub flows: u32,
    /// The case by its name.
    pub case: String,
    /// One entry a variant that has a good slot, in the case's order.
    pub variants: Vec<Throughput>,
    /// Throughput of one process with so many threads over that of so many processes.
    pub threads_over_processes: Option<Ratio>,
}

/// The throughput of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Its label.
    pub label: String,
    /// Its processes.
    pub processes: u32,
    /// Threads in each of them.
    pub threads: u32,
    /// How many a second.
    pub per_s: f64,
    /// Over that of one flow of the reference.
    pub over_one: Option<Ratio>,
    /// Honest memory in bytes; with the reason where there is none.
    pub memory: Measured<u64>,
    /// Pages; `None` where the work cannot tell.
    pub footprint: Option<Measured<Footprint>>,
}

/// A ratio of throughputs with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Above 1 where the first is faster.
    pub ratio: f64,
    /// Ends of the interval; `None` for too few slots.
    pub interval: Option<[f64; 2]>,
}

impl Ratio {
    /// Of times, subject over reference, turned into throughput. `work` is how many times as
    /// much the subject does.
    fn of_times(times: &Estimate, work: f64) -> Self {
        Self {
            ratio: work / times.ratio,
            interval: times
                .interval()
                .map(|(low, high)| [work / high, work / low]),
        }
    }

    /// `[0.985 ... 1.034]`, rounded outwards; empty without an interval.
    #[must_use]
    pub fn ends(&self) -> String {
        self.interval
            .map_or_else(String::new, |[low, high]| ratio_interval(low, high))
    }
}

/// What is found of all works along all ways, in the order of running.
pub(super) fn scaling(cases: &[CaseResult], machine: &Machine) -> Vec<Scaling> {
    let mut all: Vec<Scaling> = Vec::new();
    for case in cases {
        let (Some(along), Some(scaled)) = (along(&case.case), case.case.work.scaled()) else {
            continue;
        };
        let workload = base(&case.case);
        let Some(point) = point(cases, case, workload, along) else {
            continue;
        };
        let known = all
            .iter_mut()
            .find(|one| one.workload == workload && one.along == along);
        match known {
            Some(one) => one.points.push(point),
            None => all.push(Scaling {
                workload: workload.to_owned(),
                along,
                room: along.room(machine),
                counted: scaled.counted.to_owned(),
                one: scaled.flows_each,
                points: vec![point],
            }),
        }
    }
    for one in &mut all {
        one.points.sort_by_key(|point| point.flows);
    }
    all
}

fn point(
    cases: &[CaseResult],
    case: &CaseResult,
    workload: &str,
    along: Along,
) -> Option<ScalingPoint> {
    let flows = case.case.variants.first()?.variant.flows;
    let one = one_flow(cases, workload, along);
    let variants = (0..case.variants.len()).filter_map(|place| throughput(case, place, one));
    let variants: Vec<Throughput> = variants.collect();
    (!variants.is_empty()).then(|| ScalingPoint {
        flows,
        case: case.case.name.clone(),
        variants,
        threads_over_processes: threads_over_processes(case)
            .and_then(|finding| finding.estimate.as_ref())
            .map(|times| Ratio::of_times(times, 1.0)),
    })
}

/// The finding of threads against processes, where they are what is compared.
pub(crate) fn threads_over_processes(case: &CaseResult) -> Option<&Finding> {
    let mut findings = case.findings.iter();
    findings.find(|finding| finding.subject == "thread" && finding.reference == "process")
}

/// The case of a work with as few flows as it can have: along the same way, or another one.
fn one_flow<'a>(cases: &'a [CaseResult], workload: &str, way: Along) -> Option<&'a CaseResult> {
    let least = |case: &&CaseResult| {
        let flows = case.case.variants.first().map(|first| first.variant.flows);
        let scaled = case.case.work.scaled();
        base(&case.case) == workload && flows == scaled.map(|scaled| scaled.flows_each)
    };
    let along_way = |case: &&CaseResult| along(&case.case) == Some(way);
    let mut own = cases.iter().filter(least);
    own.clone().find(along_way).or_else(|| own.next())
}

fn throughput(case: &CaseResult, place: usize, one: Option<&CaseResult>) -> Option<Throughput> {
    let variant = &case.case.variants[place].variant;
    let summary = &case.variants[place];
    let shape = variant.model.shape(variant.flows);
    let amount = case.case.work.scaled()?.amount as f64;
    let typical_ns = summary.value?.typical;
    Some(Throughput {
        label: summary.label.clone(),
        processes: shape.processes.max(1),
        threads: shape.flows_in_each,
        per_s: amount * 1e9 / typical_ns,
        over_one: one.and_then(|one| over_one(case, place, one)),
        memory: memory(summary),
        footprint: footprint(case, place),
    })
}

fn over_one(case: &CaseResult, place: usize, one: &CaseResult) -> Option<Ratio> {
    if place == 0 && case.case.name == one.case.name {
        let itself = Ratio {
            ratio: 1.0,
            interval: None,
        };
        return Some(itself);
    }
    let times = two_runs(&values(one, 0), &values(case, place), RUNS_ALPHA).ok()?;
    let (more, once) = (case.case.work.scaled()?, one.case.work.scaled()?);
    Some(Ratio::of_times(
        &times,
        more.amount as f64 / once.amount as f64,
    ))
}

/// The values of the good slots of a variant.
fn values(case: &CaseResult, place: usize) -> Vec<f64> {
    let own = case.slots.iter().filter(|slot| slot.variant == place);
    own.filter_map(|slot| slot.value_ns).collect()
}

fn memory(summary: &VariantSummary) -> Measured<u64> {
    match (&summary.memory, &summary.memory_not_available) {
        (Some(memory), _) => Measured::Value(memory.honest()),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("no good slot");
            Measured::not_available(reason, "")
        }
    }
}

/// The footprint in the middle, or the first reason why there is none.
fn footprint(case: &CaseResult, place: usize) -> Option<Measured<Footprint>> {
    let own = case
        .slots
        .iter()
        .filter(|slot| slot.variant == place && slot.value_ns.is_some());
    let records: Vec<&SlotRecord> = own.filter_map(|slot| slot.outcome.answer.done()).collect();
    let told = records.iter().flat_map(|record| &record.reps);
    let told: Vec<&Measured<Footprint>> = told
        .filter_map(|rep| rep.told.as_ref()?.footprint.as_ref())
        .collect();
    let mut known: Vec<&Footprint> = told.iter().filter_map(|one| one.value()).collect();
    known.sort_by_key(|one| one.all.small);
    match known.get(known.len().saturating_sub(1) / 2) {
        Some(middle) => Some(Measured::Value((*middle).clone())),
        None => told.first().map(|one| (*one).clone()),
    }
}

/// The answer: each work at its largest number of flows along cores, or along whatever there
/// is.
pub(super) fn answer(all: &[Scaling], cases: &[CaseResult]) -> Option<String> {
    let mut works: Vec<&str> = Vec::new();
    for one in all {
        if !works.contains(&one.workload.as_str()) {
            works.push(&one.workload);
        }
    }
    let said = works.iter().filter_map(|work| {
        let own = || all.iter().filter(|one| one.workload == *work);
        let way = own()
            .find(|one| one.along == Along::Cores)
            .or(own().next())?;
        let several = || way.points.iter().filter(|point| point.flows > 1);
        let fits = |point: &&ScalingPoint| point.flows <= way.room;
        let point = several().rfind(fits).or(several().next_back())?;
        let case = cases.iter().find(|case| case.case.name == point.case)?;
        let finding = threads_over_processes(case).or(case.findings.first())?;
        let (flows, spoken) = (point.flows, way.along.spoken());
        Some(format!(
            "{work} with {flows} flows {spoken}: {}",
            finding.sentence
        ))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// What each work gains from more flows, and whether cores work on each other's pages.
pub(super) fn sentences(all: &[Scaling]) -> Vec<String> {
    let gains = all.iter().filter_map(gain);
    let beyond = all.iter().filter_map(beyond);
    gains
        .chain(beyond)
        .chain(all.iter().filter_map(pages))
        .collect()
}

/// `warehouse along cores: 2 threads do 1.92x of one flow [1.88 ... 1.97], 2 processes ...`.
fn gain(one: &Scaling) -> Option<String> {
    let fits = |point: &&ScalingPoint| (one.one + 1..=one.room).contains(&point.flows);
    let last = one.points.iter().rfind(fits)?;
    let said: Vec<String> = last
        .variants
        .iter()
        .filter_map(|variant| {
            let ratio = variant.over_one?;
            let interval = ratio
                .interval
                .map(|[low, high]| factor_interval(2.0, low, high));
            let interval = interval.map_or_else(String::new, |ends| format!(" {ends}"));
            Some(format!(
                "{} {:.2}x{interval}",
                plural(&variant.label),
                ratio.ratio
            ))
        })
        .collect();
    let unit = if one.one > 1 { "pair" } else { "flow" };
    (!said.is_empty()).then(|| {
        format!(
            "{} {}: {} flows do the work of one {unit} so many times: {}",
            one.workload,
            one.along.spoken(),
            last.flows,
            said.join(", ")
        )
    })
}

/// Numbers of flows for which there are not as many CPUs.
fn beyond(one: &Scaling) -> Option<String> {
    let many: Vec<String> = one
        .points
        .iter()
        .filter(|point| point.flows > one.room)
        .map(|point| point.flows.to_string())
        .collect();
    let (cpus, so) = match one.along {
        Along::Smt => (
            "hardware threads of a core",
            "the others are on the next cores, if there are any",
        ),
        Along::Cores => ("cores", "they take turns"),
        Along::All => ("hardware threads", "they take turns"),
    };
    (!many.is_empty()).then(|| {
        format!(
            "{} {}: {} flows are more than the {} {cpus}: {so}",
            one.workload,
            one.along.spoken(),
            many.join(", "),
            one.room
        )
    })
}

/// Of threads, whether cores work on the same pages: the source's reason.
fn pages(one: &Scaling) -> Option<String> {
    let last = one.points.iter().rfind(|point| point.flows > 1)?;
    let threads = last
        .variants
        .iter()
        .find(|variant| variant.label == "thread")?;
    let footprint = threads.footprint.as_ref()?.value()?;
    let shared = footprint.by_flows.value()?;
    let all = footprint.all;
    Some(format!(
        "{} {}: of the {} pages that {} threads work on, {} are worked on by more than one of \
         them, and of the {} ranges of 2 MiB {}",
        one.workload,
        one.along.spoken(),
        crate::number::count(all.small),
        last.flows,
        crate::number::count(shared.small),
        crate::number::count(all.huge),
        crate::number::count(shared.huge)
    ))
}

#[cfg(test)]
#[path = "scaling_tests.rs"]
mod tests;
