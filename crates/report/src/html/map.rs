//! A map: a heat map of its comparisons, a table of what sharing does, and the reasons of
//! each case folded away.

use lab::{CaseResult, Effect, Map, Results};
use maud::{Markup, html};

use super::case::{missing, said};
use super::counting;
use super::figure::Figures;
use super::heat::heat;
use super::table::table;
use crate::charts::heat::{Cell, Grid};
use crate::number::{NONE, time};
use crate::words::{cause, circumstances, comparison, cut_short, finding_of, noise_of, work};

/// The part of the page about one map.
pub(super) fn map(id: &str, results: &Results, map: &Map<'_>) -> Markup {
    html! {
        article.case {
            h3 { (map.setting()) }
            p.quiet { (noise_of(&map.cases).join(" · ")) }
            (figures(id, map))
            h4 { "What makes the difference" }
            (causes(map))
            details {
                summary { "Each operation: findings and reasons" }
                @for case in &map.cases { (one(results, case)) }
            }
        }
    }
}

/// The heat map.
pub(super) fn figures(id: &str, map: &Map<'_>) -> Figures {
    heat(
        &format!("{id}-map"),
        "Each operation under each model, against processes",
        ["operation", "model"],
        grid(map),
    )
}

/// Every variant but the reference is a column.
fn grid(map: &Map<'_>) -> Grid {
    let first = map
        .cases
        .first()
        .into_iter()
        .flat_map(|case| &case.variants);
    let columns: Vec<String> = first.skip(1).map(|variant| variant.label.clone()).collect();
    let cells = |case: &&CaseResult| {
        let cell = |label: &String| finding_of(case, label).map(Cell::of);
        columns.iter().map(cell).collect()
    };
    Grid {
        rows: map
            .cases
            .iter()
            .map(|case| Map::row(case).to_owned())
            .collect(),
        cells: map.cases.iter().map(cells).collect(),
        columns,
    }
}

fn causes(map: &Map<'_>) -> Markup {
    let rows: Vec<_> = map.cases.iter().map(|case| causes_row(case)).collect();
    table(
        &[
            "operation",
            "what makes the difference",
            "sharing the address space",
            "sharing the file table",
            "process, typical",
        ],
        &rows,
    )
}

fn causes_row(case: &CaseResult) -> Vec<String> {
    let typical = case.variants.first().and_then(|variant| variant.value);
    let effects = case
        .shared
        .map(|shared| [shared.address_space, shared.file_table]);
    let [space, files] = effects.map_or([NONE; 2].map(str::to_owned), |both| both.map(effect));
    vec![
        Map::row(case).to_owned(),
        cause(case).1.to_owned(),
        space,
        files,
        typical.map_or(NONE.to_owned(), |value| time(value.typical)),
    ]
}

fn effect(effect: Effect) -> String {
    let said = comparison(Some(&effect.estimate), &effect.verdict);
    format!("{} {}", said.word, said.interval)
}

fn one(results: &Results, case: &CaseResult) -> Markup {
    html! {
        h4 { (case.case.title) }
        p.quiet { (circumstances(results, case).join(" · ")) " · " (work(&case.case.work)) }
        @if let Some(cut) = cut_short(results, case) { p.warning { (cut) } }
        @for finding in &case.findings { (said(finding)) }
        (missing(case))
        (counting::of_case(case))
    }
}
