use flow::Model;

use super::{Ratio, Scaling, ScalingPoint, Throughput, threads_over_processes};
use crate::data::gathered::distinct;
use crate::data::number::{count, factor_interval, many};
use crate::data::words::plural;
use crate::data::{Topology, along, base};
use crate::findings::CaseResult;
use crate::findings::phrases::joined;
use crate::findings::served::forms;

/// Each work at its most flows along cores (or all); servers by form; works without results.
pub(in crate::findings) fn answer(all: &[Scaling], cases: &[CaseResult]) -> Option<String> {
    let own = |case: &&CaseResult| along(&case.case).is_some() || has_forms(case);
    let works = distinct(cases.iter().filter(own).map(|case| base(&case.case)));
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        works.into_iter().partition(|work| has_data(work, cases));
    let said = known
        .into_iter()
        .filter_map(|work| along_its_way(work, all, cases).or_else(|| served(work, cases)));
    let without = (!unknown.is_empty()).then(|| format!("no data yet: {}", unknown.join(", ")));
    joined(said.chain(without), "; ")
}

fn has_forms(case: &CaseResult) -> bool {
    case.case.work.scaled().is_some() && !forms(case).is_empty()
}

fn has_data(work: &str, cases: &[CaseResult]) -> bool {
    let mut own = cases.iter().filter(|case| base(&case.case) == work);
    own.any(|case| case.variants.iter().any(|variant| variant.value.is_some()))
}

/// `warehouse with 2 flows along cores: threads 1.10x slower than processes [...]`.
fn along_its_way(work: &str, all: &[Scaling], cases: &[CaseResult]) -> Option<String> {
    let own = || all.iter().filter(|one| one.workload == work);
    let way = own()
        .find(|one| one.along == Topology::Cores)
        .or(own().next())?;
    let telling = |point: &&ScalingPoint| {
        let is_compared = point.threads_over_processes.is_some();
        let fits = point.flows <= way.room;
        (is_compared, point.flows > 1, fits, point.flows)
    };
    let point = way.points.iter().max_by_key(telling)?;
    let case = cases.iter().find(|case| case.case.name == point.case)?;
    let finding = threads_over_processes(case).or(case.findings.first())?;
    let (flows, spoken) = (many(point.flows.into(), "flow"), way.along.spoken());
    Some(format!(
        "{work} with {flows} {spoken}: {}",
        finding.sentence
    ))
}

fn served(work: &str, cases: &[CaseResult]) -> Option<String> {
    let mut own = cases.iter().filter(|case| base(&case.case) == work);
    let findings = own.find(|case| has_forms(case)).map(forms)?;
    let said = findings.iter().map(|finding| finding.sentence.clone());
    joined(said, "; ").map(|said| format!("{work}: {said}"))
}

pub(in crate::findings) fn sentences(all: &[Scaling]) -> Vec<String> {
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
    let said = last.variants.iter().filter_map(|variant| {
        let Ratio { ratio, interval } = variant.over_one?;
        let interval = interval.map_or_else(String::new, |[low, high]| {
            format!(" {}", factor_interval(2.0, low, high))
        });
        Some(format!("{} {ratio:.2}x{interval}", plural(&variant.label)))
    });
    let unit = if one.one > 1 { "pair" } else { "flow" };
    joined(said, ", ").map(|said| {
        format!(
            "{} {}: the work of {} flows over that of one {unit}: {said}",
            one.workload,
            one.along.spoken(),
            last.flows
        )
    })
}

fn beyond(one: &Scaling) -> Option<String> {
    let many = one.points.iter().filter(|point| point.flows > one.room);
    let many = many.map(|point| point.flows.to_string());
    let (cpus, so) = match one.along {
        Topology::Smt => (
            "hardware threads of a core",
            "the others are on the next cores, if there are any",
        ),
        Topology::Cores => ("cores", "they take turns"),
        Topology::All => ("hardware threads", "they take turns"),
    };
    joined(many, ", ").map(|many| {
        format!(
            "{} {}: {many} flows are more than the {} {cpus}: {so}",
            one.workload,
            one.along.spoken(),
            one.room
        )
    })
}

/// Whether cores of threads (else flows) share pages, the source's reason.
fn pages(one: &Scaling) -> Option<String> {
    let last = one.points.iter().rfind(|point| point.flows > 1)?;
    let threads = last.of(Model::Thread)?;
    let footprint = threads.footprint.as_ref()?.value()?;
    let (shared, several) = match footprint.by_cores.value() {
        Some(shared) => (shared, "threads of more than one core"),
        None => (footprint.by_flows.value()?, "more than one of them"),
    };
    let all = footprint.all;
    let others = last.variants.iter().filter_map(of_another);
    let others: String = others.collect();
    Some(format!(
        "{} {}: of the {} pages that {} threads work on, {} are worked on by {several}, and of \
         the {} ranges of 2 MiB {}{others}",
        one.workload,
        one.along.spoken(),
        count(all.small),
        last.flows,
        count(shared.small),
        count(all.huge),
        count(shared.huge)
    ))
}

/// `; thread core-aware: 0 of 4,120 pages and 0 of 10 ranges`, with its own allocator or pages.
fn of_another(variant: &Throughput) -> Option<String> {
    if variant.processes != 1 || variant.label == "thread" || variant.label == "process" {
        return None;
    }
    let footprint = variant.footprint.as_ref()?.value()?;
    let shared = footprint.by_cores.value().or(footprint.by_flows.value())?;
    Some(format!(
        "; {}: {} of {} pages and {} of {} ranges",
        variant.label,
        count(shared.small),
        count(footprint.all.small),
        count(shared.huge),
        count(footprint.all.huge)
    ))
}
