//! How many flows of each model the machine holds, what stops there, and what one costs.
//!
//! # Theory
//!
//! The number is predicted by reading limits ([`crate::room`]), from the machine as the
//! journal has it. It is confirmed as far as flows were made for real, which is said too.
//! Memory of one flow is a slope: what the largest number of flows held, less what the
//! smallest did, over the difference of their numbers; so what the cell itself holds is in
//! neither. It is honest memory, kernel objects beside stacks and page tables left out.

use flow::Variant;
use machine::Machine;
use workload::Work;

use super::{CaseResult, VariantSummary};
use crate::Metric;
use crate::number::{bytes, count, time};
use crate::room::{rooms, told};

/// A sentence for each variant of the cases that measure how flows are created.
pub(crate) fn limits(machine: &Machine, cases: &[CaseResult]) -> Vec<String> {
    let mut made: Vec<Made<'_>> = cases
        .iter()
        .filter(|case| case.case.metric == Metric::Create && case.case.work.flows().is_some())
        .flat_map(made_in)
        .collect();
    made.sort_by_key(|made| made.variant.flows);
    let mut labels: Vec<&str> = Vec::new();
    for made in &made {
        if !labels.contains(&made.summary.label.as_str()) {
            labels.push(&made.summary.label);
        }
    }
    labels
        .iter()
        .filter_map(|label| limit(machine, label, &made))
        .collect()
}

/// So many flows of a variant, created for real.
struct Made<'a> {
    variant: &'a Variant,
    work: &'a Work,
    summary: &'a VariantSummary,
    create_ns: f64,
}

fn made_in(case: &CaseResult) -> impl Iterator<Item = Made<'_>> {
    let variants = case.case.variants.iter().zip(&case.variants);
    variants.filter_map(|(labelled, summary)| {
        Some(Made {
            variant: &labelled.variant,
            work: labelled.work.as_ref().unwrap_or(&case.case.work),
            summary,
            create_ns: summary.value.as_ref()?.typical,
        })
    })
}

fn limit(machine: &Machine, label: &str, made: &[Made<'_>]) -> Option<String> {
    let mut same = made.iter().filter(|made| made.summary.label == label);
    let least = same.next()?;
    let most = same.next_back().unwrap_or(least);
    let flows = f64::from(most.variant.flows);
    let each = bytes_each(least, most).map_or_else(String::new, |each| {
        format!(" and {} of memory", bytes(each))
    });
    Some(format!(
        "limits: {label}: {}; {} made for real, {} to create{each} each",
        ceiling(machine, most),
        count(most.variant.flows.into()),
        time(most.create_ns / flows),
    ))
}

/// `at most 32,339, bounded by kernel.pid_max = 32,768 (to raise it: …)`.
fn ceiling(machine: &Machine, made: &Made<'_>) -> String {
    match rooms(machine, made.variant.model, made.work).first() {
        None => "no limit of this machine could be read".to_owned(),
        Some(lowest) => format!("at most {} (to raise it: {})", told(lowest), lowest.raise),
    }
}

/// The slope of honest memory; `None` where it was not read, or shrank.
fn bytes_each(least: &Made<'_>, most: &Made<'_>) -> Option<f64> {
    let honest = |made: &Made<'_>| Some(made.summary.memory?.honest() as f64);
    let more = f64::from(most.variant.flows) - f64::from(least.variant.flows);
    let each = (honest(most)? - honest(least)?) / more;
    (more > 0.0 && each > 0.0).then_some(each)
}
