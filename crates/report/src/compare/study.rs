//! A study of several runs as a section. Two runs share the row of a variant; more have a row each.

use lab::VariantSummary;
use lab::compare::{ComparedCase, ComparedStudy, ComparedVariant, SideBySide};

use super::charts::figures;
use super::{case_name, circumstances, limits, said};
use crate::document::detail::Detail;
use crate::document::table::{Cell, Col, Table, Unit, Value, measured, text};
use crate::document::variants::NO_GOOD_SLOT;
use crate::document::{Level, Section};
use crate::words::Tone;

struct Row<'a> {
    variant: &'a str,
    run: &'a str,
    sides: Vec<Option<&'a VariantSummary>>,
    said: [Cell; 2],
}

impl Row<'_> {
    fn typical(&self, place: usize) -> Cell {
        self.sides[place].map_or_else(Cell::default, |side| {
            measured(side.value.map(|v| v.typical), NO_GOOD_SLOT)
        })
    }

    fn memory(&self, place: usize) -> Cell {
        self.sides[place].map_or_else(Cell::default, |side| {
            measured(side.memory.map(|memory| memory.total() as f64), "")
        })
    }

    fn memories(&self) -> Cell {
        let sides = [0, 1].map(|place| self.memory(place).value);
        match sides.iter().any(|side| matches!(side, Value::Number(_))) {
            true => text(sides.map(|side| side.shown(Unit::Bytes)).join(" to ")),
            false => Cell::default(),
        }
    }
}

type Column = Col<fn(&Row<'_>) -> Cell>;

const VARIANT: Column = Column::new("", |row| text(row.variant)).label("variant");
const VERDICT: Column = Column::new("", |row| row.said[0].clone()).shown("verdict", Unit::Plain);
const INTERVAL: Column = Column::new("", |row| row.said[1].clone())
    .label("interval")
    .drop(2);

const EACH: &[Column] = &[
    VARIANT,
    Column::new("", |row| text(row.run)).label("run"),
    Column::new("", |row| row.typical(0)).shown("typical", Unit::Time),
    Column::new("", |row| row.memory(0))
        .shown("memory", Unit::Bytes)
        .drop(1),
    VERDICT,
    INTERVAL,
];

const BOTH: &[Column] = &[
    VARIANT,
    Column::new("", |row| row.typical(0)).shown("first", Unit::Time),
    Column::new("", |row| row.typical(1)).shown("second", Unit::Time),
    VERDICT,
    INTERVAL,
    Column::new("", |row| row.memories())
        .shown("memory", Unit::Plain)
        .drop(1),
];

pub(super) fn section(all: &SideBySide, number: usize, study: &ComparedStudy) -> Section {
    let heading = format!("{}: {}", study.name, study.title);
    let mut section =
        Section::new(&format!("study{number}"), &heading).plots(&study.name, "compared");
    limits::limits(&mut section, all, study);
    section.figures(figures(all, number, study), Detail::Never);
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
    section.table(table(all, case));
    let changes = case.variants.iter().flat_map(|one| &one.changes).flatten();
    let lost = changes.filter(|change| change.not_compared.is_some());
    section.texts(Tone::Doubt, lost.map(|change| &change.sentence));
    section
}

fn table(all: &SideBySide, case: &ComparedCase) -> Table {
    let table = match &all.runs[..] {
        [first, second] => Table::of("", BOTH, both(case))
            // From the right: a run may be called "second".
            .head("second", &second.name)
            .head("first", &first.name),
        _ => Table {
            grouped: 1,
            ..Table::of("", EACH, each(all, case))
        },
    };
    table
        .head("verdict", format!("vs {}", all.runs[0].name))
        .head("interval", "")
}

fn both(case: &ComparedCase) -> impl Iterator<Item = Row<'_>> {
    case.variants.iter().map(|variant| Row {
        variant: &variant.label,
        run: "",
        sides: variant.sides.iter().map(Option::as_ref).collect(),
        said: said_of(variant, 1),
    })
}

fn each<'a>(all: &'a SideBySide, case: &'a ComparedCase) -> impl Iterator<Item = Row<'a>> {
    case.variants.iter().flat_map(move |variant| {
        let sides = variant.sides.iter().enumerate();
        sides.filter_map(move |(run, side)| {
            Some(Row {
                variant: &variant.label,
                run: &all.runs[run].name,
                sides: vec![Some(side.as_ref()?)],
                said: said_of(variant, run),
            })
        })
    })
}

fn said_of(variant: &ComparedVariant, run: usize) -> [Cell; 2] {
    match &variant.changes[run] {
        Some(change) => {
            let said = said(change);
            [said.cell(), text(said.interval)]
        }
        None => {
            let word = if run == 0 { "reference" } else { "" };
            [text(word).tone(Tone::Quiet), Cell::default()]
        }
    }
}
