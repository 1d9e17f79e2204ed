//! What a study of scaling found: throughput by flows, threads over processes, and their pages.
//!
//! * **Throughput**: what a repetition does over the typical time of its steady phase.
//! * **Against one flow** (or pair) of the first variant: two cases, not launched in turn, so the
//!   interval is that of two samples ([`stats::two_runs`]) at 95 %, and drift moves it.
//! * **Threads over processes**, the source's figure: one case's finding, turned to throughput.
//! * **Misses of the data TLB**, where counted: the source's explanation.
//! * **Pages** of the slot in the middle by how many small pages its flows have together.

mod points;
mod sentences;

use flow::Model;
use flow::SlotRecord;
use flow::record::footprint::Footprint;
use machine::Machine;
use measure::Measured;
use measure::counters::Event;
use stats::{RUNS_ALPHA, two_runs};

use super::counted::EventMedians;
use super::simulated::Count;
use super::{CaseResult, Finding, VariantSummary};
use crate::data::{Topology, along, base};

pub use points::{Ratio, Scaling, ScalingPoint, Throughput};
pub(super) use sentences::{answer, sentences};

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
                allocates: case.case.work.allocates(),
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
    along: Topology,
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
        dtlb_misses: dtlb_misses(case),
    })
}

fn dtlb_misses(case: &CaseResult) -> Measured<f64> {
    let simulated = Count::Dtlb.name();
    let simulated = case
        .label_of(Model::Thread)
        .and_then(|label| case.contrast(simulated, label));
    if let Some(found) = simulated {
        return found.contrast.as_ref().map(|contrast| contrast.estimate);
    }
    let of = |model| {
        let variant = case.summary(case.label_of(model)?)?;
        variant.counted.as_ref()?.of(Event::DtlbMisses)
    };
    let (Some(threads), Some(processes)) = (of(Model::Thread), of(Model::Process)) else {
        return Measured::not_available("not counted", "--events dtlb-misses");
    };
    let processes = processes.as_ref();
    threads
        .as_ref()
        .and_then(|threads| processes.and_then(|processes| over(threads, processes)))
}

fn over(threads: &EventMedians, processes: &EventMedians) -> Measured<f64> {
    if threads.scope != processes.scope {
        return Measured::not_available("counted in the kernel too on one side alone", "");
    }
    match processes.scaled > 0.0 {
        true => Measured::Value(threads.scaled / processes.scaled),
        false => Measured::not_available("processes had none", ""),
    }
}

/// The finding of threads against processes, where they are what is compared.
#[must_use]
pub fn threads_over_processes(case: &CaseResult) -> Option<&Finding> {
    case.finding(
        case.label_of(Model::Thread)?,
        case.label_of(Model::Process)?,
    )
}

fn one_flow<'a>(cases: &'a [CaseResult], workload: &str, way: Topology) -> Option<&'a CaseResult> {
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
        model: Some(variant.model),
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

fn values(case: &CaseResult, place: usize) -> Vec<f64> {
    case.slots_of(place)
        .filter_map(|slot| slot.value_ns)
        .collect()
}

fn memory(summary: &VariantSummary) -> Measured<u64> {
    match (&summary.memory, &summary.memory_not_available) {
        (Some(memory), _) => Measured::Value(memory.total()),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("no good slot");
            Measured::not_available(reason, "")
        }
    }
}

fn footprint(case: &CaseResult, place: usize) -> Option<Measured<Footprint>> {
    let own = case.slots_of(place).filter(|slot| slot.value_ns.is_some());
    let records: Vec<&SlotRecord> = own.filter_map(|slot| slot.outcome.answer.done()).collect();
    let told = records.iter().flat_map(|record| &record.reps);
    let told: Vec<&Measured<Footprint>> = told
        .filter_map(|rep| rep.kernel_counters.as_ref()?.footprint.as_ref())
        .collect();
    let mut known: Vec<&Footprint> = told.iter().filter_map(|one| one.value()).collect();
    known.sort_by_key(|one| one.all.small);
    match known.get(known.len().saturating_sub(1) / 2) {
        Some(middle) => Some(Measured::Value((*middle).clone())),
        None => told.first().map(|one| (*one).clone()),
    }
}

#[cfg(test)]
mod tests;
