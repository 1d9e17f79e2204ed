//! A case: table, sentences, reasons, and the charts of its slots, phases and memory.

use lab::{CaseResult, Finding, Results, VariantSummary};
use maud::{Markup, html};

use super::counting;
use super::course::course;
use super::detail::Detail;
use super::ecdf::{ecdf, latencies};
use super::figure::Figures;
use super::grids;
use super::requests::requests;
use super::searched;
use super::slots::slots;
use super::stacks::{memory, phases};
use super::table::table;
use crate::number::{NONE, bytes, time};
use crate::sampling::sampling;
use crate::searched::is_self_managed;
use crate::terminal::tail;
use crate::text::tied;
use crate::words::{
    circumstances, comparison, cut_short, finding_of, launched, many, not_counted, of_first,
    work_of,
};

/// The part of the page about one case.
pub(super) fn case(id: &str, results: &Results, case: &CaseResult, detail: Detail) -> Markup {
    html! {
        article.case {
            h3 { (case.case.title) }
            p.quiet { (circumstances(results, case).join(" · ")) " · " (work_of(&case.case)) }
            @if let Some(cut) = cut_short(results, case) { p.warning { (cut) } }
            @if !case.slots.is_empty() {
                (variants(&[("", case)]))
                (requests(&[("", case)]))
                (searched::used(case))
                @for finding in &case.findings { (said(finding)) }
                @for line in not_counted(case) { p.quiet { (line) } }
                (missing(case))
                p.quiet { (launches(case)) }
                (figures(id, case, detail))
                @for line in sampling(case) { p.quiet { (line) } }
                (counting::of_case(case))
            }
        }
    }
}

/// The charts of a case.
pub(super) fn figures(id: &str, case: &CaseResult, detail: Detail) -> Figures {
    if case.slots.is_empty() || !detail.has_charts() {
        return Figures::default();
    }
    let distributions = match detail.has_distributions() {
        true => ecdf(&format!("{id}-ecdf"), case),
        false => Figures::default(),
    };
    grids::of_mixes(&format!("{id}-mixes"), case)
        .and(slots(&format!("{id}-slots"), case, detail).into())
        .and(latencies(&format!("{id}-latencies"), case))
        .and(distributions)
        .and(phases(&format!("{id}-phases"), case))
        .and(memory(&format!("{id}-memory"), case))
        .and(searched::profile(&format!("{id}-profile"), case))
        .and(course(&format!("{id}-course"), case))
}

/// One row a variant of each case, under the case's own heading.
pub(super) fn variants(cases: &[(&str, &CaseResult)]) -> Markup {
    let rows: Vec<_> = cases
        .iter()
        .flat_map(|(heading, case)| {
            let variants = case.variants.iter().enumerate();
            variants.map(move |(at, variant)| row(heading, case, at, variant))
        })
        .collect();
    table(
        &[
            "variant",
            "typical",
            "undisturbed",
            "CPU time",
            "memory",
            "RSS",
            "verdict",
            "interval",
            "slots",
        ],
        &rows,
    )
}

fn row(heading: &str, case: &CaseResult, at: usize, variant: &VariantSummary) -> Vec<String> {
    let number = |value: Option<f64>, unit: fn(f64) -> String| value.map_or(NONE.to_owned(), unit);
    let memory = variant.memory.as_ref();
    let [word, interval] = versus(case, at, &variant.label);
    let failed: usize = variant.failures.iter().map(|(count, _)| count).sum();
    let failed = if failed > 0 {
        format!(", {failed} failed")
    } else {
        String::new()
    };
    vec![
        format!("{heading}{}", variant.label),
        number(variant.value.map(|value| value.typical), time),
        number(variant.undisturbed_ns, time),
        number(variant.cpu_ns, time),
        number(memory.map(|memory| memory.total() as f64), bytes),
        number(memory.map(|memory| memory.rss as f64), bytes),
        word,
        interval,
        format!("{} good{failed}", variant.good),
    ]
}

fn versus(case: &CaseResult, at: usize, label: &str) -> [String; 2] {
    if at == 0 {
        return [of_first(case).to_owned(), String::new()];
    }
    finding_of(case, label).map_or([NONE.to_owned(), String::new()], |finding| {
        let said = comparison(finding.estimate.as_ref(), &finding.verdict);
        [said.word, said.interval]
    })
}

/// The sentence, why, and the slow ends.
pub(super) fn said(finding: &Finding) -> Markup {
    html! {
        p.said { (tied(&finding.sentence)) }
        (why(finding))
        @if let Some(line) = tail(finding) { p.quiet { (line) } }
    }
}

/// The reasons.
pub(super) fn why(finding: &Finding) -> Markup {
    html! {
        @if !finding.why.is_empty() {
            ul.why aria-label="Why" { @for reason in &finding.why { li { (tied(reason)) } } }
        }
    }
}

/// What is not there, and why.
pub(super) fn missing(case: &CaseResult) -> Markup {
    html! {
        @for summary in &case.variants {
            @for (count, reason) in &summary.failures {
                p.warning {
                    strong { (many(*count as u64, "failed slot")) " of " (summary.label) ": " }
                    (reason)
                }
            }
            @if let Some(reason) = summary.memory_not_available.as_ref().filter(|_| !is_self_managed(case)) {
                p.quiet { "Memory of " (summary.label) " is not available: " (reason) }
            }
        }
    }
}

/// What was launched.
pub(super) fn launches(case: &CaseResult) -> String {
    let variants = case.case.variants.iter();
    let each = variants.map(|variant| format!("{}: {}", variant.label, launched(variant)));
    each.collect::<Vec<_>>().join("; ")
}
