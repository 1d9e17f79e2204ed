//! One self-contained page: no other file, no network, and a script only for a filter of the
//! legends and for what is folded before printing. Its look is the style sheet's alone. `maud`
//! escapes each text, and one pass over the whole page makes characters visible that act or hide.
//! Embedded JSON is plain ASCII without `<`.

mod answers;
mod compact;
mod figure;
mod lesson;
mod machine;
mod method;
mod section;
mod size_budget;
pub(crate) mod table;
mod tabled;

use lab::Results;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::document::detail::{Detail, MOST};
use crate::document::figures::Figure;
use crate::document::{Document, FOLDER};
use crate::text::{cut, visible_markup};
use crate::{json, words};
use compact::{compact, script};
use figure::definitions;
pub(crate) use lesson::{Lesson, Lessons};
pub(crate) use method::method;
pub(crate) use section::section;
use size_budget::SizeBudget;
pub(crate) use tabled::forest;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
const FLAMES: &str = include_str!("html/flames.js");

const TITLE: usize = 120;

/// For markers, and for notes on what was left out.
const RESERVE: usize = 32_000;

const SPARE: usize = 3_000;

/// The whole page, with as much in it as it may hold: below 600,000 bytes whatever was run.
#[must_use]
pub fn page(results: &Results) -> String {
    let document = Document::of(results, FOLDER);
    let lessons = Lessons::of(results, &document.answers);
    let run = Whole {
        results,
        document: &document,
        lessons: &lessons,
    };
    let page_with = |detail| bounded(run, detail, RESERVE);
    let whole = page_with(Detail::All);
    if whole.len() < MOST {
        return whole;
    }
    // The first level that fits is found by halving; the last is remade with its free room.
    let levels = &Detail::LEVELS[1..];
    let (mut low, mut high) = (0, levels.len() - 1);
    let mut found = None;
    while low < high {
        let middle = usize::midpoint(low, high);
        let page = page_with(levels[middle]);
        if page.len() < MOST {
            (high, found) = (middle, Some(page));
        } else {
            low = middle + 1;
        }
    }
    found.unwrap_or_else(|| {
        let page = page_with(levels[high]);
        let spare = (MOST - page.len()).saturating_sub(SPARE);
        let fuller = bounded(run, levels[high], RESERVE.saturating_sub(spare));
        if fuller.len() < MOST { fuller } else { page }
    })
}

#[derive(Debug, Clone, Copy)]
struct Whole<'a> {
    results: &'a Results,
    document: &'a Document,
    lessons: &'a Lessons,
}

/// `reserve` is kept free for what surrounds the parts.
fn bounded(run: Whole<'_>, detail: Detail, reserve: usize) -> String {
    let results = run.results;
    let studies = results.studies.iter();
    let names: Vec<_> = studies.map(|study| study.study.name.as_str()).collect();
    let title = format!("flowgauge: {}", names.join(", "));
    let title = cut(&title, TITLE);
    let data = json::embedded(results, detail.data());
    let mut budget = SizeBudget::unbounded();
    if detail.is_bounded() {
        let around = document(&title, html! {}, &data).len() + reserve;
        budget = SizeBudget::of(MOST.saturating_sub(around));
    }
    document(&title, body(run, detail, &mut budget), &data)
}

pub(crate) fn printed(figures: impl Iterator<Item = Figure>) -> Markup {
    html! { @for figure in figures { (figure.render_with(Detail::All)) } }
}

pub(crate) fn sheet(title: &str, body: Markup) -> String {
    let body = body.into_string();
    finished(html! {
        (head(title, html! {}))
        body.sheet { (drawn(&body)) }
    })
}

pub(crate) fn document(title: &str, body: Markup, data: &str) -> String {
    let body = body.into_string();
    let schemes = html! { meta name="color-scheme" content="light dark"; };
    finished(html! {
        (head(title, schemes))
        body {
            (drawn(&body))
            script type="application/json" id="results" { (PreEscaped(data)) }
            script { (PreEscaped(script(SCRIPT))) }
            @if body.contains("class=\"flame") { script { (PreEscaped(script(FLAMES))) } }
        }
    })
}

fn head(title: &str, more: Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            (more)
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn drawn(body: &str) -> Markup {
    html! {
        svg.definitions width="0" height="0" aria-hidden="true" { (definitions(body)) }
        (PreEscaped(body))
    }
}

fn finished(page: Markup) -> String {
    let page = html! { (DOCTYPE) html lang="en" { (page) } };
    compact(&visible_markup(&page.into_string()))
}

fn body(whole: Whole<'_>, detail: Detail, budget: &mut SizeBudget) -> Markup {
    let (results, run) = (whole.results, whole.document);
    // What stands last must not lose its room to what stands first.
    let again = budget.hold("how to run it again", again(results));
    let machine = budget.hold("the machine", machine::machine(&results.header.machine));
    let navigation = budget.hold(
        "links to the studies",
        navigation(results, detail.has_lessons()),
    );
    let none = Lessons::default();
    let lessons = match detail.has_lessons() {
        true => whole.lessons,
        false => &none,
    };
    let top = answers::top(results, run, lessons, budget);
    let method = budget.hold("how a row is judged", method());
    let studies = run.studies.iter().enumerate().map(|(place, study)| {
        let answer = budget.hold("the answer beside the name of a study", answer(run, place));
        section::study(study, &answer, detail, budget)
    });
    let studies: Vec<Markup> = studies.collect();
    html! {
        a.skip href="#studies" { "Skip to the studies" }
        (top)
        (navigation)
        main #studies { @for study in &studies { (study) } }
        (notes(results, detail, budget))
        section aria-label="About this run" {
            (method)
            (again)
            (machine)
        }
        (lessons.end())
    }
}

fn navigation(results: &Results, has_class: bool) -> Markup {
    html! {
        nav aria-label="Studies" {
            @for (place, study) in results.studies.iter().enumerate() {
                a href=(format!("#study{place}")) { (study.study.name) }
            }
            a href="#method" { "method" }
            a href="#again" { "run again" }
            a href="#machine" { "machine" }
            @if has_class { a href="#class" { "guess first" } }
        }
    }
}

fn answer(run: &Document, place: usize) -> Markup {
    html! {
        @if let Some(row) = run.answers.of_study(place).first() {
            span.answer { (row.label) ": " (answers::short(row)) }
        }
    }
}

fn notes(results: &Results, detail: Detail, budget: &mut SizeBudget) -> Markup {
    let notes = results.notes.iter();
    let notes: Vec<Markup> = notes
        .map(|note| budget.hold(note, html! { li { (note) } }))
        .collect();
    html! {
        @if !notes.is_empty() || detail.said().is_some() {
            section #notes aria-label="Left out" {
                h2 { "Left out" }
                ul {
                    @for note in &notes { (note) }
                    @if let Some(said) = detail.said() { li { (said) } }
                    @if let Some(lost) = budget.said(0) { li { (lost) ". " (section::WHERE) "." } }
                }
            }
        }
    }
}

fn again(results: &Results) -> Markup {
    html! {
        details.study {
            summary { h2 { "Run it again" } }
            div #again {}
            p { "The same studies, in the same random order:" }
            pre { code { (words::run_again(results)) } }
            p.quiet {
                "Every number here can be computed again from the run's journal.jsonl; the raw "
                "repetitions are in slots.csv beside it."
            }
        }
    }
}
