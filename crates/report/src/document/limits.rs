//! How many flows there can be here: the columns of `limits.csv` and of its table for people.

use lab::data::room::limit;
use lab::{Limit, StudyResult, plural};
use machine::Ceiling;

use super::figures::{Figure, stack};
use super::table::{Cell, Col, Column as Head, Table, Unit, measured, missing, said, text, whole};
use super::{Level, Section};
use crate::charts::axis;
use crate::charts::bars::{Bar, Parts};
use crate::number::{bytes, count};
use lab::data::gathered::grouped;

const TITLE: &str = "How many flows of each model there can be here";

const NO_LIMIT: &str = "no limit of this machine can be read";

pub(crate) type Column = Col<fn(&&Limit) -> Cell>;

fn room(limit: &Limit, cell: impl Fn(&Ceiling) -> Cell) -> Cell {
    let room = limit.room.as_ref();
    room.map_or_else(|| missing(NO_LIMIT), cell)
}

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("variant", |row| text(&row.label)).label("flows"),
    Column::new("model", |row| text(row.model.to_string())),
    Column::new("at_most", |row| room(row, |room| whole(Some(room.count))))
        .shown("at most here", Unit::Plain),
    Column::new("limit", |row| room(row, |room| text(&room.bites))),
    Column::new("limit_value", |row| {
        room(row, |room| whole(Some(room.value)))
    }),
    Column::new("left_of_limit", |row| {
        room(row, |room| whole(Some(room.left)))
    }),
    Column::new("needed_each", |row| {
        room(row, |room| whole(Some(room.each)))
    }),
    Column::new("to_raise_it", |row| room(row, |room| text(&room.raise))),
    Column::new("made", |row| whole(Some(row.made))),
    Column::new("create_ns_each", |row| {
        measured(row.create_ns_each, "none could be made")
    })
    .shown("create one", Unit::Time)
    .drop(1),
    Column::new("bytes_each", |row| {
        let reason = row.bytes_not_available.as_deref().unwrap_or_default();
        measured(row.bytes_each, format!("memory of one: {reason}"))
    })
    .shown("memory of one", Unit::Bytes)
    .drop(2),
    Column::new("", |row| room(row, |room| text(limit(room)))).label("stopped by"),
    Column::new("bytes_not_available", |row| {
        said(row.bytes_not_available.as_ref())
    }),
];

pub(super) fn limits(section: &mut Section, id: &str, study: &StudyResult) {
    if study.parts.limits.is_empty() {
        return;
    }
    let mut own = Section::new(id, TITLE);
    let mut table = Table::of(TITLE, COLUMNS, study.parts.limits.iter());
    table.names = table
        .columns
        .iter()
        .position(|c| c.head == "stopped by")
        .unwrap_or(0);
    own.table(table);
    let row = |(raise, labels): (&str, Vec<&str>)| vec![text(labels.join(", ")), text(raise)];
    let columns = vec![Head::left("flows"), Head::left("to raise their limit")];
    let remedies = remedies(study).into_iter().map(row);
    own.table(Table {
        names: 1,
        ..Table::new("What raises each limit", columns, remedies)
    });
    own.quiet(notes(study));
    section.section(own, Level::Evidence);
}

pub(super) fn chart(id: &str, study: &StudyResult) -> Option<Figure> {
    let bar = |limit: &Limit| {
        let most = limit.room.as_ref().filter(|room| room.count > 0)?.count;
        Some(Bar {
            label: limit.label.clone(),
            parts: vec![(most as f64).log10()],
        })
    };
    let bars = study.parts.limits.iter().filter_map(bar).collect();
    let parts = Parts {
        names: &["at most (bars: powers of ten)"],
        unit: &POWERS,
        write: |power| count(10f64.powf(power).round() as u64),
    };
    stack(id, TITLE, bars, parts)
}

const POWERS: axis::Unit = axis::Unit(&[(1.0, "")]);

fn remedies(study: &StudyResult) -> Vec<(&str, Vec<&str>)> {
    let limits = study.parts.limits.iter();
    grouped(limits.filter_map(|one| Some((one.room.as_ref()?.raise.as_str(), one.label.as_str()))))
}

fn notes(study: &StudyResult) -> Vec<String> {
    let made = |one: &Limit| format!("{} {}", count(one.made), plural(&one.label));
    let made: Vec<String> = study.parts.limits.iter().map(made).collect();
    let mut notes = vec![format!(
        "predicted from limits; tested, and time and memory of one flow measured, by creating {}",
        made.join(", ")
    )];
    let needed = |one: &Limit| {
        let room = one.room.as_ref()?;
        let counted = room.unit == machine::Unit::Bytes && room.each > 0;
        counted.then(|| format!("{} for {}", bytes(room.each as f64), one.label))
    };
    let needed: Vec<String> = study.parts.limits.iter().filter_map(needed).collect();
    if !needed.is_empty() {
        notes.push(format!(
            "memory that the prediction assumes per flow: {}",
            needed.join(", ")
        ));
    }
    notes
}
