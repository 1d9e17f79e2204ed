//! A study of several runs as a section: its limits, its charts, and a table a case.

use lab::VariantSummary;
use lab::compare::{ComparedCase, ComparedStudy, SideBySide};

use super::charts::figures;
use super::{case_name, circumstances, limits, said};
use crate::document::detail::Detail;
use crate::document::table::{Cell, Col, Table, Unit, Value, measured, number, text};
use crate::document::variants::NO_GOOD_SLOT;
use crate::document::{Level, Section};
use crate::plots::place;
use crate::words::Tone;

/// A variant in a run.
struct Row<'a> {
    variant: &'a str,
    run: &'a str,
    side: &'a VariantSummary,
    /// How it compares with the first run: words and interval.
    said: [Cell; 2],
}

type Column = Col<fn(&Row<'_>) -> Cell>;

const COLUMNS: &[Column] = &[
    Column::new("", |row| text(row.variant).into()).label("variant"),
    Column::new("", |row| text(row.run).into()).label("run"),
    Column::new("", |row| {
        measured(row.side.value.map(|v| v.typical), NO_GOOD_SLOT).into()
    })
    .shown("typical", Unit::Time),
    Column::new("", |row| match row.side.memory {
        Some(memory) => number(Some(memory.total() as f64)).into(),
        None => Value::NotAvailable(String::new()).into(),
    })
    .shown("memory", Unit::Bytes)
    .drop(1),
    Column::new("", |row| row.said[0].clone()).shown("verdict", Unit::Plain),
    Column::new("", |row| row.said[1].clone())
        .label("interval")
        .drop(2),
];

/// The section of a study.
pub(super) fn section(all: &SideBySide, number: usize, study: &ComparedStudy) -> Section {
    let heading = format!("{}: {}", study.name, study.title);
    let mut section =
        Section::new(&format!("study{number}"), &heading).plots(place(&study.name, "compared"));
    limits::limits(&mut section, all, study);
    section.figures(figures(all, number, study), Detail::NEVER);
    for case in &study.cases {
        section.section(self::case(all, case), Level::Answer);
    }
    section
}

fn case(all: &SideBySide, case: &ComparedCase) -> Section {
    let heading = match &case.sweep {
        Some(_) => format!("{}, {}", case.title, case_name(case)),
        None => case.title.clone(),
    };
    let aside = circumstances(all, case).join(" · ");
    let mut section = Section::new("", &heading).aside(aside);
    let table = Table::of("", COLUMNS, rows(all, case));
    let table = table
        .head("verdict", format!("vs {}", all.runs[0].name))
        .head("interval", "");
    section.table(Table {
        grouped: 1,
        ..table
    });
    for change in case
        .variants
        .iter()
        .flat_map(|variant| &variant.changes)
        .flatten()
    {
        if change.not_compared.is_some() {
            section.text(Tone::Doubt, &change.sentence);
        }
    }
    section
}

fn rows<'a>(all: &'a SideBySide, case: &'a ComparedCase) -> impl Iterator<Item = Row<'a>> {
    case.variants.iter().flat_map(move |variant| {
        let sides = variant.sides.iter().enumerate();
        sides.filter_map(move |(run, side)| {
            let said = match &variant.changes[run] {
                Some(change) => {
                    let said = said(change);
                    [
                        Cell::from(text(said.word)).tone(said.tone),
                        text(said.interval).into(),
                    ]
                }
                None => {
                    let word = if run == 0 { "reference" } else { "" };
                    [Cell::from(text(word)).tone(Tone::Quiet), Cell::default()]
                }
            };
            Some(Row {
                variant: &variant.label,
                run: &all.runs[run].name,
                side: side.as_ref()?,
                said,
            })
        })
    })
}
