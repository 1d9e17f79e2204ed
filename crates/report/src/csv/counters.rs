//! `counters.csv`: events of the flows of each slot, one row an event and flow.

use flow::SlotRecord;
use flow::record::counted::Came;
use lab::Results;
use lab::findings::RawSlot;
use lab::findings::counted::{Reading, reading};
use machine::counters::Permission;
use measure::Measured;
use measure::counters::{Event, Sample, Scope};

use super::place::{Launched, Place};
use super::{Field, number, sheet, text, whole};

struct Row<'a> {
    place: Place<'a>,
    round: usize,
    launched: Launched<'a>,
    event: Event,
    of: Of,
}

enum Of {
    All(Measured<Reading>),
    Flow(usize, Scope, Sample),
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("round", |row| whole(Some(row.round as u64 + 1))),
    ("variant", |row| row.launched.label()),
    ("model", |row| row.launched.model()),
    ("flows", |row| row.launched.flows()),
    ("placement", |row| row.launched.placement()),
    ("event", |row| text(row.event.name())),
    ("flow", |row| match row.of {
        Of::All(_) => text("all"),
        Of::Flow(number, ..) => whole(Some(number as u64)),
    }),
    ("counted_in", |row| match row.scope() {
        Some(Scope::Everywhere) => text("user and kernel"),
        Some(Scope::UserOnly) => text("user"),
        None => Field::default(),
    }),
    ("count", |row| whole(row.sample().map(|s| s.count))),
    ("enabled_ns", |row| {
        whole(row.sample().map(|s| s.enabled_ns))
    }),
    ("running_ns", |row| {
        whole(row.sample().map(|s| s.running_ns))
    }),
    ("ran", |row| number(row.sample().and_then(Sample::ran))),
    ("scaled", |row| {
        number(match &row.of {
            Of::All(reading) => reading.value().map(|all| all.scaled),
            Of::Flow(_, _, sample) => sample.scaled(),
        })
    }),
    ("per_cpu_second", |row| {
        number(row.all().map(|all| all.per_cpu_second))
    }),
    ("per_unit", |row| {
        number(row.all().and_then(|all| all.per_unit))
    }),
    ("per_1000_instructions", |row| {
        number(row.all().and_then(|all| all.per_1000_instructions))
    }),
    ("not_available", |row| match &row.of {
        Of::All(missing @ Measured::NotAvailable { .. }) => {
            let said = missing.as_ref().map(|_| "").to_string();
            text(said.trim_start_matches("not available: "))
        }
        Of::All(Measured::Value(_)) | Of::Flow(..) => Field::default(),
    }),
];

impl Row<'_> {
    fn all(&self) -> Option<&Reading> {
        match &self.of {
            Of::All(reading) => reading.value(),
            Of::Flow(..) => None,
        }
    }

    fn sample(&self) -> Option<Sample> {
        match &self.of {
            Of::All(reading) => reading.value().map(|all| all.sum),
            Of::Flow(_, _, sample) => Some(*sample),
        }
    }

    fn scope(&self) -> Option<Scope> {
        match &self.of {
            Of::All(reading) => reading.value().map(|all| all.scope),
            Of::Flow(_, scope, _) => Some(*scope),
        }
    }
}

/// One row an event for all flows of each good slot, and for each of up to 64 flows, if any.
#[must_use]
pub fn counters(results: &Results) -> Option<String> {
    let header = &results.header;
    let asked = &header.settings.events;
    if asked.is_empty() {
        return None;
    }
    let permission = &header.machine.counters.permission;
    let rows = Place::all(results).flat_map(|place| {
        let slots = place.case.slots.iter();
        slots.flat_map(move |slot| of_slot(place, slot, asked, permission))
    });
    let fields = rows.map(|row| row.place.row(COLUMNS, &row));
    Some(sheet(Place::names(COLUMNS), fields))
}

fn of_slot<'a>(
    place: Place<'a>,
    slot: &'a RawSlot,
    asked: &'a [Event],
    permission: &'a Permission,
) -> impl Iterator<Item = Row<'a>> {
    let record = slot.outcome.answer.done();
    let case = &place.case.case;
    let own = case.variants[slot.variant].work.as_ref();
    let work = own.unwrap_or(&case.work);
    let row = move |event, of| Row {
        place,
        round: slot.round,
        launched: place.launched(slot.variant),
        event,
        of,
    };
    record.into_iter().flat_map(move |record| {
        asked.iter().flat_map(move |&event| {
            let all = Of::All(reading(record, event, permission, work));
            let each = flows(record, event).into_iter();
            std::iter::once(all)
                .chain(each)
                .map(move |of| row(event, of))
        })
    })
}

fn flows(record: &SlotRecord, event: Event) -> Vec<Of> {
    let last = record.reps.last();
    let counted = last.and_then(|rep| rep.counted.as_ref()?.value());
    match counted.and_then(|counted| counted.of(event)) {
        Some(Came::Read { scope, each, .. }) => {
            let numbered = (1..).zip(each);
            numbered
                .map(|(n, sample)| Of::Flow(n, *scope, *sample))
                .collect()
        }
        Some(Came::Refused { .. }) | None => Vec::new(),
    }
}
