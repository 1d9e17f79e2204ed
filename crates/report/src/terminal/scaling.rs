//! Throughput against the number of flows, the pages behind it, and the source's figures.

use lab::{Results, Scaling, ScalingPoint, StudyResult, Throughput};

use super::page::Page;
use crate::number::{NONE, bytes};
use crate::scaling::{
    NOTE, PAGES, PARTS, Tables, UNTOLD, allocating, apart, heading, one, pages, per_second,
    tells_pages,
};
use crate::table::{Cell, Column, Table};
use crate::words::Tone;

/// The tables; false where the study scales nothing.
pub(super) fn scaling(page: &mut Page<'_>, results: &Results, study: &StudyResult) -> bool {
    let Some(tables) = Tables::of(results, study) else {
        return false;
    };
    for work in tables.works {
        page.blank();
        page.text(0, Tone::Strong, &heading(work));
        page.table(2, &throughput(work));
        if let Some(apart) = apart(work) {
            page.text(2, Tone::Quiet, &apart);
        }
        if let Some(allocating) = allocating(work) {
            page.text(2, Tone::Quiet, &allocating);
        }
        if tells_pages(work) {
            page.table(2, &touched(work));
        } else {
            page.text(2, Tone::Quiet, UNTOLD);
        }
    }
    page.text(2, Tone::Quiet, NOTE);
    page.text(2, Tone::Quiet, PAGES);
    for reason in tables.reasons() {
        page.text(2, Tone::Quiet, &format!("n/a: {reason}"));
    }
    if let Some(origin) = &study.study.origin {
        page.blank();
        let source = format!("{}, \"{}\", {}", origin.author, origin.title, origin.year);
        page.text(0, Tone::Strong, &format!("Then and now · {source}"));
        page.text(
            2,
            Tone::Plain,
            &format!("{}: {}", origin.year, origin.finding),
        );
        page.text(2, Tone::Quiet, "Throughput of threads over processes:");
        for then in &tables.then {
            page.text(2, Tone::Plain, &then.there());
            for here in then.here() {
                page.text(4, Tone::Plain, &format!("here: {here}"));
            }
        }
    }
    true
}

/// A row for each number of flows and variant, which begins with both.
fn rows(work: &Scaling, row: impl Fn(&ScalingPoint, &Throughput) -> Vec<String>) -> Vec<Vec<Cell>> {
    let points = work.points.iter();
    let places = points.flat_map(|point| {
        let variants = point.variants.iter().enumerate();
        variants.map(move |(place, variant)| (place, point, variant))
    });
    let cells = places.map(|(place, point, variant)| {
        let flows = match place {
            0 => point.flows.to_string(),
            _ => String::new(),
        };
        let first = [flows, variant.label.clone()];
        let all = first.into_iter().chain(row(point, variant));
        all.map(|text| Cell::plain(&text)).collect()
    });
    cells.collect()
}

fn throughput(work: &Scaling) -> Table {
    let columns = vec![
        Column::right("flows"),
        Column::left("variant"),
        Column::right("a second").drop(5),
        Column::right("of one").drop(4),
        Column::left("").drop(1),
        Column::right("over processes"),
        Column::left("").drop(3),
        Column::right("memory").drop(2),
    ];
    let rows = rows(work, |point, variant| {
        let over_one = variant.over_one.as_ref();
        let over = point.threads_over_processes.as_ref();
        let over = over.filter(|_| variant.label == "thread");
        let memory = variant.memory.as_ref();
        let memory = memory
            .value()
            .map_or(NONE.to_owned(), |value| bytes(**value as f64));
        let texts = [
            per_second(variant.per_s),
            over_one.map_or(NONE.to_owned(), |ratio| format!("{:.2}x", ratio.ratio)),
            over_one.map_or(String::new(), lab::Ratio::ends),
            over.map_or(String::new(), one),
            over.map_or(String::new(), lab::Ratio::ends),
            memory,
        ];
        texts.into()
    });
    Table {
        flex: 1,
        columns,
        rows,
    }
}

fn touched(work: &Scaling) -> Table {
    let columns = vec![
        Column::right("flows"),
        Column::left("variant"),
        Column::right("4K: a flow").drop(2),
        Column::right("4K: a core"),
        Column::right("shared"),
        Column::right("by cores").drop(3),
        Column::right("2M: a core").drop(5),
        Column::right("shared").drop(4),
        Column::right("by cores").drop(1),
    ];
    let rows = rows(work, |_, variant| {
        let parts = PARTS.map(|part| pages(variant, part));
        let [
            [flow, _],
            [core, huge_core],
            [shared, huge_shared],
            [by_cores, huge_by_cores],
        ] = parts;
        let texts = [
            flow,
            core,
            shared,
            by_cores,
            huge_core,
            huge_shared,
            huge_by_cores,
        ];
        texts.into()
    });
    Table {
        flex: 1,
        columns,
        rows,
    }
}
