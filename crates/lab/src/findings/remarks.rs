//! A study's sentences that need more than one case.

use flow::{Answer, Failure, Schedule, Variant};

use super::cheapest::cheapest;
use super::fenced::fenced;
use super::flow_migration::moved;
use super::operation_matrix::{self, OperationMatrix};
use super::phrases::joined;
use super::stack_switch_cost::ways;
use super::switched::switched;
use super::{
    CaseResult, Parts, VariantSummary, calibration, limits, scaling, self_managed, series, shared,
    sweep, unanswered,
};
use crate::data::number::{plain, time};
use crate::data::words::plural;
use crate::data::{Study, SweepPoint};

const UNEVEN: f64 = 1.2;

/// Flows below this say nothing of shares.
const TELLING_NS: u64 = 1_000_000;

pub(crate) fn sentences(study: &Study, cases: &[CaseResult], parts: &Parts) -> Vec<String> {
    let compared = scaling::answer(&parts.scaling, cases).or_else(|| answer(study, cases));
    let mut sentences: Vec<String> = limits::how_many(&parts.limits).into_iter().collect();
    sentences.extend(compared);
    sentences.extend(unanswered::sentence(cases));
    sentences.extend(cases.iter().flat_map(calibration::sentences));
    // Turns and single operations are alike by construction.
    let takes_turns = |case: &&CaseResult| case.case.work.is_even();
    let scales = |case: &&CaseResult| case.case.work.scaled().is_some();
    let working = || {
        cases
            .iter()
            .filter(|case| !takes_turns(case) && !scales(case))
    };
    let dealt = working().filter(|case| case.case.work.worker_kind().is_none());
    sentences.extend(dealt.filter_map(uneven));
    sentences.extend(self_managed::sentences(cases));
    sentences.extend(cases.iter().filter_map(isolation));
    let matrices = operation_matrix::matrices(cases);
    let of_each = matrices.iter().flat_map(OperationMatrix::sentences);
    let of_maps: Vec<String> = of_each.chain(series::sentences(&matrices)).collect();
    if of_maps.is_empty() {
        sentences.extend(cases.iter().filter_map(shared::sentence));
    }
    sentences.extend(of_maps);
    sentences.extend(sweep::all_crossovers(&working().collect::<Vec<_>>()));
    sentences.extend(scaling::sentences(&parts.scaling));
    sentences.extend(parts.laws.iter().map(|law| law.sentence.clone()));
    sentences.extend(cheapest(cases));
    sentences.extend(ways(cases));
    sentences.extend(moved(cases));
    sentences.extend(switched(cases));
    sentences.extend(fenced(&parts.probes));
    sentences
}

fn answer(study: &Study, cases: &[CaseResult]) -> Option<String> {
    let case = super::headline_case(study, cases)?;
    let matrices = operation_matrix::matrices(cases);
    let mut mapped = matrices.iter().flat_map(|map| &map.cases);
    let row = mapped.any(|mapped| mapped.case.name == case.case.name);
    let point = case.case.sweep.as_ref();
    let place = match point {
        _ if row => Some(OperationMatrix::row(case).to_owned()),
        Some(point) => Some(format!("at {}", amount(point))),
        None => None,
    };
    let said = super::headline(study, cases).map(|finding| finding.sentence.clone());
    let said = said.or_else(|| case.variants.first().map(measured))?;
    let said = match place {
        Some(place) => format!("{place}: {said}"),
        None => said,
    };
    kinds_of_workers(cases).or(Some(said))
}

fn amount(point: &SweepPoint) -> String {
    let one = point.value == 1.0;
    let unit = point.unit.strip_suffix('s').filter(|_| one);
    let unit = unit.unwrap_or(&point.unit);
    format!("{} {unit}", plain(point.value))
}

fn kinds_of_workers(cases: &[CaseResult]) -> Option<String> {
    let alone = cases.iter().filter(|case| case.case.sweep.is_none());
    let said = alone.filter_map(|case| {
        let kind = case.case.work.worker_kind()?;
        Some(format!("{kind}: {}", case.findings.first()?.sentence))
    });
    let said: Vec<String> = said.collect();
    (said.len() > 1).then(|| said.join("; "))
}

impl CaseResult {
    /// The first variant's typical time in words, where nothing is compared and a slot is good.
    #[must_use]
    pub fn measured(&self) -> Option<String> {
        let first = self.variants.first()?;
        first.value.is_some().then(|| measured(first))
    }
}

fn measured(variant: &VariantSummary) -> String {
    let label = &variant.label;
    match &variant.value {
        Some(value) if value.n == 1 => {
            format!("{label}: {} in the only round", time(value.typical))
        }
        Some(value) => format!(
            "{label}: {} typical, the middle half of {} rounds from {} to {}",
            time(value.typical),
            value.n,
            time(value.p25),
            time(value.p75)
        ),
        None => format!("{label}: no good slot, so nothing was measured"),
    }
}

fn uneven(case: &CaseResult) -> Option<String> {
    let dealt = summaries(case, Schedule::Static).next()?;
    let queued = summaries(case, Schedule::Queue).find(|(_, v, _)| v.model == dealt.1.model);
    match queued {
        None => shares(&case.case.name, dealt.0, dealt.2),
        Some((label, _, summary)) => Some(format!(
            "{}: the last flow ends {:.2}x as late as the mean one when work is dealt out ({}), \
             and {:.2}x when it is taken from a queue ({label})",
            case.case.name, dealt.2.imbalance?, dealt.0, summary.imbalance?
        )),
    }
}

fn summaries(
    case: &CaseResult,
    schedule: Schedule,
) -> impl Iterator<Item = (&str, &Variant, &VariantSummary)> {
    let variants = case.case.variants.iter().zip(&case.variants);
    variants
        .map(|(labelled, summary)| (labelled.label.as_str(), &labelled.variant, summary))
        .filter(move |(_, variant, _)| variant.schedule == schedule)
}

fn shares(case: &str, label: &str, summary: &VariantSummary) -> Option<String> {
    let flows = summary.flows.iter();
    let cpu = || flows.clone().map(|flow| flow.steady.cpu_ns).enumerate();
    let (least, short) = cpu().min_by_key(|(_, ns)| *ns)?;
    let (most, long) = cpu().max_by_key(|(_, ns)| *ns)?;
    if short < TELLING_NS || (long as f64) < UNEVEN * short as f64 {
        return None;
    }
    Some(format!(
        "{case}: the work is uneven: flow {} computes {:.2}x as long as flow {} ({label})",
        most + 1,
        long as f64 / short as f64,
        least + 1
    ))
}

fn isolation(case: &CaseResult) -> Option<String> {
    let said = (0..case.variants.len()).filter_map(|variant| variant_isolation(case, variant));
    joined(said, "; ").map(|said| format!("{}: {said}", case.case.name))
}

fn variant_isolation(case: &CaseResult, variant: usize) -> Option<String> {
    let under = plural(&case.case.variants[variant].label);
    case.slots_of(variant)
        .find_map(|slot| match &slot.outcome.answer {
            Answer::Failed { reason, .. } => said_of(reason, &under),
            Answer::Done(_) => None,
        })
}

fn said_of(reason: &Failure, under: &str) -> Option<String> {
    match reason {
        Failure::FlowsDied { died, flows, how } => Some(format!(
            "under {under} {died} of {flows} flows died ({how}) and the results of the other {} were kept",
            flows - died
        )),
        Failure::SlotLost { flows, how, .. } => Some(format!(
            "under {under} the whole slot was lost with its {flows} flows ({how})"
        )),
        Failure::Hung { hung, flows, .. } => Some(format!(
            "under {under} {hung} of {flows} flows hung and {} killed",
            if *hung == 1 { "was" } else { "were" }
        )),
        _ => None,
    }
}
