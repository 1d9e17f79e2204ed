//! The raw slots of a case.

use lab::CaseResult;
use lab::results::RawSlot;

use super::{Figure, Legend};
use crate::charts::Chart;
use crate::charts::slots::Dot;
use crate::document::table::Table;
use crate::number::time;
use crate::words::many;

/// Raw slots in the order of time.
pub(crate) fn slots(id: &str, case: &CaseResult) -> Figure {
    let began = case.slots.first().map_or(0.0, |slot| slot.at_s);
    let dot = |slot: &RawSlot| Dot {
        at_s: slot.at_s - began,
        ns: slot.value_ns,
        variant: slot.variant,
    };
    let dots: Vec<_> = case.slots.iter().map(dot).collect();
    let what = many(case.slots.len() as u64, "slot");
    let labels = case.variants.iter().map(|variant| variant.label.as_str());
    Figure {
        id: id.to_owned(),
        title: "Every slot in the order of time".to_owned(),
        desc: format!("The values of {what} against the time of their launch."),
        legend: Legend::variants(labels),
        data: Some(rounds(case)),
        chart: Chart::Slots(dots, case.variants.len()),
    }
}

/// Values round by round, one column a variant.
fn rounds(case: &CaseResult) -> Table {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for slot in &case.slots {
        while rows.len() <= slot.round {
            let mut row = vec![String::new(); case.variants.len() + 1];
            row[0] = (rows.len() + 1).to_string();
            rows.push(row);
        }
        if let Some(cell) = rows[slot.round].get_mut(slot.variant + 1) {
            *cell = slot.value_ns.map_or("failed".to_owned(), time);
        }
    }
    let mut heads = vec!["round"];
    heads.extend(case.variants.iter().map(|variant| variant.label.as_str()));
    Table::texts("", &heads, rows)
}
