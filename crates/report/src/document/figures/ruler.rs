//! The times of a study that compares nothing and times one step in each case, on one scale.

use lab::{CaseResult, Metric, Ours, Published, RawSlot, StudyResult};
use workload::Work;

use super::Figure;
use crate::charts::Chart;
use crate::charts::ruler::Step;
use crate::number::{time, time_interval};
use crate::words::is_alone;

const FEWEST: usize = 4;

pub(crate) fn ruler(id: &str, study: &StudyResult) -> Option<Figure> {
    let is_step = |case: &CaseResult| {
        let metric = case.case.metric;
        is_alone(case) && matches!(metric, Metric::Unit | Metric::Switch | Metric::Request)
    };
    let are_steps = study.cases.iter().all(is_step);
    let cases = study.cases.iter().filter(|_| are_steps);
    let mut steps: Vec<Step> = cases.filter_map(|case| step(study, case)).collect();
    if steps.len() < FEWEST {
        return None;
    }
    steps.sort_by(|a, b| a.ns.total_cmp(&b.ns));
    let ends = [steps.first(), steps.last()].map(|step| time(step.map_or(0.0, |step| step.ns)));
    let desc: Vec<String> = steps.iter().map(with_interval).collect();
    let years = match steps.iter().any(|step| !step.sources.is_empty()) {
        true => "; a year marks what a source gave",
        false => "",
    };
    let [first, last] = ends;
    let title = format!("{} steps, from {first} to {last}{years}", steps.len());
    Some(Figure::new(id, title, desc.join("; "), Chart::Ruler(steps)))
}

fn step(study: &StudyResult, case: &CaseResult) -> Option<Step> {
    let slots = case.slots.iter().filter_map(|slot| each(case, slot));
    let found = stats::typical(&slots.collect::<Vec<_>>(), stats::LOOK_ALPHA).ok()?;
    Some(Step {
        label: format!("{}: {}", case.case.title, time(found.median)),
        ns: found.median,
        interval: found.interval,
        sources: sources(study, case),
    })
}

fn sources(study: &StudyResult, case: &CaseResult) -> Vec<(u32, f64)> {
    let of = |published: &Published| match &published.ours {
        Some(Ours::Amount(of)) if of.case == case.case.name => published.year.zip(published.value),
        _ => None,
    };
    let origin = study.study.origin.iter();
    let published = origin.flat_map(|origin| &origin.published);
    published.filter_map(of).collect()
}

fn each(case: &CaseResult, slot: &RawSlot) -> Option<f64> {
    if !matches!(case.case.work, Work::Operation(_)) {
        return slot.value_ns;
    }
    let rep = slot.outcome.answer.done()?.reps.first()?;
    // One that keeps another company counts nothing.
    let counts = rep.flows.iter().map(|flow| flow.proof.count);
    let counts: Vec<u64> = counts.filter(|count| *count > 0).collect();
    let all: u64 = counts.iter().sum();
    (all > 0).then(|| rep.steady_ns as f64 * counts.len() as f64 / all as f64)
}

fn with_interval(step: &Step) -> String {
    let ends = step.interval.map(|(low, high)| time_interval(low, high));
    let sources = step.sources.iter();
    let sources = sources.map(|(year, ns)| format!(", {} in {year}", time(*ns)));
    let sources: String = sources.collect();
    format!("{} {}{sources}", step.label, ends.unwrap_or_default())
}
