//! What workers used, kind by kind, with the source's figures below ours.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::text::tied;
use crate::workers::{HEADS, Kind, NOTE, Row, Table};

/// The table of a study; `None` where it has no workers.
pub(super) fn workers(study: &StudyResult) -> Option<Markup> {
    let workers = Table::of(study)?;
    Some(html! {
        article.case {
            @if let Some(origin) = &study.study.origin {
                h3 { "Then and now" }
                p { (origin.author) ", " cite { (origin.title) } ", " (origin.year) ": " (origin.finding) }
            } @else {
                h3 { "What the workers used" }
            }
            @for kind in &workers.kinds { (of_kind(kind)) }
            p.quiet { (NOTE) }
            @for reason in workers.reasons() { p.quiet { "n/a: " (reason) } }
        }
    })
}

fn of_kind(kind: &Kind<'_>) -> Markup {
    let mut heads = vec![kind.case.case.name.as_str()];
    heads.extend(HEADS);
    let cells = |row: &Row| [&row.who].into_iter().cloned().chain(row.cells()).collect();
    let rows: Vec<_> = kind.rows.iter().map(cells).collect();
    html! {
        (table(&heads, &rows))
        @for said in &kind.verdict { p.said { (tied(said)) } }
    }
}
