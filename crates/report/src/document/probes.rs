//! Predictions put to the test behind a lowered limit: `probes.csv` and its table for people.

use flow::Probed;
use lab::data::room::limit;
use lab::{Probe, StudyResult};
use machine::Ceiling;

use super::table::{Cell, Col, Table, Unit, Value, text, whole};
use super::{Level, Section};
use crate::words::Tone;

const TITLE: &str = "Predictions put to the test behind lowered limits";

const ABOUT: &str = "For each model one limit was lowered for one process, in which the same \
    reading predicted how many flows there is room for, and flows were made until one was refused.";

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) study: &'a str,
    pub(crate) probe: &'a Probe,
}

impl Row<'_> {
    fn met(&self) -> Option<(&Ceiling, u64, Option<&str>)> {
        match &self.probe.probed {
            Probed::NotAvailable { .. } => None,
            Probed::Met {
                predicted,
                reached,
                refused_with,
            } => Some((predicted, *reached, refused_with.as_deref())),
        }
    }

    fn predicted(&self) -> Option<&Ceiling> {
        self.met().map(|(predicted, ..)| predicted)
    }

    fn tone(&self) -> Tone {
        match self.probe.confirms() {
            Some(true) => Tone::Plain,
            Some(false) | None => Tone::Doubt,
        }
    }

    fn if_met(&self, value: impl Fn(&Ceiling, u64) -> Value) -> Cell {
        match self.met() {
            Some((predicted, reached, _)) => value(predicted, reached).into(),
            None => Value::NotAvailable(String::new()).into(),
        }
    }
}

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("study", |row| text(row.study).into()),
    Column::new("model", |row| text(row.probe.model.to_string()).into()).label("model"),
    Column::new("fence", |row| text(row.probe.fence.describe()).into()),
    Column::new("limit", |row| {
        row.predicted()
            .map_or(Value::Nothing, |p| text(&p.bites))
            .into()
    }),
    Column::new("limit_value", |row| {
        whole(row.predicted().map(|p| p.value)).into()
    }),
    Column::new("predicted", |row| {
        let cell = row.if_met(|predicted, _| whole(Some(predicted.count)));
        cell.tone(row.tone())
    })
    .shown("predicted", Unit::Plain),
    Column::new("reached", |row| {
        let cell = row.if_met(|_, reached| whole(Some(reached)));
        cell.tone(row.tone())
    })
    .shown("reached", Unit::Plain),
    Column::new("", |row| row.if_met(|predicted, _| text(limit(predicted)))).label("stopped by"),
    Column::new("", |row| text(row.probe.fence.describe()).into())
        .label("lowered")
        .drop(2),
    Column::new("refused_with", |row| {
        text(row.met().and_then(|(.., refused)| refused).unwrap_or("")).into()
    })
    .label("refused with")
    .drop(3),
    Column::new("confirms", |row| {
        let confirms = row.probe.confirms();
        confirms
            .map_or(Value::Nothing, |yes| text(yes.to_string()))
            .into()
    }),
    Column::new("took_ns", |row| whole(Some(row.probe.took_ns)).into())
        .shown("took", Unit::Time)
        .drop(1),
    Column::new("not_available", |row| match &row.probe.probed {
        Probed::NotAvailable { reason } => text(reason).into(),
        Probed::Met { .. } => Cell::default(),
    }),
];

pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
    let name = study.study.name.as_str();
    study
        .probes
        .iter()
        .map(move |probe| Row { study: name, probe })
}

pub(super) fn probes(section: &mut Section, id: &str, study: &StudyResult) {
    let mut own = Section::new(id, TITLE);
    if !study.probes.is_empty() {
        own.text(Tone::Quiet, ABOUT);
        own.table(Table::of(TITLE, COLUMNS, rows(study)));
        own.quiet(study.probes.iter().flat_map(notes));
    }
    section.section(own, Level::Evidence);
}

fn notes(probe: &Probe) -> Vec<String> {
    let last = match &probe.probed {
        Probed::NotAvailable { reason } => Some((probe.fence, reason)),
        Probed::Met { .. } => None,
    };
    let refused = probe.refused.iter().map(|(fence, reason)| (*fence, reason));
    let said = refused.chain(last).map(|(fence, reason)| {
        let (model, fence) = (probe.model, fence.describe());
        format!("{model}: lowering {fence} is not available: {reason}")
    });
    said.collect()
}
