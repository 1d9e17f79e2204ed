//! Probes behind lowered limits as a table.

use lab::StudyResult;

use super::page::Page;
use crate::fenced::{HEADS, TITLE, notes, row};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// The probes of a study that has some.
pub(super) fn fenced(page: &mut Page<'_>, study: &StudyResult) {
    if study.probes.is_empty() {
        return;
    }
    page.blank();
    page.text(0, Tone::Strong, TITLE);
    let [model, predicted, reached, limit, fence, refused, took] = HEADS;
    let rows = study.probes.iter().map(|probe| {
        let (fields, tone) = row(probe);
        fields.iter().map(|field| Cell::new(tone, field)).collect()
    });
    let table = Table {
        flex: 0,
        columns: vec![
            Column::left(model),
            Column::right(predicted),
            Column::right(reached),
            Column::left(limit),
            Column::left(fence).drop(2),
            Column::left(refused).drop(3),
            Column::right(took).drop(1),
        ],
        rows: rows.collect(),
    };
    page.table(2, &table);
    for note in study.probes.iter().flat_map(notes) {
        page.text(2, Tone::Quiet, &note);
    }
}
