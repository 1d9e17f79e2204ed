//! How many flows of each model there can be, run by run: read, without samples and verdicts.

use lab::Limit;
use lab::compare::{ComparedStudy, SideBySide};
use lab::data::room::limit;

use crate::document::table::{Cell, Column, Table, Value, text, whole};
use crate::document::{Level, Section};

const TITLE: &str = "How many flows of each model there can be";

const NOT_ASKED: &str = "-";

pub(super) fn limits(section: &mut Section, all: &SideBySide, study: &ComparedStudy) {
    if study.limits.is_empty() {
        return;
    }
    let mut own = Section::new("", TITLE);
    let runs = all.runs.iter().enumerate();
    let order = |place: usize| u8::try_from(all.runs.len() - place).unwrap_or(u8::MAX);
    let columns = runs.map(|(place, run)| Column::right(&run.name).drop(order(place)));
    let columns = [Column::left("flows")].into_iter().chain(columns).collect();
    let row = |row: &lab::compare::ComparedLimit| {
        let cells = row.sides.iter().map(|side| Cell::from(cell(side.as_ref())));
        [text(&row.label).into()].into_iter().chain(cells).collect()
    };
    own.table(Table::new(TITLE, columns, study.limits.iter().map(row)));
    own.quiet(notes(all, study));
    section.section(own, Level::Answer);
}

fn cell(side: Option<&Limit>) -> Value {
    match side {
        None => text(NOT_ASKED),
        Some(side) => match &side.room {
            Some(room) => whole(Some(room.count)),
            None => Value::NotAvailable("no limit of that machine can be read".to_owned()),
        },
    }
}

fn notes(all: &SideBySide, study: &ComparedStudy) -> Vec<String> {
    let runs = all.runs.iter().enumerate();
    let stopped = runs.filter_map(|(run, of)| {
        let groups = groups(study, run);
        let said: Vec<String> = groups
            .iter()
            .map(|(stops, labels)| format!("{} by {stops}", labels.join(", ")))
            .collect();
        (!said.is_empty()).then(|| format!("stopped in {}: {}", of.name, said.join("; ")))
    });
    let rest = "predicted from what could be read there; limits have no interval and no verdict";
    stopped.chain([rest.to_owned()]).collect()
}

fn groups(study: &ComparedStudy, run: usize) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &study.limits {
        let Some(room) = row.sides[run].as_ref().and_then(|side| side.room.as_ref()) else {
            continue;
        };
        let stops = limit(room);
        match groups.iter_mut().find(|(known, _)| *known == stops) {
            Some((_, labels)) => labels.push(&row.label),
            None => groups.push((stops, vec![&row.label])),
        }
    }
    groups
}
