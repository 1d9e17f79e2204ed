//! Throughput against the number of flows with its charts, the pages behind it, the grid of
//! processes and threads, and the source's figures.

use std::collections::BTreeMap;

use lab::{Ratio, Results, Scaling, StudyResult, Throughput};
use maud::{Markup, html};

use super::figure::Figures;
use super::gains::gains;
use super::grids;
use super::table::table;
use crate::number::{NONE, bytes};
use crate::scaling::{
    NOTE, PAGES, PARTS, Tables, UNTOLD, allocating, apart, heading, pages, per_second, shown,
    tells_pages,
};

/// The section; `None` where the study scales nothing.
pub(super) fn scaling(id: &str, results: &Results, study: &StudyResult) -> Option<Markup> {
    let tables = Tables::of(results, study)?;
    Some(html! {
        article.case {
            h3 { "Throughput against the number of flows, and pages" }
            (figures(id, study))
            @for work in tables.works {
                h4 { (heading(work)) }
                (throughput(work))
                @if let Some(apart) = apart(work) { p.quiet { (apart) } }
                @if let Some(allocating) = allocating(work) { p.quiet { (allocating) } }
                @if tells_pages(work) { (touched(work)) } @else { p.quiet { (UNTOLD) } }
            }
            p.quiet { (NOTE) }
            p.quiet { (PAGES) }
            @for reason in tables.reasons() { p.quiet { "n/a: " (reason) } }
        }
        @if let Some(origin) = &study.study.origin {
            article.case {
                h3 { "Then and now" }
                p { (origin.author) ", " cite { (origin.title) } ", " (origin.year) ": " (origin.finding) }
                (then(&tables))
            }
        }
    })
}

/// The charts of each work and way.
pub(super) fn figures(id: &str, study: &StudyResult) -> Figures {
    let works = study.scaling.iter().enumerate();
    works
        .map(|(place, work)| of_work(&format!("{id}-scale{place}-{}", word(work)), study, work))
        .fold(Figures::default(), Figures::and)
}

/// The work and its way as a part of an identifier, so that files of charts tell what they show.
fn word(work: &Scaling) -> String {
    let name = format!("{}_{}", work.workload, work.along);
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

fn of_work(id: &str, study: &StudyResult, work: &Scaling) -> Figures {
    gains(id, study, work).and(grid(&format!("{id}_grid"), study, work))
}

/// Processes by threads, each against as many processes of one thread.
fn grid(id: &str, study: &StudyResult, work: &Scaling) -> Figures {
    let mut cells = BTreeMap::new();
    for point in &work.points {
        let case = study.cases.iter().find(|case| case.case.name == point.case);
        for variant in &point.variants {
            let shape = (variant.processes, variant.threads);
            let cell = case.and_then(|case| grids::cell(case, &variant.label));
            // One flow as a thread has the place of one flow as a process.
            if let Some(cell) = cell {
                cells.entry(shape).or_insert(cell);
            }
        }
    }
    if !cells.keys().any(|(p, t)| *p > 1 && *t > 1) {
        return Figures::default();
    }
    let title = format!(
        "{} {}: processes by threads, against processes of one thread",
        work.workload,
        work.along.spoken()
    );
    grids::by_shape(id, &title, &cells)
}

fn throughput(work: &Scaling) -> Markup {
    let rows = work.points.iter().flat_map(|point| {
        point.variants.iter().map(|variant| {
            let over = point.threads_over_processes.as_ref();
            let over = over.filter(|_| variant.label == "thread");
            let memory = variant.memory.as_ref();
            vec![
                point.flows.to_string(),
                variant.label.clone(),
                per_second(variant.per_s),
                variant.over_one.as_ref().map_or(NONE.to_owned(), of_one),
                over.map_or(String::new(), |ratio| shown(Some(ratio))),
                memory
                    .value()
                    .map_or(NONE.to_owned(), |value| bytes(**value as f64)),
            ]
        })
    });
    let heads = [
        "flows",
        "variant",
        "a second",
        "of one flow",
        "threads over processes",
        "memory",
    ];
    table(&heads, &rows.collect::<Vec<_>>())
}

fn of_one(ratio: &Ratio) -> String {
    format!("{:.2}x {}", ratio.ratio, ratio.ends())
        .trim_end()
        .to_owned()
}

fn touched(work: &Scaling) -> Markup {
    let rows = work.points.iter().flat_map(|point| {
        point.variants.iter().map(|variant| {
            let mut row = vec![point.flows.to_string(), variant.label.clone()];
            row.extend(parts(variant));
            row
        })
    });
    let rows: Vec<_> = rows.collect();
    let heads = [
        "flows",
        "variant",
        "pages of a flow",
        "of a core",
        "shared by flows",
        "shared by cores",
        "2 MiB: of a flow",
        "of a core",
        "shared by flows",
        "shared by cores",
    ];
    table(&heads, &rows)
}

/// Small pages, then huge ones.
fn parts(variant: &Throughput) -> Vec<String> {
    let parts = PARTS.map(|part| pages(variant, part));
    let small = parts.iter().map(|[small, _]| small.clone());
    let huge = parts.iter().map(|[_, huge]| huge.clone());
    small.chain(huge).collect()
}

fn then(tables: &Tables<'_>) -> Markup {
    let rows = tables
        .then
        .iter()
        .map(|then| vec![then.there(), then.here().join("; ")]);
    table(
        &["there, threads over processes", "here"],
        &rows.collect::<Vec<_>>(),
    )
}
