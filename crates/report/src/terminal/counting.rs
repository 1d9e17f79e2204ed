//! Counted events as a table below a case, and what could not be counted below a study.

use lab::{CaseResult, StudyResult};

use super::page::Page;
use crate::blocks::Block;
use crate::counting::{Counting, RAN, counting, is_counted, missing};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// The table of a case, with its notes.
pub(super) fn of_case(page: &mut Page<'_>, case: &CaseResult) {
    let Some(counting) = counting(case) else {
        return;
    };
    page.text(2, Tone::Quiet, &counting.title);
    page.table(2, &table(&counting));
    for note in &counting.notes {
        page.text(2, Tone::Quiet, note);
    }
}

/// What is missing in a study, each reason once, and where the events of its sweeps are.
pub(super) fn of_study(page: &mut Page<'_>, study: &StudyResult) {
    let elsewhere = Block::all(study).iter().any(|block| match block {
        Block::Case(_) => false,
        Block::Sweep(sweep) => sweep.points.iter().any(|(_, case)| is_counted(case)),
        Block::Matrix(map) => map.cases.iter().any(|case| is_counted(case)),
    });
    let pointer = elsewhere.then(|| {
        "counted events of sweeps and maps: in counters.csv, those of sweeps in report.html too"
            .to_owned()
    });
    for line in missing(study).into_iter().chain(pointer) {
        page.text(2, Tone::Quiet, &line);
    }
}

fn table(counting: &Counting) -> Table {
    let column = |head: &&str| match *head {
        "event" | "variant" => Column::left(head),
        "per CPU second" => Column::right(head).drop(1),
        "per unit" => Column::right(head).drop(2),
        "count" | RAN => Column::right(head),
        other => Column::right(other).drop(3),
    };
    let cells = |row: &Vec<String>| row.iter().map(|text| Cell::plain(text)).collect();
    Table {
        flex: 1,
        columns: counting.heads.iter().map(column).collect(),
        rows: counting.rows.iter().map(cells).collect(),
    }
}
