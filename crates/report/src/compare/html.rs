use lab::compare::SideBySide;
use maud::{Markup, html};

use super::study::section;
use super::{counts, largest, not_covered, where_and_when};
use crate::document::detail::Detail;
use crate::document::table::Table;
use crate::html::table::{Named, table};
use crate::html::{self, document};
use crate::plots::Plot;
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
    let figures = studies.flat_map(|(place, one)| section(all, place, one).into_figures());
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
                    @if let Some(shift) = all.shift(run) { p { (tied(&shift)) } }
                }
            }
        }
        main {
            section #runs {
                h2 { "The runs" }
                div.facts { (table(&Table::texts("", &["run", "where and when", "seed"], runs(all)), Named::Heading("The runs"))) }
                p.quiet { (not_covered(all)) }
            }
            @for (number, one) in all.studies.iter().enumerate() {
                (html::section(&section(all, number, one), Detail::All, 3))
            }
        }
    }
}

/// Doubt if nothing is decided.
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
