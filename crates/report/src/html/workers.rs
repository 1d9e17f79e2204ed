//! What workers used, kind by kind, with the source's figures below ours.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::number::{bytes, time};
use crate::workers::{Kind, NOTE, Row, Table, share};

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
    let heads = [
        &kind.case.case.name,
        "CPU %",
        "memory",
        "RSS",
        "peak",
        "given to calls",
        "disk",
        "files",
        "time",
    ];
    let rows: Vec<_> = kind.rows.iter().map(cells).collect();
    html! {
        (table(&heads, &rows))
        @for said in &kind.verdict { p.said { (said) } }
    }
}

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.who.clone(),
        row.cpu_share.shown(share),
        row.memory.shown(bytes),
        row.rss.shown(bytes),
        row.peak.shown(bytes),
        row.calls.shown(bytes),
        row.disk.shown(bytes),
        row.files.shown(bytes),
        row.time.shown(time),
    ]
}
