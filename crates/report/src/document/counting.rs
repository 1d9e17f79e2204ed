use lab::findings::counted::{EventMedians, Events};
use lab::{CaseResult, LabelledVariant, StudyResult};
use measure::counters::{Event, Scope};

use super::Section;
use super::table::{Cell, Col, Table, Unit, Value, number, text};
use crate::number::{count, percent, time};
use crate::words::many;
use lab::data::gathered::distinct;

/// Smaller shares are less than all of the time.
const ALL: f64 = 0.9995;
const RAN: &str = "counters ran";

struct Row<'a> {
    event: Event,
    variant: &'a str,
    medians: Option<&'a EventMedians>,
    per_cycle: Option<f64>,
}

type Column = Col<fn(&Row<'_>) -> Cell>;

const COLUMNS: &[Column] = &[
    Column::new("", |row| {
        let of_cycles = row.per_cycle.map(|_| "instructions per cycle".to_owned());
        text(of_cycles.unwrap_or_else(|| row.event.to_string()))
    })
    .label("event"),
    Column::new("", |row| text(row.variant)).label("variant"),
    Column::new("", |row| match row.per_cycle {
        Some(ratio) => said(ratio, Unit::Significant),
        None => row.of(|m| Some(m.scaled)),
    })
    .shown("count", Unit::Plain),
    Column::new("", |row| match row.event {
        Event::TaskClock => Cell::default(),
        _ => row.of(|m| Some(m.per_cpu_second)),
    })
    .shown("per CPU second", Unit::Plain)
    .drop(1),
    Column::new("", |row| row.of(|m| m.per_unit))
        .shown("per unit", Unit::Plain)
        .drop(2),
    Column::new("", |row| {
        number(row.medians.map(|m| m.ran).filter(|ran| *ran < ALL))
    })
    .shown(RAN, Unit::Percent),
    Column::new("", |row| {
        let own = row.medians.filter(|_| row.event.is_miss());
        number(own.and_then(|m| m.per_1000_instructions))
    })
    .shown("per 1,000 instructions", Unit::Significant)
    .drop(3),
];

fn said(value: f64, unit: Unit) -> Cell {
    Value::Said(Some(value), unit.write(value)).into()
}

impl Row<'_> {
    fn of(&self, what: impl Fn(&EventMedians) -> Option<f64>) -> Cell {
        let unit = match self.event {
            Event::TaskClock => Unit::Time,
            _ => Unit::Amount,
        };
        let value = self.medians.and_then(what);
        value.map_or_else(Cell::default, |value| said(value, unit))
    }
}

pub(super) fn of_case(section: &mut Section, case: &CaseResult) {
    let counted = counted(case);
    let Some((_, events)) = counted.first() else {
        return;
    };
    let asked = events.events.iter();
    let rows = asked.flat_map(|summary| rows_of(summary.event, &counted));
    let rows: Vec<Row<'_>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let caption = "Counted while flows worked, in the last repetition of each slot (medians)";
    section.table(Table::of(caption, COLUMNS, rows.into_iter()).in_groups());
    section.quiet(notes(&counted));
}

fn rows_of<'a>(event: Event, counted: &[(&'a LabelledVariant, &'a Events)]) -> Vec<Row<'a>> {
    let row = |variant: &'a LabelledVariant, medians, per_cycle| Row {
        event,
        variant: &variant.label,
        medians,
        per_cycle,
    };
    let rows = counted.iter().filter_map(|(variant, events)| {
        let medians = events.of(event)?.value()?;
        Some(row(variant, Some(medians), None))
    });
    let of_cycles = counted.iter().filter_map(|(variant, events)| {
        let own = events.instructions_per_cycle;
        let ratio = own.filter(|_| event == Event::Instructions)?;
        Some(row(variant, None, Some(ratio)))
    });
    rows.chain(of_cycles).collect()
}

fn counted(case: &CaseResult) -> Vec<(&LabelledVariant, &Events)> {
    let variants = case.case.variants.iter().zip(&case.variants);
    variants
        .filter_map(|(launched, summary)| Some((launched, summary.counted.as_ref()?)))
        .collect()
}

fn notes(counted: &[(&LabelledVariant, &Events)]) -> Vec<String> {
    let carried = counted.iter().filter_map(|(variant, events)| {
        let flows = u64::from(variant.variant.flows);
        let carriers = events.flows as u64;
        (carriers > 0 && carriers < flows).then(|| {
            format!(
                "the {} of {} share the counters of the {} below them",
                many(flows, "flow"),
                variant.label,
                threads(carriers)
            )
        })
    });
    let mut notes: Vec<String> = carried.collect();
    notes.extend(partial(counted));
    notes.extend(user_only(counted));
    notes.extend(cost(counted));
    notes
}

fn threads(number: u64) -> String {
    match number {
        1 => "one thread of the kernel".to_owned(),
        many => format!("{} threads of the kernel", count(many)),
    }
}

fn medians<'a>(
    counted: &'a [(&LabelledVariant, &'a Events)],
) -> impl Iterator<Item = (Event, &'a EventMedians)> {
    let all = counted.iter().flat_map(|(_, events)| &events.events);
    all.filter_map(|summary| Some((summary.event, summary.count.value()?)))
}

fn partial(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let shared = medians(counted).any(|(_, medians)| medians.ran < ALL);
    shared.then(|| {
        format!(
            "more events than the processor counts at once: they took turns, counts are scaled up \
             from the part of the time under '{RAN}'; to avoid it, --events fewer of them"
        )
    })
}

fn user_only(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let partly = medians(counted).filter(|(_, medians)| medians.scope == Scope::UserOnly);
    let events = distinct(partly.map(|(event, _)| event.to_string()));
    (!events.is_empty()).then(|| {
        let what = events.join(", ");
        format!("counted in user code only, as the kernel permits no more: {what}")
    })
}

fn cost(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let around = counted.iter().map(|(_, events)| events.around_ns);
    let around = time(around.fold(0.0, f64::max));
    let slower = counted.iter().filter_map(|(variant, events)| {
        let slower = events.slower?;
        let word = if slower < 1.0 { "shorter" } else { "longer" };
        let by = percent((slower - 1.0).abs());
        Some(format!("{} {by} {word}", variant.label))
    });
    let slower: Vec<String> = slower.collect();
    let steady = match slower.is_empty() {
        true => {
            "slots have no other repetition to compare with, so its times hold the cost".to_owned()
        }
        false => format!(
            "its steady phase against the others of its slot: {}",
            slower.join(", ")
        ),
    };
    Some(format!(
        "cost of counting: up to {around} around the work of a slot, in no phase; {steady}"
    ))
}

pub(super) fn of_study(section: &mut Section, study: &StudyResult) {
    let missing = lab::findings::counted::missing(study).into_iter();
    section.quiet(missing.map(|line| format!("events {line}")));
}
