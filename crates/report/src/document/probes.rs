//! Predictions put to the test behind a lowered limit: `probes.csv` and its table for people.

use flow::Probed;
use lab::data::room::limit;
use lab::{Probe, StudyResult};
use machine::Ceiling;

use super::table::{Cell, Col, Table, Unit, missing, said, text, whole};
use super::{Level, Section};
use crate::words::Tone;

const TITLE: &str = "Predictions put to the test behind lowered limits";

const ABOUT: &str = "For each model one limit was lowered for one process, in which the same \
    reading predicted how many flows there is room for, and flows were made until one was refused.";

pub(crate) type Column = Col<fn(&&Probe) -> Cell>;

fn met(probe: &Probe) -> Option<(&Ceiling, u64, Option<&str>)> {
    match &probe.probed {
        Probed::NotAvailable { .. } => None,
        Probed::Met {
            predicted,
            reached,
            refused_with,
        } => Some((predicted, *reached, refused_with.as_deref())),
    }
}

fn predicted(probe: &Probe) -> Option<&Ceiling> {
    met(probe).map(|(predicted, ..)| predicted)
}

fn tone(probe: &Probe) -> Tone {
    match probe.confirms() {
        Some(true) => Tone::Plain,
        Some(false) | None => Tone::Doubt,
    }
}

fn if_met(probe: &Probe, cell: impl Fn(&Ceiling, u64) -> Cell) -> Cell {
    let known = met(probe).map(|(predicted, reached, _)| cell(predicted, reached));
    known.unwrap_or_else(|| missing(""))
}

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("model", |row| text(row.model.to_string())).label("model"),
    Column::new("fence", |row| text(row.fence.describe())),
    Column::new("limit", |row| said(predicted(row).map(|p| &p.bites))),
    Column::new("limit_value", |row| whole(predicted(row).map(|p| p.value))),
    Column::new("predicted", |row| {
        let cell = if_met(row, |predicted, _| whole(Some(predicted.count)));
        cell.tone(tone(row))
    })
    .shown("predicted", Unit::Plain),
    Column::new("reached", |row| {
        let cell = if_met(row, |_, reached| whole(Some(reached)));
        cell.tone(tone(row))
    })
    .shown("reached", Unit::Plain),
    Column::new("", |row| if_met(row, |predicted, _| text(limit(predicted)))).label("stopped by"),
    Column::new("", |row| text(row.fence.describe()))
        .label("lowered")
        .drop(2),
    Column::new("refused_with", |row| {
        said(met(row).and_then(|(.., refused)| refused))
    })
    .label("refused with")
    .drop(3),
    Column::new("confirms", |row| {
        said(row.confirms().map(|yes| yes.to_string()))
    }),
    Column::new("took_ns", |row| whole(Some(row.took_ns)))
        .shown("took", Unit::Time)
        .drop(1),
    Column::new("not_available", |row| said(not_probed(row))),
];

pub(super) fn probes(section: &mut Section, id: &str, study: &StudyResult) {
    let mut own = Section::new(id, TITLE);
    if !study.parts.probes.is_empty() {
        own.text(Tone::Quiet, ABOUT);
        own.table(Table::of(TITLE, COLUMNS, study.parts.probes.iter()));
        own.quiet(study.parts.probes.iter().flat_map(notes));
    }
    section.section(own, Level::Evidence);
}

fn not_probed(probe: &Probe) -> Option<&String> {
    match &probe.probed {
        Probed::NotAvailable { reason } => Some(reason),
        Probed::Met { .. } => None,
    }
}

fn notes(probe: &Probe) -> Vec<String> {
    let last = not_probed(probe).map(|reason| (probe.fence, reason));
    let refused = probe.refused.iter().map(|(fence, reason)| (*fence, reason));
    let said = refused.chain(last).map(|(fence, reason)| {
        let (model, fence) = (probe.model, fence.describe());
        format!("{model}: lowering {fence} is not available: {reason}")
    });
    said.collect()
}
