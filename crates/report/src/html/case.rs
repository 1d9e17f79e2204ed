//! A case: table, sentences, reasons, and the charts of its slots, phases and memory.

use lab::{CaseResult, Finding, Results, VariantSummary};
use maud::{Markup, html};

use super::figure::{self, Figure};
use super::table::table;
use crate::charts::axis::{BYTES, TIME};
use crate::charts::bars::{Bar, Parts, bars};
use crate::charts::slots::{Dot, slots as slots_chart};
use crate::number::{NONE, bytes, time};
use crate::terminal::tail;
use crate::words::{circumstances, comparison, cut_short, finding_of, many, variant, work};

/// The part of the page about one case.
pub(super) fn case(id: &str, results: &Results, case: &CaseResult, with_slots: bool) -> Markup {
    html! {
        article.case {
            h3 { (case.case.title) }
            p.quiet { (circumstances(results, case).join(" · ")) " · " (work(&case.case.work)) }
            @if let Some(cut) = cut_short(results, case) { p.warning { (cut) } }
            @if !case.slots.is_empty() {
                (variants(&[("", case)]))
                @for finding in &case.findings { (said(finding)) }
                (missing(case))
                (slots(&format!("{id}-slots"), case, with_slots))
                (phases(&format!("{id}-phases"), case))
                (memory(&format!("{id}-memory"), case))
            }
        }
    }
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
        number(memory.map(|memory| memory.honest() as f64), bytes),
        number(memory.map(|memory| memory.rss as f64), bytes),
        word,
        interval,
        format!("{} good{failed}", variant.good),
    ]
}

fn versus(case: &CaseResult, at: usize, label: &str) -> [String; 2] {
    if at == 0 {
        return ["reference".to_owned(), String::new()];
    }
    finding_of(case, label).map_or([NONE.to_owned(), String::new()], |finding| {
        let said = comparison(finding.estimate.as_ref(), &finding.verdict);
        [said.word, said.interval]
    })
}

/// The sentence, why, and the slow ends.
pub(super) fn said(finding: &Finding) -> Markup {
    html! {
        p.said { (finding.sentence) }
        @if !finding.why.is_empty() {
            ul.why aria-label="Why" { @for reason in &finding.why { li { (reason) } } }
        }
        @if let Some(line) = tail(finding) { p.quiet { (line) } }
    }
}

/// What is not there, and why; and what was launched.
pub(super) fn missing(case: &CaseResult) -> Markup {
    html! {
        @for summary in &case.variants {
            @for (count, reason) in &summary.failures {
                p.warning {
                    strong { (many(*count as u64, "failed slot")) " of " (summary.label) ": " }
                    (reason)
                }
            }
            @if let Some(reason) = &summary.memory_not_available {
                p.quiet { "Memory of " (summary.label) " is not available: " (reason) }
            }
        }
        p.quiet {
            @for (place, launched) in case.case.variants.iter().enumerate() {
                @if place > 0 { "; " }
                (launched.label) ": " (variant(&launched.variant))
            }
        }
    }
}

/// Raw slots in the order of time.
pub(super) fn slots(id: &str, case: &CaseResult, with_data: bool) -> Markup {
    let began = case.slots.first().map_or(0.0, |slot| slot.at_s);
    let dot = |slot: &lab::results::RawSlot| Dot {
        at_s: slot.at_s - began,
        ns: slot.value_ns,
        variant: slot.variant,
    };
    let dots: Vec<_> = case.slots.iter().map(dot).collect();
    let what = many(case.slots.len() as u64, "slot");
    let labels = || case.variants.iter().map(|variant| variant.label.as_str());
    let figure = Figure {
        id,
        title: "Every slot in the order of time",
        desc: &format!("The values of {what} against the time of their launch."),
        legend: figure::variants(labels()),
        data: if with_data {
            rounds(case)
        } else {
            html! { p { "There are too many slots for this page: see slots.csv." } }
        },
    };
    figure.draw(|frame| slots_chart(frame, &dots, case.variants.len()))
}

/// Values round by round, one column a variant.
fn rounds(case: &CaseResult) -> Markup {
    let last = case
        .slots
        .iter()
        .map(|slot| slot.round + 1)
        .max()
        .unwrap_or(0);
    let mut rows: Vec<Vec<String>> = (1..=last)
        .map(|round| {
            let missing = case.variants.iter().map(|_| String::new());
            [round.to_string()].into_iter().chain(missing).collect()
        })
        .collect();
    for slot in &case.slots {
        if let Some(cell) = rows[slot.round].get_mut(slot.variant + 1) {
            *cell = slot.value_ns.map_or("failed".to_owned(), time);
        }
    }
    let labels = case.variants.iter().map(|variant| variant.label.as_str());
    table(
        &["round"].into_iter().chain(labels).collect::<Vec<_>>(),
        &rows,
    )
}

/// Median phases of each variant.
fn phases(id: &str, case: &CaseResult) -> Markup {
    let bars = stacked(case, |variant| {
        let phases = variant.phases?;
        Some(vec![phases.create_ns, phases.steady_ns, phases.teardown_ns])
    });
    let parts = Parts {
        names: &["create", "steady", "tear-down"],
        unit: &TIME,
        write: time,
    };
    stack(id, "Median phases of a repetition", &bars, parts)
}

/// Parts of the honest memory of each variant.
fn memory(id: &str, case: &CaseResult) -> Markup {
    let bars = stacked(case, |variant| {
        let memory = variant.memory.as_ref()?;
        let parts = [
            memory.pss,
            memory.page_tables,
            memory.kernel_stacks,
            memory.slab.unwrap_or(0),
        ];
        Some(parts.map(|part| part as f64).to_vec())
    });
    let names = &["PSS", "page tables", "kernel stacks", "slab"];
    let names = if bars.iter().any(|bar| bar.parts[3] > 0.0) {
        &names[..]
    } else {
        &names[..3]
    };
    let parts = Parts {
        names,
        unit: &BYTES,
        write: bytes,
    };
    stack(id, "Memory of the parent and all flows", &bars, parts)
}

fn stacked(case: &CaseResult, parts: impl Fn(&VariantSummary) -> Option<Vec<f64>>) -> Vec<Bar> {
    let bar = |variant: &VariantSummary| {
        Some(Bar {
            label: variant.label.clone(),
            parts: parts(variant)?,
        })
    };
    case.variants.iter().filter_map(bar).collect()
}

fn stack(id: &str, title: &str, all: &[Bar], parts: Parts<'_>) -> Markup {
    if all.is_empty() {
        return html! {};
    }
    let row = |bar: &Bar| {
        let values = bar
            .parts
            .iter()
            .take(parts.names.len())
            .map(|part| (parts.write)(*part));
        [bar.label.clone()].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let desc: Vec<_> = rows.iter().map(|row| row.join(", ")).collect();
    let figure = Figure {
        id,
        title,
        desc: &format!(
            "Of each variant {}: {}",
            parts.names.join(", "),
            desc.join("; ")
        ),
        legend: figure::parts(parts.names),
        data: table(
            &["variant"]
                .iter()
                .chain(parts.names)
                .copied()
                .collect::<Vec<_>>(),
            &rows,
        ),
    };
    figure.draw(|frame| bars(frame, all, parts))
}
