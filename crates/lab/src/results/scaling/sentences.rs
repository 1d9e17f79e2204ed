//! What a study of scaling says.

use super::{Scaling, ScalingPoint, threads_over_processes};
use crate::number::{count, factor_interval};
use crate::results::CaseResult;
use crate::scaling::Along;
use crate::words::plural;

/// The answer: each work at its largest number of flows along cores, or along whatever there
/// is.
pub(in crate::results) fn answer(all: &[Scaling], cases: &[CaseResult]) -> Option<String> {
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
pub(in crate::results) fn sentences(all: &[Scaling]) -> Vec<String> {
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

/// Of threads, whether cores work on the same pages: the source's reason. Where flows have no
/// core of their own, whether more than one of them does.
fn pages(one: &Scaling) -> Option<String> {
    let last = one.points.iter().rfind(|point| point.flows > 1)?;
    let threads = last
        .variants
        .iter()
        .find(|variant| variant.label == "thread")?;
    let footprint = threads.footprint.as_ref()?.value()?;
    let (shared, several) = match footprint.by_cores.value() {
        Some(shared) => (shared, "threads of more than one core"),
        None => (footprint.by_flows.value()?, "more than one of them"),
    };
    let all = footprint.all;
    Some(format!(
        "{} {}: of the {} pages that {} threads work on, {} are worked on by {several}, and of \
         the {} ranges of 2 MiB {}",
        one.workload,
        one.along.spoken(),
        count(all.small),
        last.flows,
        count(shared.small),
        count(all.huge),
        count(shared.huge)
    ))
}
