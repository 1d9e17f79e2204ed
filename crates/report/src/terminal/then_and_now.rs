//! The source's table with our times in it, and its figures beside them.

use lab::StudyResult;

use super::page::Page;
use crate::number::{NONE, bytes, percent, time};
use crate::origin::{Pair, Row, ThenAndNow, difference, in_words};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// Where a study comes from and, where its source has a table, the two tables in one.
pub(super) fn then_and_now(page: &mut Page<'_>, study: &StudyResult) {
    let Some(origin) = &study.study.origin else {
        return;
    };
    page.blank();
    let title = format!(
        "Then and now · {}, \"{}\", {}",
        origin.author, origin.title, origin.year
    );
    page.text(0, Tone::Strong, &title);
    page.text(
        2,
        Tone::Plain,
        &format!("{}: {}", origin.year, origin.finding),
    );
    if let Some(both) = ThenAndNow::of(study) {
        page.table(2, &table(&both));
        memory(page, &both);
    }
}

fn table(both: &ThenAndNow<'_>) -> Table {
    let [a, b] = both.labels;
    let columns = vec![
        Column::left("done after"),
        Column::right(a),
        Column::right(b),
        Column::right("difference").drop(1),
        Column::right("%"),
        Column::left(&both.year.to_string()).drop(2),
    ];
    let rows = both.rows.iter().chain([&both.total]);
    Table {
        flex: 0,
        columns,
        rows: rows.map(|line| row(both, line)).collect(),
    }
}

fn row(both: &ThenAndNow<'_>, row: &Row<'_>) -> Vec<Cell> {
    let number = |value: Option<String>| Cell::plain(value.as_deref().unwrap_or(NONE));
    let differs = difference(row.now);
    vec![
        Cell::plain(row.who),
        number(row.now[0].map(time)),
        number(row.now[1].map(time)),
        number(differs.map(|(ns, _)| time(ns))),
        number(differs.map(|(_, fraction)| percent(fraction))),
        number(figures(both.labels, row.then, time, "faster")),
    ]
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
    let say = |pair| figures(both.labels, pair, bytes, "less");
    let now = say(both.memory_now).unwrap_or_else(|| NONE.to_owned());
    let mut text = format!("memory of parent and workers, {a} / {b}: {now}");
    if let Some(then) = say(both.memory_then) {
        text.push_str(&format!(" ({}: {then})", both.year));
    }
    page.text(2, Tone::Plain, &text);
}
