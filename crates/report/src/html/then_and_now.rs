//! The source's table with our times in it, and its own figures beside them.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::limits_then::LimitsThen;
use crate::number::{NONE, bytes, time};
use crate::origin::{Pair, ThenAndNow, in_words, kilobytes};

/// Where a study comes from; with both tables in one where the source has a table.
pub(super) fn then_and_now(study: &StudyResult) -> Markup {
    let Some(origin) = &study.study.origin else {
        return html! {};
    };
    html! {
        article.case {
            @let both = ThenAndNow::of(study);
            @let limited = LimitsThen::of(study);
            h3 { @if both.is_some() || limited.is_some() { "Then and now" } @else { "Then" } }
            p { (origin.author) ", " cite { (origin.title) } ", " (origin.year) ": " (origin.finding) }
            @if let Some(limited) = limited {
                (limits(&limited))
                p.quiet { (limited.note) }
            }
            @if let Some(both) = both {
                (times(&both))
                p.quiet {
                    "Times from the release until each was done; " (both.note()) ". Memory is that of the parent and "
                    "all workers together: pages that they share belong to none of them alone."
                }
            }
        }
    }
}

fn limits(both: &LimitsThen) -> Markup {
    let then = both
        .machines
        .iter()
        .map(|on| format!("{on}, {}", both.year));
    let then: Vec<String> = then.collect();
    let mut heads = vec!["flows", "at most here"];
    heads.extend(then.iter().map(String::as_str));
    let rows = both.rows.iter().map(|row| {
        let cells = [&row.label, &row.here].into_iter().chain(&row.there);
        cells.cloned().collect()
    });
    table(&heads, &rows.collect::<Vec<_>>())
}

fn times(both: &ThenAndNow<'_>) -> Markup {
    let [a, b] = both.labels;
    let then = |what: &str| format!("in {}: {what}", both.year);
    let (then_a, then_b, then_differs) = (then(a), then(b), then("difference"));
    let mut heads = vec!["done after", a, b];
    if both.differ {
        heads.push("difference");
    }
    heads.extend([then_a.as_str(), &then_b, &then_differs]);
    let rows = both.rows.iter().chain([&both.total]);
    let rows = rows.map(|row| cells(both, row.who, (row.now, row.then), (time, time), "faster"));
    let memory = (both.memory_now, both.memory_then);
    let memory = cells(both, "memory", memory, (bytes, kilobytes), "less");
    table(&heads, &rows.chain([memory]).collect::<Vec<_>>())
}

type Unit = fn(f64) -> String;

/// Now, then what the source had.
fn cells(
    both: &ThenAndNow<'_>,
    who: &str,
    (now, then): (Pair, Pair),
    units: (Unit, Unit),
    less: &str,
) -> Vec<String> {
    let cell = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    let mut cells = vec![who.to_owned()];
    cells.extend(now.map(|value| cell(value.map(units.0))));
    if both.differ {
        cells.push(cell(both.difference(now, less)));
    }
    cells.extend(then.map(|value| cell(value.map(units.1))));
    cells.push(cell(in_words(both.labels, then, less)));
    cells
}
