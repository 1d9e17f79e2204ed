//! How many flows of each model the machine holds, what stops there, and what one costs.
//!
//! # Theory
//!
//! The number is predicted by reading limits ([`crate::room`]), from the machine as the
//! journal has it. It is confirmed as far as flows were made for real, which is said too.
//! Memory of one flow is a slope: what the largest number of flows held, less what the
//! smallest did, over the difference of their numbers; so what the cell itself holds is in
//! neither. It is honest memory, kernel objects beside stacks and page tables left out.

use flow::{Model, Variant};
use machine::{Ceiling, Machine};
use serde::{Deserialize, Serialize};
use workload::Work;

use super::{CaseResult, VariantSummary};
use crate::Metric;
use crate::number::{bytes, count, time};
use crate::room::{rooms, told};

/// How many flows of one variant there can be, and what one costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The variant's label.
    pub label: String,
    /// Its model.
    pub model: Model,
    /// The lowest room that the machine's limits leave; `None` where none could be read.
    pub room: Option<Ceiling>,
    /// The largest number that was made for real.
    pub made: u64,
    /// Time to create one, at that number, in ns.
    pub create_ns_each: f64,
    /// Honest memory of one, in bytes; `None` where it was not read, or shrank.
    pub bytes_each: Option<f64>,
}

/// A limit for each variant of the cases that measure how flows are created.
pub(crate) fn limits(machine: &Machine, cases: &[CaseResult]) -> Vec<Limit> {
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

fn limit(machine: &Machine, label: &str, made: &[Made<'_>]) -> Option<Limit> {
    let mut same = made.iter().filter(|made| made.summary.label == label);
    let least = same.next()?;
    let most = same.next_back().unwrap_or(least);
    let Variant { model, flows, .. } = *most.variant;
    Some(Limit {
        label: label.to_owned(),
        model,
        room: rooms(machine, model, most.work).into_iter().next(),
        made: flows.into(),
        create_ns_each: most.create_ns / f64::from(flows),
        bytes_each: bytes_each(least, most),
    })
}

/// `limits: process: at most 32,339, bounded by kernel.pid_max = 32,768 (to raise it: …); …`.
pub(crate) fn sentence(limit: &Limit) -> String {
    let room = match &limit.room {
        None => "no limit of this machine could be read".to_owned(),
        Some(lowest) => format!("at most {} (to raise it: {})", told(lowest), lowest.raise),
    };
    let each = limit.bytes_each.map_or_else(String::new, |each| {
        format!(" and {} of memory", bytes(each))
    });
    format!(
        "limits: {}: {room}; {} made for real, {} to create{each} each",
        limit.label,
        count(limit.made),
        time(limit.create_ns_each),
    )
}

/// The slope of honest memory; `None` where it was not read, or shrank.
fn bytes_each(least: &Made<'_>, most: &Made<'_>) -> Option<f64> {
    let honest = |made: &Made<'_>| Some(made.summary.memory?.honest() as f64);
    let more = f64::from(most.variant.flows) - f64::from(least.variant.flows);
    let each = (honest(most)? - honest(least)?) / more;
    (more > 0.0 && each > 0.0).then_some(each)
}
