//! `samples.csv`: what samplers recorded, one row a sample.

use flow::Samples;
use flow::sampler::{Sample, Totals};
use lab::Results;
use lab::findings::{RawSlot, sampled};

use super::place::{Launched, Place};
use super::{Field, number, sheet_of_some, text, whole};

struct Row<'a> {
    place: Place<'a>,
    slot: &'a RawSlot,
    launched: Launched<'a>,
    samples: &'a Samples,
    seen: Seen<'a>,
    share: Option<f64>,
}

enum Seen<'a> {
    Sample(usize, &'a Sample),
    End(Totals),
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("round", |row| whole(Some(row.slot.round as u64 + 1))),
    ("variant", |row| row.launched.label()),
    ("model", |row| row.launched.model()),
    ("flows", |row| row.launched.flows()),
    ("placement", |row| row.launched.placement()),
    ("interval_ns", |row| whole(Some(row.samples.interval_ns))),
    ("sample", |row| match row.seen {
        Seen::Sample(number, _) => whole(Some(number as u64)),
        Seen::End(_) => text("end"),
    }),
    ("at_ns", |row| match row.seen {
        Seen::Sample(_, sample) => whole(Some(sample.at_ns)),
        Seen::End(end) => whole(Some(end.at_ns)),
    }),
    ("cpu_ns", |row| match row.seen {
        Seen::Sample(_, sample) => whole(Some(sample.cpu_ns)),
        Seen::End(end) => whole(Some(end.cpu_ns)),
    }),
    ("cpu_share", |row| number(row.share)),
    ("processes", |row| whole(row.sample().map(|s| s.processes))),
    ("tasks", |row| whole(row.sample().map(|s| s.tasks))),
    ("rss_bytes", |row| whole(row.sample().map(|s| s.rss))),
    ("memory_bytes", |row| {
        whole(row.sample().and_then(|s| s.memory))
    }),
    ("written_bytes", |row| match row.seen {
        Seen::Sample(_, sample) => whole(sample.written),
        Seen::End(end) => whole(end.written),
    }),
    ("disk_bytes", |row| match row.seen {
        Seen::Sample(_, sample) => whole(sample.disk),
        Seen::End(end) => whole(end.disk),
    }),
];

impl<'a> Row<'a> {
    fn sample(&self) -> Option<&'a Sample> {
        match self.seen {
            Seen::Sample(_, sample) => Some(sample),
            Seen::End(_) => None,
        }
    }
}

/// One row a sample and one for the end of each sampled slot; `None` where nothing was sampled.
#[must_use]
pub fn samples(results: &Results) -> Option<String> {
    let rows = Place::all(results).flat_map(|place| {
        let slots = place.case.slots.iter();
        slots.flat_map(move |slot| rows(place, slot))
    });
    let fields = rows.map(|row| row.place.row(COLUMNS, &row));
    sheet_of_some(Place::names(COLUMNS), fields)
}

fn rows<'a>(place: Place<'a>, slot: &'a RawSlot) -> impl Iterator<Item = Row<'a>> {
    sampled::of(&slot.outcome)
        .into_iter()
        .flat_map(move |samples| {
            let numbered = (1..).zip(&samples.samples);
            let seen = numbered.map(|(number, sample)| Seen::Sample(number, sample));
            let mut shares = sampled::course(samples).into_iter();
            seen.chain(samples.end.map(Seen::End)).map(move |seen| Row {
                place,
                slot,
                launched: place.launched(slot.variant),
                samples,
                seen,
                share: shares.next().map(|(_, share)| share),
            })
        })
}
