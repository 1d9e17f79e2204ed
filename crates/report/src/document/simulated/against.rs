//! Simulated counts beside those of this machine's processor, from the same slots.

use lab::findings::simulated::{Against, SimulatedCase};

use super::super::Section;
use super::super::table::{Cell, Col, Table, Unit, number, text};

pub(super) struct Row<'a> {
    what: &'static str,
    event: &'static str,
    flows: u32,
    of: &'a str,
    against: Against,
}

type Column = Col<fn(&Row<'_>) -> Cell>;

const COLUMNS: &[Column] = &[
    Column::new("", |row| text(row.flows.to_string())).label("flows"),
    Column::new("", |row| text(row.what)).label("simulated"),
    Column::new("", |row| text(row.event))
        .label("counted as")
        .drop(1),
    Column::new("", |row| text(row.of)).label("of"),
    Column::new("", |row| number(Some(row.against.simulated)))
        .shown("simulated", Unit::Significant),
    Column::new("", |row| number(Some(row.against.counted))).shown("counted", Unit::Significant),
    Column::new("", |row| number(row.against.error())).shown("error", Unit::Percent),
];

pub(super) fn add_table(section: &mut Section, caption: &str, group: &[&SimulatedCase]) {
    let mut rows = group.iter().flat_map(|case| rows(case)).peekable();
    if rows.peek().is_some() {
        let caption = format!("{caption}, beside what this machine counted");
        section.table(Table::of(caption, COLUMNS, rows));
    }
}

fn rows(case: &SimulatedCase) -> Vec<Row<'_>> {
    let of_count = case.counts.iter().filter_map(|count| {
        let event = count.counted?.event;
        let of = [&case.reference, &case.subject, "ratio"];
        Some(
            of.into_iter()
                .zip(count.against()?)
                .map(move |(of, against)| Row {
                    what: count.count.head(),
                    event: event.name(),
                    flows: case.flows,
                    of,
                    against,
                }),
        )
    });
    of_count.flatten().collect()
}
