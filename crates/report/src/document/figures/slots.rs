use lab::CaseResult;
use lab::findings::RawSlot;

use super::{Figure, Legend, brief};
use crate::charts::Chart;
use crate::charts::axis::ends;
use crate::charts::slots::Dot;
use crate::document::table::Table;
use crate::number::time;
use crate::words::many;

const MOST: usize = 4;

pub(crate) fn slots(id: &str, case: &CaseResult) -> Option<Figure> {
    if case.variants.len() > MOST {
        return None;
    }
    let began = case.slots.first().map_or(0.0, |slot| slot.at_s);
    let dot = |slot: &RawSlot| Dot {
        at_s: slot.at_s - began,
        ns: slot.value_ns,
        variant: slot.variant,
    };
    let dots: Vec<_> = case.slots.iter().map(dot).collect();
    let what = many(case.slots.len() as u64, "slot");
    let title = format!("{what} in the order of time: {}", spread(case));
    let desc = format!("The values of {what} against the time of their launch.");
    let figure = Figure::new(id, title, desc, Chart::Slots(dots, case.variants.len()));
    Some(figure.legend(Legend::of(case)).data(rounds(case)))
}

fn spread(case: &CaseResult) -> String {
    let of = |(place, variant): (usize, &lab::VariantSummary)| {
        let own = case.slots.iter().filter(|slot| slot.variant == place);
        let values = own.filter_map(|slot| slot.value_ns);
        let (low, high) = ends(values);
        let label = &variant.label;
        (high > 0.0).then(|| format!("{label} {} to {}", time(low), time(high)))
    };
    let said: Vec<String> = case.variants.iter().enumerate().filter_map(of).collect();
    brief(&said)
}

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
