//! Runs side by side for a terminal or a pipe.

use lab::VariantSummary;
use lab::compare::{ComparedCase, ComparedStudy, SideBySide};

use super::{NOT_COVERED, case_name, circumstances, counts, largest, said, where_and_when};
use crate::number::{NONE, bytes, time};
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
    page.text(0, Tone::Quiet, &format!("note: {NOT_COVERED}"));
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

/// One row a variant and run.
fn table(all: &SideBySide, case: &ComparedCase) -> Table {
    let mut rows = Vec::new();
    for variant in &case.variants {
        let mut label = variant.label.as_str();
        for (run, side) in variant.sides.iter().enumerate() {
            let Some(side) = side else { continue };
            let mut row = vec![Cell::plain(label), Cell::plain(&all.runs[run].name)];
            row.extend(measured(side));
            row.extend(match &variant.changes[run] {
                Some(change) => {
                    let said = said(change);
                    [
                        Cell::new(said.tone, &said.word),
                        Cell::plain(&said.interval),
                    ]
                }
                None if run == 0 => [Cell::new(Tone::Quiet, "reference"), Cell::plain("")],
                None => [Cell::plain(""), Cell::plain("")],
            });
            rows.push(row);
            label = "";
        }
    }
    Table {
        flex: 0,
        columns: vec![
            Column::left("variant"),
            Column::left("run"),
            Column::right("typical"),
            Column::right("memory").drop(1),
            Column::right(&format!("vs {}", all.runs[0].name)),
            Column::left("").drop(2),
        ],
        rows,
    }
}

fn measured(side: &VariantSummary) -> [Cell; 2] {
    let cell = |text: Option<String>| match text {
        Some(text) => Cell::plain(&text),
        None => Cell::new(Tone::Doubt, NONE),
    };
    [
        cell(side.value.map(|value| time(value.typical))),
        cell(side.memory.map(|memory| bytes(memory.honest() as f64))),
    ]
}
