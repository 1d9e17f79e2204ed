//! The times of a study that compares nothing and times one step in each case, on one scale.

use lab::{CaseResult, Metric, RawSlot, StudyResult};

use super::{Figure, Figures, Legend};
use crate::charts::Chart;
use crate::charts::ruler::Step;
use crate::number::{time, time_interval};
use crate::words::is_alone;

/// Fewer are read in their table.
const FEWEST: usize = 4;

pub(crate) fn ruler(id: &str, study: &StudyResult) -> Figures {
    let is_step = |case: &CaseResult| {
        let metric = case.case.metric;
        is_alone(case) && matches!(metric, Metric::Unit | Metric::Switch | Metric::Request)
    };
    let mut steps: Vec<Step> = match study.cases.iter().all(is_step) {
        true => study.cases.iter().filter_map(step).collect(),
        false => Vec::new(),
    };
    if steps.len() < FEWEST {
        return Figures::default();
    }
    steps.sort_by(|a, b| a.ns.total_cmp(&b.ns));
    let ends = [steps.first(), steps.last()].map(|step| time(step.map_or(0.0, |step| step.ns)));
    let desc: Vec<&str> = steps.iter().map(|step| step.label.as_str()).collect();
    let figure = Figure {
        id: id.to_owned(),
        title: format!("{} steps, from {} to {}", steps.len(), ends[0], ends[1]),
        desc: desc.join("; "),
        legend: Legend::None,
        data: None,
        chart: Chart::Ruler(steps),
    };
    figure.into()
}

/// `sched-yield: 312 ns [301 ns … 330 ns]`.
fn step(case: &CaseResult) -> Option<Step> {
    let slots = case.slots.iter().filter_map(|slot| each(case, slot));
    let found = stats::typical(&slots.collect::<Vec<_>>(), stats::LOOK_ALPHA).ok()?;
    let said = found
        .interval
        .map(|(low, high)| format!(" {}", time_interval(low, high)));
    let title = &case.case.title;
    Some(Step {
        label: format!(
            "{title}: {}{}",
            time(found.median),
            said.unwrap_or_default()
        ),
        ns: found.median,
        interval: found.interval,
    })
}

/// The time of one thing of those that a flow counts, such as an operation; of work that takes turns
/// or answers requests the slot has it.
fn each(case: &CaseResult, slot: &RawSlot) -> Option<f64> {
    let rep = slot.outcome.answer.done()?.reps.first()?;
    let counts = rep.flows.iter().map(|flow| flow.proof.count);
    // One that keeps another company counts nothing.
    let counts: Vec<u64> = counts.filter(|count| *count > 0).collect();
    match (case.case.metric, counts.iter().sum::<u64>()) {
        (Metric::Unit, all @ 1..) => Some(rep.steady_ns as f64 * counts.len() as f64 / all as f64),
        _ => slot.value_ns,
    }
}
