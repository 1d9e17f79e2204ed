//! One self-contained page.
//!
//! # Theory
//!
//! The page needs nothing but a browser: no other file, no network, and no script, which
//! only adds a filter to the legends and opens what is folded before printing. Its look
//! (light, dark, telephone, paper) is the style sheet's business alone.
//!
//! Everything passes two gates. `maud` escapes markup wherever a text is put into the page.
//! When the page is done, one pass over all of it makes characters visible that act or
//! hide, so that none can be forgotten. Within the embedded JSON neither may happen: it is
//! plain ASCII without `<` when it goes in.

mod case;
mod compact;
mod counting;
mod course;
pub(crate) mod detail;
mod ecdf;
mod fenced;
pub(crate) mod figure;
mod forest;
mod gains;
mod grids;
pub(crate) mod heat;
mod limits;
pub(crate) mod lines;
mod machine;
mod map;
mod requests;
mod scaling;
mod searched;
mod size_budget;
mod slots;
mod stacks;
mod study;
mod summary;
mod sweep;
pub(crate) mod table;
mod tabled;
mod then_and_now;
mod workers;

use lab::Results;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::text::cut;
use crate::{json, words};
use compact::compact;
pub(crate) use compact::shown;
use detail::{Detail, MOST};
use figure::{Figure, definitions};
use size_budget::SizeBudget;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Columns of the title of a page, at the most.
const TITLE: usize = 120;

/// Bytes for markers that charts refer to, and for what is said of what was left out.
const RESERVE: usize = 32_000;

/// The whole page, with as much in it as it may hold: below 500,000 bytes whatever was run.
#[must_use]
pub fn page(results: &Results) -> String {
    let whole = page_with(results, Detail::All);
    if whole.len() < MOST {
        return whole;
    }
    // Of each level less is left than of the one before, so the first that fits is found by
    // halving. The last one always fits.
    let levels = &Detail::LEVELS[1..];
    let (mut low, mut high) = (0, levels.len() - 1);
    let mut found = None;
    while low < high {
        let middle = usize::midpoint(low, high);
        let page = page_with(results, levels[middle]);
        if page.len() < MOST {
            (high, found) = (middle, Some(page));
        } else {
            low = middle + 1;
        }
    }
    found.unwrap_or_else(|| page_with(results, levels[high]))
}

fn page_with(results: &Results, detail: Detail) -> String {
    let studies = results.studies.iter();
    let names: Vec<_> = studies.map(|study| study.study.name.as_str()).collect();
    let title = format!("flowgauge: {}", names.join(", "));
    let title = cut(&title, TITLE);
    let data = json::embedded(results, detail.data());
    let mut budget = SizeBudget::unbounded();
    if detail.is_bounded() {
        let around = document(&title, html! {}, &data).len() + RESERVE;
        budget = SizeBudget::of(MOST.saturating_sub(around));
    }
    document(&title, body(results, detail, &mut budget), &data)
}

/// The script without its comments and indents.
fn script() -> String {
    let lines = SCRIPT.lines().map(str::trim_start);
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    lines.join("\n")
}

/// A page around a body, with data for programs in it.
pub(crate) fn document(title: &str, body: Markup, data: &str) -> String {
    let body = body.into_string();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                svg.definitions width="0" height="0" aria-hidden="true" { (definitions(&body)) }
                (PreEscaped(&body))
                script type="application/json" id="results" { (PreEscaped(data)) }
                script { (PreEscaped(script())) }
            }
        }
    };
    compact(&shown(&page.into_string()))
}

fn body(results: &Results, detail: Detail, budget: &mut SizeBudget) -> Markup {
    // What stands at the end must not go for want of what stands before it.
    let again = budget.hold(again(results));
    let machine = budget.hold(machine::machine(&results.header.machine));
    html! {
        (summary::summary(results, budget))
        main {
            @for (place, study) in results.studies.iter().enumerate() {
                (study::study(results, (place, study), detail, budget))
            }
        }
        (notes(results, detail, budget))
        (again)
        (machine)
    }
}

/// Every chart of a page of results, with the words that name its place.
pub(crate) fn figures(results: &Results) -> Vec<(String, Figure)> {
    let studies = results.studies.iter().enumerate();
    studies
        .flat_map(|(place, result)| study::figures(place, result))
        .collect()
}

/// What was left out, of the run and of the page.
fn notes(results: &Results, detail: Detail, budget: &mut SizeBudget) -> Markup {
    let notes = results.notes.iter();
    let notes: Vec<Markup> = notes
        .map(|note| budget.hold(html! { li { (note) } }))
        .collect();
    let left_out = words::many(budget.left_out() as u64, "part");
    html! {
        @if !notes.is_empty() || detail.said().is_some() {
            section #notes {
                h2 { "Left out" }
                ul {
                    @for note in &notes { (note) }
                    @if let Some(said) = detail.said() { li { (said) } }
                    @if budget.left_out() > 0 {
                        li { (left_out) " of this page found no room on it (studies, cases, warnings)." }
                    }
                }
            }
        }
    }
}

/// How to run it again.
fn again(results: &Results) -> Markup {
    html! {
        section #again {
            h2 { "Run it again" }
            p { "The same studies, in the same random order:" }
            pre { code { (words::run_again(results)) } }
            p.quiet {
                "Every number here can be computed again from the run's journal.jsonl; the raw "
                "repetitions are in slots.csv beside it."
            }
        }
    }
}
