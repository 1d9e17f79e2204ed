//! `samples.csv`: what samplers recorded, one row a sample.

use flow::Samples;
use flow::sampler::{Sample, Totals};
use lab::CaseResult;
use lab::findings::{RawSlot, sampled};

use super::place::Launched;
use super::{Field, number, text, whole};

pub(super) struct Row<'a> {
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

pub(super) type Column = (&'static str, fn(&Row<'_>) -> Field);

pub(super) const COLUMNS: &[Column] = &[
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
    ("at_ns", |row| whole(Some(row.totals().at_ns))),
    ("cpu_ns", |row| whole(Some(row.totals().cpu_ns))),
    ("cpu_share", |row| number(row.share)),
    ("processes", |row| whole(row.sample().map(|s| s.processes))),
    ("tasks", |row| whole(row.sample().map(|s| s.tasks))),
    ("rss_bytes", |row| whole(row.sample().map(|s| s.rss))),
    ("memory_bytes", |row| {
        whole(row.sample().and_then(|s| s.memory))
    }),
    ("written_bytes", |row| whole(row.totals().written)),
    ("disk_bytes", |row| whole(row.totals().disk)),
];

impl<'a> Row<'a> {
    fn sample(&self) -> Option<&'a Sample> {
        match self.seen {
            Seen::Sample(_, sample) => Some(sample),
            Seen::End(_) => None,
        }
    }

    fn totals(&self) -> Totals {
        match self.seen {
            Seen::Sample(_, sample) => Totals {
                at_ns: sample.at_ns,
                cpu_ns: sample.cpu_ns,
                written: sample.written,
                disk: sample.disk,
            },
            Seen::End(end) => end,
        }
    }
}

/// One a sample and one for the end of each sampled slot.
pub(super) fn rows(case: &CaseResult) -> impl Iterator<Item = Row<'_>> {
    let slots = case.slots.iter();
    slots.flat_map(move |slot| of_slot(case, slot))
}

fn of_slot<'a>(case: &'a CaseResult, slot: &'a RawSlot) -> impl Iterator<Item = Row<'a>> {
    sampled::of(&slot.outcome)
        .into_iter()
        .flat_map(move |samples| {
            let numbered = (1..).zip(&samples.samples);
            let seen = numbered.map(|(number, sample)| Seen::Sample(number, sample));
            let mut shares = sampled::course(samples).into_iter();
            seen.chain(samples.end.map(Seen::End)).map(move |seen| Row {
                slot,
                launched: Launched(case.case.variants.get(slot.variant)),
                samples,
                seen,
                share: shares.next().map(|(_, share)| share),
            })
        })
}
