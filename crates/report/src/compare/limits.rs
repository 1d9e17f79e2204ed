//! How many flows of each model there can be, run by run: read, without samples and verdicts.

use lab::Limit;
use lab::compare::{ComparedStudy, SideBySide};
use lab::data::room::limit;

use crate::document::table::{Cell, Column, Table, missing, text, whole};
use crate::document::{Level, Section};
use lab::data::gathered::grouped;

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
        let cells = row.sides.iter().map(|side| cell(side.as_ref()));
        [text(&row.label)].into_iter().chain(cells).collect()
    };
    own.table(Table::new(TITLE, columns, study.limits.iter().map(row)));
    own.quiet(notes(all, study));
    section.section(own, Level::Answer);
}

fn cell(side: Option<&Limit>) -> Cell {
    match side.map(|side| &side.room) {
        None => text(NOT_ASKED),
        Some(None) => missing("no limit of that machine can be read"),
        Some(Some(room)) => whole(Some(room.count)),
    }
}

fn notes(all: &SideBySide, study: &ComparedStudy) -> Vec<String> {
    let runs = all.runs.iter().enumerate();
    let stopped = runs.filter_map(|(run, of)| {
        let rooms = study.limits.iter().filter_map(|row| {
            let room = row.sides[run].as_ref()?.room.as_ref()?;
            Some((limit(room), row.label.as_str()))
        });
        let said: Vec<String> = grouped(rooms)
            .iter()
            .map(|(stops, labels)| format!("{} by {stops}", labels.join(", ")))
            .collect();
        (!said.is_empty()).then(|| format!("stopped in {}: {}", of.name, said.join("; ")))
    });
    let rest = "predicted from what could be read there; limits have no interval and no verdict";
    stopped.chain([rest.to_owned()]).collect()
}
