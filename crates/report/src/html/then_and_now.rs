//! The source's table with our times in it, and its own figures beside them.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::number::{NONE, bytes, percent, time};
use crate::origin::{Pair, Row, ThenAndNow, difference};

/// Where a study comes from; with both tables in one where the source has a table.
pub(super) fn then_and_now(study: &StudyResult) -> Markup {
    let Some(origin) = &study.study.origin else {
        return html! {};
    };
    html! {
        article.case {
            h3 { "Then and now" }
            p { (origin.author) ", " cite { (origin.title) } ", " (origin.year) ": " (origin.finding) }
            @if let Some(both) = ThenAndNow::of(study) {
                (times(&both))
                p.quiet {
                    "Times from the release until each was done. Memory is that of the parent and "
                    "all workers together: pages that they share belong to none of them alone."
                }
            }
        }
    }
}

fn times(both: &ThenAndNow<'_>) -> Markup {
    let [a, b] = both.labels;
    let then = both.year.to_string();
    let heads = [
        "done after",
        a,
        b,
        "difference",
        "%",
        &format!("{then} {a}"),
        &format!("{then} {b}"),
        &format!("{then} %"),
    ];
    let rows = both.rows.iter().chain([&both.total]).map(row);
    table(&heads, &rows.chain([memory(both)]).collect::<Vec<_>>())
}

fn row(row: &Row<'_>) -> Vec<String> {
    cells(row.who, row.now, row.then, time)
}

fn memory(both: &ThenAndNow<'_>) -> Vec<String> {
    cells("memory", both.memory_now, both.memory_then, bytes)
}

/// Now with the difference, then without.
fn cells(who: &str, now: Pair, then: Pair, unit: fn(f64) -> String) -> Vec<String> {
    let [a, b, difference, percent] = compared(now, unit);
    let [then_a, then_b, _, then_percent] = compared(then, unit);
    vec![
        who.to_owned(),
        a,
        b,
        difference,
        percent,
        then_a,
        then_b,
        then_percent,
    ]
}

/// Both values, their difference, and that in percent of the first.
fn compared(pair: Pair, unit: fn(f64) -> String) -> [String; 4] {
    let cell = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    let differs = difference(pair);
    [
        cell(pair[0].map(unit)),
        cell(pair[1].map(unit)),
        cell(differs.map(|(value, _)| unit(value))),
        cell(differs.map(|(_, fraction)| percent(fraction))),
    ]
}
