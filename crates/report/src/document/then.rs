//! Where a study comes from, and its source's figures beside ours.

use lab::{Results, StudyResult};

use super::limits_then::LimitsThen;
use super::origin::{Pair, Row, ThenAndNow, figures, in_words, kilobytes};
use super::table::{Cell, Column, Table, text};
use super::{Level, Section, scaling, searched, workers};
use crate::number::{NONE, bytes, time};
use crate::words::Tone;

/// The part of a study that has a source.
pub(super) fn then_and_now(
    section: &mut Section,
    id: &str,
    results: &Results,
    study: &StudyResult,
) {
    let heading = match &study.study.origin {
        Some(_) => "Then and now",
        None => "What the flows used",
    };
    let mut own = Section::new(&format!("{id}-then"), heading);
    if let Some(origin) = &study.study.origin {
        let (author, title, year) = (&origin.author, &origin.title, origin.year);
        let found = &origin.finding;
        own.text(
            Tone::Plain,
            format!("{author}, \"{title}\", {year}: {found}"),
        );
    }
    let has_own = workers::workers(&mut own, study) || searched::searches(&mut own, id, study);
    if let Some(table) = scaling::then(results, study).filter(|_| !has_own) {
        own.table(table);
    } else if let Some(both) = LimitsThen::of(study).filter(|_| !has_own) {
        own.table(limits(&both));
        own.quiet([both.note]);
    } else if let Some(both) = ThenAndNow::of(study).filter(|_| !has_own) {
        own.table(times(&both));
        own.quiet([both.note()]);
        own.text(Tone::Plain, memory(&both));
    }
    let own = own.plots(crate::plots::place(&study.study.name, "all"));
    section.section(own, Level::Answer);
}

/// Machines of the source are left out from the last on, where there is no room.
fn limits(both: &LimitsThen) -> Table {
    let mut columns = vec![Column::left("flows"), Column::right("at most here")];
    let machines = both.machines.iter().enumerate();
    columns.extend(machines.map(|(place, machine)| {
        let column = Column::right(format!("{machine} {}", both.year));
        match place {
            0 => column,
            place => column.drop(u8::MAX - u8::try_from(place).unwrap_or(u8::MAX)),
        }
    }));
    let rows = both.rows.iter().map(|row| {
        let cells = [&row.label, &row.here].into_iter().chain(&row.there);
        cells.map(|cell| text(cell).into()).collect()
    });
    Table::new("Limits then and now", columns, rows)
}

fn times(both: &ThenAndNow<'_>) -> Table {
    let [a, b] = both.labels;
    let mut columns = vec![
        Column::left("done after"),
        Column::right(a),
        Column::right(b),
    ];
    if both.differ {
        columns.push(Column::left("difference").drop(1));
    }
    columns.push(Column::left(format!("in {}: {a} / {b}", both.year)).drop(2));
    let rows = both.rows.iter().chain([&both.total]);
    Table::new(
        "When each was done, then and now",
        columns,
        rows.map(|line| row(both, line)),
    )
}

fn row(both: &ThenAndNow<'_>, row: &Row<'_>) -> Vec<Cell> {
    let number = |value: Option<String>| {
        let value = value.unwrap_or_else(|| NONE.to_owned());
        Cell::from(text(value))
    };
    let mut cells: Vec<Cell> = vec![
        text(row.who).into(),
        number(row.now[0].map(time)),
        number(row.now[1].map(time)),
    ];
    if both.differ {
        cells.push(number(in_words(both.labels, row.now, "faster")));
    }
    cells.push(number(figures(both.labels, row.then, time, "faster")));
    cells
}

fn memory(both: &ThenAndNow<'_>) -> String {
    let [a, b] = both.labels;
    let say = |pair: Pair, unit| figures(both.labels, pair, unit, "less");
    let now = say(both.memory_now, bytes).unwrap_or_else(|| NONE.to_owned());
    let mut text = format!("Memory of parent and workers, {a} / {b}: {now}");
    if let Some(then) = say(both.memory_then, kilobytes) {
        text.push_str(&format!(" ({}: {then})", both.year));
    }
    text
}
