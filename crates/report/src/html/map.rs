//! A map: a heat map of its comparisons, a table of what sharing does, and the reasons for what
//! it settles folded away. A map is long, and its sentences would be many times as long: they
//! are in `findings.csv`.

use lab::{CaseResult, Effect, Finding, OperationMatrix, Results};
use maud::{Markup, html};

use super::case::{missing, why};
use super::detail::Detail;
use super::figure::Figures;
use super::heat::heat;
use super::table::table;
use crate::charts::heat::{Cell, Grid};
use crate::number::{NONE, time};
use crate::text::tied;
use crate::words::{BUNDLES, cause, comparison, cut_short_together, finding_of, noise_of};

/// Cases whose reasons are told.
const REASONS: usize = 12;

/// The part of the page about one map.
pub(super) fn map(
    id: &str,
    results: &Results,
    map: &OperationMatrix<'_>,
    detail: Detail,
) -> Markup {
    html! {
        article.case {
            h3 { (map.setting()) }
            p.quiet { (noise_of(&map.cases).join(" · ")) }
            (figures(id, map))
            h4 { "What makes the difference" }
            (causes(map))
            p.quiet { "What is shared is " (BUNDLES) "." }
            @for cut in cut_short_together(results, map.cases.iter().map(|case| (*case, OperationMatrix::row(case)))) {
                p.warning { (cut) }
            }
            @for case in &map.cases { (missing(case)) }
            @if detail.has_folds() { (typical(map)) }
            @if detail.has_folds() { (reasons(map)) }
        }
    }
}

/// The heat map.
pub(super) fn figures(id: &str, map: &OperationMatrix<'_>) -> Figures {
    heat(
        &format!("{id}-map"),
        "Each operation under each model, against processes",
        grid(map),
    )
}

/// Every variant but the reference is a column.
fn grid(map: &OperationMatrix<'_>) -> Grid {
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
        corner: ["operation", "model"].map(str::to_owned),
        rows: map
            .cases
            .iter()
            .map(|case| OperationMatrix::row(case).to_owned())
            .collect(),
        cells: map.cases.iter().map(cells).collect(),
        columns,
    }
}

fn causes(map: &OperationMatrix<'_>) -> Markup {
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
        OperationMatrix::row(case).to_owned(),
        cause(case).1.to_owned(),
        space,
        files,
        typical.map_or(NONE.to_owned(), |value| time(value.typical)),
    ]
}

/// Typical times of every model, folded away.
fn typical(map: &OperationMatrix<'_>) -> Markup {
    let first = map.cases.first();
    let labels = first.into_iter().flat_map(|case| &case.variants);
    let heads: Vec<&str> = ["operation"]
        .into_iter()
        .chain(labels.map(|variant| variant.label.as_str()))
        .collect();
    let row = |case: &&CaseResult| {
        let cell = |label: &&str| {
            let own = case
                .variants
                .iter()
                .find(|variant| variant.label == **label);
            let value = own.and_then(|variant| variant.value);
            value.map_or(NONE.to_owned(), |value| time(value.typical))
        };
        let cells = heads[1..].iter().map(cell);
        [OperationMatrix::row(case).to_owned()]
            .into_iter()
            .chain(cells)
            .collect()
    };
    let rows: Vec<Vec<String>> = map.cases.iter().map(row).collect();
    html! {
        details {
            summary { "Typical times" }
            (table(&heads, &rows))
            p.quiet { "Every slot is in slots.csv." }
        }
    }
}

fn effect(effect: Effect) -> String {
    let said = comparison(Some(&effect.estimate), &effect.verdict);
    format!("{} {}", said.word, said.interval)
}

/// Why the last model differs from the first, where it differs most.
fn reasons(map: &OperationMatrix<'_>) -> Markup {
    let size = |finding: &Finding| {
        let ratio = finding.estimate.map_or(1.0, |estimate| estimate.ratio);
        ratio.ln().abs()
    };
    let last = map.cases.iter().filter_map(|case| case.findings.last());
    let told = last.filter(|finding| finding.verdict.is_decided() && !finding.why.is_empty());
    let mut told: Vec<&Finding> = told.collect();
    told.sort_by(|a, b| size(b).total_cmp(&size(a)));
    html! {
        @if !told.is_empty() {
            details {
                summary { "Reasons for the largest differences between the first and the last model" }
                @for finding in told.iter().take(REASONS) {
                    p.said { (tied(&finding.sentence)) }
                    (why(finding))
                }
                p.quiet { "Those of all others are in findings.csv." }
            }
        }
    }
}
