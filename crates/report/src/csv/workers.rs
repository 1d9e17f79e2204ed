//! `workers.csv`: what each worker used, and all of them together, with the source's figures.

use lab::{Results, StudyResult};

use super::{Field, filled_in, names, number, sheet_of_some, text, whole};
use crate::workers::{Figure, Kind, Table, Whose};

struct Row<'a> {
    study: &'a StudyResult,
    kind: &'a Kind<'a>,
    row: &'a crate::workers::Row,
}

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("study", |row| text(&row.study.study.name)),
    ("case", |row| text(&row.kind.case.case.name)),
    ("kind", |row| {
        text(row.kind.case.case.work.worker_kind().unwrap_or(""))
    }),
    ("variant", |row| text(&row.row.variant)),
    ("whose", |row| {
        text(match row.row.whose {
            Whose::Worker(_) => "worker",
            Whose::All => "all",
            Whose::Source(_) => "source",
        })
    }),
    ("worker", |row| match row.row.whose {
        Whose::Worker(number) => whole(Some(number as u64)),
        Whose::All | Whose::Source(_) => Field::Nothing,
    }),
    ("year", |row| match row.row.whose {
        Whose::Source(year) => whole(Some(year as u64)),
        Whose::All | Whose::Worker(_) => Field::Nothing,
    }),
    ("cpu_share", |row| number(row.row.cpu_share.value())),
    ("memory_bytes", |row| number(row.row.memory.value())),
    ("rss_bytes", |row| number(row.row.rss.value())),
    ("peak_rss_bytes", |row| number(row.row.peak.value())),
    ("written_by_calls_bytes", |row| {
        number(row.row.calls.value())
    }),
    ("storage_written_bytes", |row| number(row.row.disk.value())),
    ("files_bytes", |row| number(row.row.files.value())),
    ("time_ns", |row| number(row.row.time.value())),
    ("not_available", |row| {
        let row = row.row;
        let figures = [&row.memory, &row.rss, &row.peak, &row.calls, &row.disk];
        let mut reasons: Vec<String> = Vec::new();
        for figure in figures {
            if let Figure::NotAvailable(reason) = figure
                && !reasons.contains(reason)
            {
                reasons.push(reason.clone());
            }
        }
        text(reasons.join("; "))
    }),
];

/// One row a worker, one for all of a variant and one for the source's figures; `None` where
/// no study has workers.
#[must_use]
pub fn workers(results: &Results) -> Option<String> {
    let tables: Vec<(&StudyResult, Table<'_>)> = results
        .studies
        .iter()
        .filter_map(|study| Some((study, Table::of(study)?)))
        .collect();
    let rows = tables.iter().flat_map(|(study, table)| {
        let kinds = table.kinds.iter();
        kinds.flat_map(move |kind| kind.rows.iter().map(move |row| Row { study, kind, row }))
    });
    let rows = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}
