//! How many flows of each model the machine holds, what stops there, and what one costs. The number
//! is predicted from the limits in the journal ([`crate::plan::capacity`]) and confirmed as far as
//! flows were made. Memory of one flow is a slope of honest memory (with page tables and kernel
//! stacks) from the smallest to the largest number; the need in a prediction is an account
//! ([`machine::Ceiling::each`]).

mod limit;

use flow::{Model, Variant};
use machine::{Ceiling, Machine, Unit};
use workload::Work;

pub use limit::Limit;

use super::phrases::joined;
use super::{CaseResult, VariantSummary};
use crate::data::gathered::grouped;
use crate::data::number::{about, count};
use crate::data::room::{limit as limit_words, rooms};
use crate::data::words::{listed, plural};
use crate::data::{Metric, Study};

/// Also of variants of cases that measure creation, created or not.
pub(crate) fn limits(machine: &Machine, study: &Study, cases: &[CaseResult]) -> Vec<Limit> {
    let creating = || {
        let is_creating = |case: &&CaseResult| case.case.metric == Metric::Create;
        let counted = |case: &&CaseResult| case.case.work.flows().is_some();
        cases.iter().filter(is_creating).filter(counted)
    };
    let mut made: Vec<Made<'_>> = creating().flat_map(made_in).collect();
    made.sort_by_key(|made| made.variant.flows);
    let asked = study.limits_of.iter();
    let mut all: Vec<(String, Model)> = asked.map(|model| (model.to_string(), *model)).collect();
    for one in creating().flat_map(|case| &case.case.variants) {
        if all.iter().all(|(label, _)| *label != one.label) {
            all.push((one.label.clone(), one.variant.model));
        }
    }
    let limits = all
        .into_iter()
        .map(|(label, model)| limit(machine, label, model, &made));
    limits.collect()
}

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

fn limit(machine: &Machine, label: String, model: Model, made: &[Made<'_>]) -> Limit {
    let mut same = made.iter().filter(|made| made.summary.label == label);
    let least = same.next();
    let most = same.next_back().or(least);
    let idle = Work::idle(workload::turns::LEAST_FLOWS);
    let work = most.map_or(&idle, |most| most.work);
    let flows = most.map_or(0, |most| most.variant.flows);
    let bytes_each = bytes_each(least, most);
    Limit {
        label,
        model,
        room: rooms(machine, model, work).into_iter().next(),
        made: flows.into(),
        create_ns_each: most.map(|most| most.create_ns / f64::from(flows)),
        bytes_each: bytes_each.clone().ok(),
        bytes_not_available: bytes_each.err(),
    }
}

/// `at most 32,338 processes and 32,338 threads (kernel.pid_max = 32,768); …`.
pub(crate) fn how_many(limits: &[Limit]) -> Option<String> {
    let by_stop = grouped(limits.iter().map(|limit| {
        let (number, stops) = match &limit.room {
            Some(room) => (at_most(room), limit_words(room)),
            None => (
                "any number of".to_owned(),
                "no limit can be read".to_owned(),
            ),
        };
        let flows = match plural(&limit.label) {
            many if many != limit.label => format!("{number} {many}"),
            model => format!("{number} of model {model}"),
        };
        (stops, flows)
    }));
    let said = by_stop
        .iter()
        .map(|(stops, flows)| format!("{} ({stops})", listed(flows)));
    joined(said, "; ").map(|said| format!("at most {said}"))
}

/// How many a limit allows, in words: by memory, eight digits of an estimate are no knowledge.
#[must_use]
pub fn at_most(room: &Ceiling) -> String {
    match room.unit {
        Unit::Bytes => about(room.count),
        Unit::Tasks | Unit::Mappings => count(room.count),
    }
}

fn bytes_each(least: Option<&Made<'_>>, most: Option<&Made<'_>>) -> Result<f64, String> {
    let (least, most) = least.zip(most).ok_or("none could be made")?;
    let honest = |made: &Made<'_>| match (&made.summary.memory, &made.summary.memory_not_available)
    {
        (Some(memory), _) => Ok(memory.total() as f64),
        (None, Some(reason)) => Err(reason.clone()),
        (None, None) => Err("it was not read".to_owned()),
    };
    let more = f64::from(most.variant.flows) - f64::from(least.variant.flows);
    if more <= 0.0 {
        let flows = count(most.variant.flows.into());
        return Err(format!(
            "only {flows} were made, and it takes two numbers of flows to tell"
        ));
    }
    let each = (honest(most)? - honest(least)?) / more;
    if each > 0.0 {
        return Ok(each);
    }
    let [from, to] = [least, most].map(|made| count(made.variant.flows.into()));
    Err(format!("it did not grow from {from} to {to} flows"))
}
