//! The source's table with our times in it, and its figures beside them.

use lab::StudyResult;

use super::page::Page;
use crate::limits_then::LimitsThen;
use crate::number::{NONE, bytes, time};
use crate::origin::{Pair, Row, ThenAndNow, in_words, kilobytes};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// Where a study comes from and, where its source has a table, the two tables in one.
pub(super) fn then_and_now(page: &mut Page<'_>, study: &StudyResult) {
    let Some(origin) = &study.study.origin else {
        return;
    };
    page.blank();
    let source = format!("{}, \"{}\", {}", origin.author, origin.title, origin.year);
    if let Some(both) = LimitsThen::of(study) {
        page.text(0, Tone::Strong, &format!("Then and now · {source}"));
        let found = format!("{}: {}", origin.year, origin.finding);
        page.text(2, Tone::Plain, &found);
        page.table(2, &limits(&both));
        return page.text(2, Tone::Quiet, &both.note);
    }
    let Some(both) = ThenAndNow::of(study) else {
        return page.text(
            0,
            Tone::Plain,
            &format!("Then · {source}: {}", origin.finding),
        );
    };
    page.text(0, Tone::Strong, &format!("Then and now · {source}"));
    let found = format!("{}: {}", origin.year, origin.finding);
    page.text(2, Tone::Plain, &found);
    page.table(2, &table(&both));
    page.text(2, Tone::Quiet, &both.note());
    memory(page, &both);
}

/// Machines of the source are left out from the last on, where there is no room.
fn limits(both: &LimitsThen) -> Table {
    let mut columns = vec![Column::left("flows"), Column::right("at most here")];
    let machines = both.machines.iter().enumerate();
    columns.extend(machines.map(|(place, machine)| match place {
        0 => Column::right(&format!("{machine} {}", both.year)),
        place => Column::right(machine).drop(u8::MAX - u8::try_from(place).unwrap_or(u8::MAX)),
    }));
    let rows = both.rows.iter().map(|row| {
        let cells = [&row.label, &row.here].into_iter().chain(&row.there);
        cells.map(|text| Cell::plain(text)).collect()
    });
    Table {
        flex: 0,
        columns,
        rows: rows.collect(),
    }
}

fn table(both: &ThenAndNow<'_>) -> Table {
    let [a, b] = both.labels;
    let mut columns = vec![
        Column::left("done after"),
        Column::right(a),
        Column::right(b),
    ];
    if both.differ {
        columns.push(Column::left("difference").drop(1));
    }
    columns.push(Column::left(&format!("in {}: {a} / {b}", both.year)).drop(2));
    let rows = both.rows.iter().chain([&both.total]);
    Table {
        flex: 0,
        columns,
        rows: rows.map(|line| row(both, line)).collect(),
    }
}

fn row(both: &ThenAndNow<'_>, row: &Row<'_>) -> Vec<Cell> {
    let number = |value: Option<String>| Cell::plain(value.as_deref().unwrap_or(NONE));
    let mut cells = vec![
        Cell::plain(row.who),
        number(row.now[0].map(time)),
        number(row.now[1].map(time)),
    ];
    if both.differ {
        cells.push(number(both.difference(row.now, "faster")));
    }
    cells.push(number(figures(both.labels, row.then, time, "faster")));
    cells
}

/// `42.0 s / 40.2 s, thread 4.1 % faster`.
pub(crate) fn figures(
    labels: [&str; 2],
    pair: Pair,
    unit: fn(f64) -> String,
    less: &str,
) -> Option<String> {
    let words = in_words(labels, pair, less)?;
    Some(format!("{} / {}, {words}", unit(pair[0]?), unit(pair[1]?)))
}

fn memory(page: &mut Page<'_>, both: &ThenAndNow<'_>) {
    let [a, b] = both.labels;
    let say = |pair, unit| figures(both.labels, pair, unit, "less");
    let now = say(both.memory_now, bytes).unwrap_or_else(|| NONE.to_owned());
    let mut text = format!("memory of parent and workers, {a} / {b}: {now}");
    if let Some(then) = say(both.memory_then, kilobytes) {
        text.push_str(&format!(" ({}: {then})", both.year));
    }
    page.text(2, Tone::Plain, &text);
}
