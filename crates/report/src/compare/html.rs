//! Runs side by side as a page.

use lab::compare::{ComparedCase, ComparedStudy, SideBySide};
use maud::{Markup, html};

use super::charts::figures;
use super::rows::Row;
use super::{case_name, circumstances, counts, largest, limits, not_covered, where_and_when};
use crate::html::document;
use crate::html::table::table;
use crate::number::NONE;
use crate::plots::{Plot, place};
use crate::text::tied;
use crate::words::Tone;

/// One page that needs nothing else.
#[must_use]
pub fn page(all: &SideBySide) -> String {
    let names: Vec<_> = all.runs.iter().map(|run| run.name.as_str()).collect();
    let title = format!("flowgauge: {}", names.join(" against "));
    document(&title, body(all), &crate::json::embedded_comparison(all))
}

/// Every chart of the page.
#[must_use]
pub fn plots(all: &SideBySide) -> Vec<Plot> {
    let studies = all.studies.iter().enumerate();
    let figures = studies.flat_map(|(number, study)| {
        let figures = figures(all, number, study).0.into_iter();
        figures.map(|figure| (place(&study.name, "compared"), figure))
    });
    crate::plots::plots(figures.collect())
}

fn body(all: &SideBySide) -> Markup {
    html! {
        header {
            h1 { "flowgauge" }
            p.where { "Runs side by side: every run against the first" }
            @for warning in &all.warnings { p.warning { strong { "Warning: " } (warning) } }
            @for line in &all.left_out { p.quiet { "Left out: " (line) } }
        }
        section #answers aria-label="Answers" {
            @for run in 1..all.runs.len() {
                article {
                    h2 { (all.runs[run].name) }
                    p class=(format!("verdict {}", tone(all, run).class())) { (counts(all, run)) }
                    @if let Some(sentence) = largest(all, run) { p { "The largest change: " (tied(&sentence)) } }
                }
            }
        }
        main {
            section #runs {
                h2 { "The runs" }
                div.facts { (table(&["run", "where and when", "seed"], &runs(all))) }
                p.quiet { (not_covered(all)) }
            }
            @for (number, one) in all.studies.iter().enumerate() { (study(all, number, one)) }
        }
    }
}

/// The colour of a card: that of doubt where nothing is told.
fn tone(all: &SideBySide, run: usize) -> Tone {
    let mut own = all.changes().filter(|(_, _, _, of, _)| *of == run);
    match own.any(|(.., change)| change.verdict.is_decided()) {
        true => Tone::Plain,
        false => Tone::Doubt,
    }
}

fn runs(all: &SideBySide) -> Vec<Vec<String>> {
    let row = |run: &lab::compare::ComparedRun| {
        vec![run.name.clone(), where_and_when(run), run.seed.to_string()]
    };
    all.runs.iter().map(row).collect()
}

fn study(all: &SideBySide, number: usize, study: &ComparedStudy) -> Markup {
    html! {
        section id=(format!("study{number}")) {
            h2 { (study.name) ": " (study.title) }
            (limits_of(all, study))
            (figures(all, number, study))
            @for case in &study.cases {
                article.case {
                    h3 { (case.title) @if case.sweep.is_some() { ", " (case_name(case)) } }
                    p.quiet { (circumstances(all, case).join(" · ")) }
                    (table(&["variant", "run", "typical", "memory", "verdict", "interval"], &rows(all, case)))
                    @for change in case.variants.iter().flat_map(|v| &v.changes).flatten() {
                        @if change.not_compared.is_some() { p.warning { (change.sentence) } }
                    }
                }
            }
        }
    }
}

fn rows(all: &SideBySide, case: &ComparedCase) -> Vec<Vec<String>> {
    let cells = |row: Row<'_>| {
        let [typical, memory] = row.measured.map(|text| text.unwrap_or(NONE.to_owned()));
        let [variant, run] = [row.variant, row.run].map(str::to_owned);
        vec![
            variant,
            run,
            typical,
            memory,
            row.said.word,
            row.said.interval,
        ]
    };
    super::rows::rows(all, case)
        .into_iter()
        .map(cells)
        .collect()
}

/// How many flows there can be, a row a model, a column a run.
fn limits_of(all: &SideBySide, study: &ComparedStudy) -> Markup {
    let heads = limits::heads(all);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    html! {
        @if !study.limits.is_empty() {
            article.case {
                h3 { (limits::TITLE) }
                (table(&heads, &limits::rows(study)))
                @for line in limits::notes(all, study) { p.quiet { (line) } }
            }
        }
    }
}
