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
mod course;
mod fenced;
mod figure;
mod forest;
mod grids;
pub(crate) mod heat;
mod machine;
mod map;
mod slots;
mod stacks;
mod study;
mod summary;
mod sweep;
mod table;
mod then_and_now;
mod workers;

use lab::Results;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::charts::marker;
use crate::text::hides;
use crate::{json, words};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Above so many slots the tables under the charts of slots are left out; the page says
/// where they are.
const SLOTS: usize = 3_000;

/// The whole page.
#[must_use]
pub fn page(results: &Results) -> String {
    let names: Vec<_> = results
        .studies
        .iter()
        .map(|study| study.study.name.as_str())
        .collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "flowgauge: " (names.join(", ")) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body(results)) }
        }
    };
    shown(&page.into_string())
}

fn body(results: &Results) -> Markup {
    let many = results
        .studies
        .iter()
        .flat_map(|study| &study.cases)
        .map(|case| case.slots.len());
    let with_slots = many.sum::<usize>() <= SLOTS;
    html! {
        (marker::definitions())
        (summary::summary(results))
        main {
            @for (place, study) in results.studies.iter().enumerate() {
                (study::study(results, place, study, with_slots))
            }
        }
        (again(results))
        (machine::machine(&results.header.machine))
        script type="application/json" id="results" { (PreEscaped(json::embedded(results))) }
        script { (PreEscaped(SCRIPT)) }
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

/// The page with everything in it visible. Its own line breaks stay.
fn shown(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for c in page.chars() {
        if hides(c) && c != '\n' {
            text.extend(c.escape_unicode());
        } else {
            text.push(c);
        }
    }
    text
}
