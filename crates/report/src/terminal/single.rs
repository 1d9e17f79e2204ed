//! A single study: its variants as bars, with time and memory.

use lab::findings::QuantityFinding;
use lab::findings::answers::are_threads_and_processes;
use lab::{CaseResult, Results, VariantSummary};
use measure::Measured;

use super::Detail;
use super::page::Page;
use crate::number::{bytes, time};
use crate::text::{cut, cut_within, look_the_same, width};
use crate::words::{Tone, is_contrary};
use lab::data::gathered::grouped;

const BAR: usize = 40;
const LABEL: usize = 38;
const MOST: usize = 9;

pub(super) fn single(page: &mut Page<'_>, results: &Results, detail: Detail) {
    let [study] = &results.studies[..] else {
        return;
    };
    let Some(case) = study
        .headline_case()
        .filter(|_| study.parts.limits.is_empty())
    else {
        return;
    };
    let shown: Vec<&VariantSummary> = case.variants.iter().filter(|v| v.value.is_some()).collect();
    if shown.is_empty() || detail == Detail::Least {
        return;
    }
    page.blank();
    let rounds = match case.rounds {
        0 => "no whole round".to_owned(),
        rounds => crate::words::many(rounds as u64, "round"),
    };
    let row = study.row_label(case).map(|label| format!("{label}: "));
    let row = row.unwrap_or_default();
    let title = format!("{row}{}, {rounds}", case.case.title);
    page.text(0, Tone::Strong, &title);
    bars(page, case, &shown);
    if is_contrary(case) {
        let text = "Bars are medians of all rounds; answers compare the slots of each round";
        page.text(2, Tone::Quiet, text);
    }
    if detail < Detail::Answers {
        for line in decided_early(case) {
            page.text(2, Tone::Quiet, &line);
        }
    }
    let left = shown.len().saturating_sub(MOST) as u64;
    if left > 0 {
        let more = crate::words::many(left, "more variant");
        page.text(2, Tone::Quiet, &format!("{more}: -v"));
    }
}

/// `fiber, task: decided after 10 of 20 rounds; ...`: fewer rounds than the bars are of.
fn decided_early(case: &CaseResult) -> Vec<String> {
    let findings = case.findings.iter();
    let early = findings.filter_map(|one| Some((one.early.as_ref()?, one.subject.as_str())));
    let groups = grouped(early).into_iter();
    groups
        .map(|(early, subjects)| format!("{}: {early}", subjects.join(", ")))
        .collect()
}

/// The default is named: a search adds it where nobody asked for it.
fn named(case: &CaseResult, variant: &VariantSummary) -> String {
    let default = case.case.best_of.as_ref().and_then(|best| best.default);
    let default = default.and_then(|place| case.variants.get(place));
    match default.is_some_and(|default| default.label == variant.label) {
        true => format!("{} (default)", variant.label),
        false => variant.label.clone(),
    }
}

fn bars(page: &mut Page<'_>, case: &CaseResult, variants: &[&VariantSummary]) {
    let typical = |variant: &VariantSummary| variant.value.map_or(0.0, |value| value.typical);
    let longest = variants
        .iter()
        .map(|v| typical(v))
        .fold(f64::MIN_POSITIVE, f64::max);
    let rows: Vec<[String; 3]> = variants
        .iter()
        .take(MOST)
        .map(|variant| {
            let memory = variant.memory.as_ref();
            let memory = memory.map_or(String::new(), |memory| bytes(memory.total() as f64));
            let texts = [named(case, variant), time(typical(variant)), memory];
            texts.map(|text| page.shown(&text).into_owned())
        })
        .collect();
    let columns = |at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0);
    let [label, value, memory] = [columns(0).min(LABEL), columns(1), columns(2)];
    let within = look_the_same(rows.iter().map(|row| &*row[0]), label);
    let room = page
        .prose()
        .saturating_sub(2 + label + 2 + value + 2 + memory + 3)
        .min(BAR);
    for (row, variant) in rows.iter().zip(variants) {
        let share = typical(variant) / longest;
        let bar = "█".repeat(((share * room as f64).round() as usize).max(1));
        let name = match within {
            true => cut_within(&row[0], label),
            false => cut(&row[0], label),
        };
        let space = " ".repeat(label - width(&name));
        let line = format!("{name}{space}  {:>value$}  {:>memory$}   ", row[1], row[2]);
        let bar = page.shown(&bar).into_owned();
        page.line(2, &[(Tone::Plain, line), (Tone::Quiet, bar)]);
    }
}

/// Threads and processes first; why, where they cannot be compared.
pub(super) fn memory(case: &CaseResult, detail: Detail) -> Option<String> {
    let all = case.contrasts.iter();
    let mut all: Vec<&QuantityFinding> = all.filter(|one| one.name == "memory").collect();
    all.sort_by_key(|one| !are_threads_and_processes(case, &one.subject, &one.reference));
    let compared = all.iter().filter(|one| one.contrast.value().is_some());
    let floor = case.findings.first().map_or(0.0, |one| one.floor);
    let said = compared.map(|one| one.in_words(floor).in_full());
    let most = if detail < Detail::FewWarnings { 4 } else { 1 };
    let said: Vec<String> = said.take(most).collect();
    match said.is_empty() {
        false => Some(said.join("; ")),
        true => match &all.first()?.contrast {
            Measured::NotAvailable { reason, .. } => Some(format!("not compared: {reason}")),
            Measured::Value(_) => None,
        },
    }
}
