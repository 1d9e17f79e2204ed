//! Runs side by side for a terminal or a pipe.

use lab::compare::{ComparedCase, ComparedStudy, SideBySide};

use super::{case_name, circumstances, counts, largest, limits, not_covered, where_and_when};
use crate::number::NONE;
use crate::table::{Cell, Column, Table};
use crate::terminal::{Page, Style};
use crate::words::Tone;

/// Everything: the runs, tables, warnings, and the summary last.
#[must_use]
pub fn text(all: &SideBySide, style: &Style) -> String {
    let mut page = Page::new(style);
    for (place, run) in all.runs.iter().enumerate() {
        let reference = if place == 0 { " (reference)" } else { "" };
        let text = format!("{}{reference}: {}", run.name, where_and_when(run));
        page.text(0, Tone::Plain, &text);
    }
    for study in &all.studies {
        self::study(&mut page, all, study);
    }
    page.blank();
    for line in &all.left_out {
        page.text(0, Tone::Quiet, &format!("left out: {line}"));
    }
    for warning in &all.warnings {
        page.text(0, Tone::Doubt, &format!("warning: {warning}"));
    }
    page.text(0, Tone::Quiet, &format!("note: {}", not_covered(all)));
    page.left_out();
    page.blank();
    for run in 1..all.runs.len() {
        page.text(0, Tone::Strong, &counts(all, run));
        if let Some(sentence) = largest(all, run) {
            page.text(2, Tone::Plain, &format!("the largest change: {sentence}"));
        }
    }
    page.finish()
}

fn study(page: &mut Page<'_>, all: &SideBySide, study: &ComparedStudy) {
    page.blank();
    page.text(
        0,
        Tone::Strong,
        &format!("{} · {}", study.name, study.title),
    );
    limits_of(page, all, study);
    for case in &study.cases {
        page.blank();
        let mut title = vec![match &case.sweep {
            Some(_) => format!("{}, {}", case.title, case_name(case)),
            None => case.title.clone(),
        }];
        title.extend(circumstances(all, case));
        page.text(0, Tone::Strong, &title.join(" · "));
        page.table(2, &table(all, case));
        let changes = case.variants.iter().flat_map(|variant| &variant.changes);
        for change in changes
            .flatten()
            .filter(|change| change.not_compared.is_some())
        {
            page.text(2, Tone::Doubt, &change.sentence);
        }
    }
}

/// How many flows there can be, a row a model, a column a run.
fn limits_of(page: &mut Page<'_>, all: &SideBySide, study: &ComparedStudy) {
    if study.limits.is_empty() {
        return;
    }
    page.blank();
    page.text(0, Tone::Strong, limits::TITLE);
    let heads = limits::heads(all);
    // Where there is no room for all runs, the last ones are left out.
    let order = |place: usize| u8::try_from(heads.len() - place).unwrap_or(u8::MAX);
    let column = |(place, head): (usize, &String)| match place {
        0 => Column::left(head),
        _ => Column::right(head).drop(order(place)),
    };
    let cells = |row: &Vec<String>| row.iter().map(|cell| Cell::plain(cell)).collect();
    let table = Table {
        flex: 0,
        columns: heads.iter().enumerate().map(column).collect(),
        rows: limits::rows(study).iter().map(cells).collect(),
    };
    page.table(2, &table);
    for note in limits::notes(all, study) {
        page.text(2, Tone::Quiet, &note);
    }
}

/// One row a variant and run.
fn table(all: &SideBySide, case: &ComparedCase) -> Table {
    let mut last = "";
    let rows = super::rows::rows(all, case).into_iter().map(|row| {
        let label = if row.variant == last { "" } else { row.variant };
        last = row.variant;
        let mut cells = vec![Cell::plain(label), Cell::plain(row.run)];
        cells.extend(row.measured.map(|text| match text {
            Some(text) => Cell::plain(&text),
            None => Cell::new(Tone::Doubt, NONE),
        }));
        cells.push(Cell::new(row.said.tone, &row.said.word));
        cells.push(Cell::plain(&row.said.interval));
        cells
    });
    Table {
        flex: 0,
        rows: rows.collect(),
        columns: vec![
            Column::left("variant"),
            Column::left("run"),
            Column::right("typical"),
            Column::right("memory").drop(1),
            Column::right(&format!("vs {}", all.runs[0].name)),
            Column::left("").drop(2),
        ],
    }
}
