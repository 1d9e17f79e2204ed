//! `slots.csv`: every repetition that counted, and every slot that failed.

use flow::record::{KernelCounters, Turns};
use flow::{Answer, Latencies, Rep, SlotRecord};
use lab::Results;
use lab::findings::{RawSlot, counts};
use measure::memory::{Memory, Reading};
use measure::task::Io;
use measure::usage::{Counter, Usage};

use super::place::{Launched, Place};
use super::{Field, filled_in, lines, names, number, said, sheet, text, whole};
use crate::document::variants::axis_columns;

struct Row<'a> {
    place: Place<'a>,
    slot: &'a RawSlot,
    launched: Launched<'a>,
    /// Number from 1, repetition and slot.
    rep: Option<(u64, &'a Rep, &'a SlotRecord)>,
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const FIRST: &[Column] = &[
    ("round", |row| whole(Some(row.slot.round as u64 + 1))),
    ("at_s", |row| number(Some(row.slot.at_s))),
    ("variant", |row| row.launched.label()),
    ("model", |row| row.launched.model()),
    ("flows", |row| row.launched.flows()),
];

const TIMES: &[Column] = &[
    ("outcome", |row| {
        text(row.failure().map_or("done", |_| "failed"))
    }),
    ("failure", |row| said(row.failure())),
    ("launch_ns", |row| whole(Some(row.slot.outcome.launch_ns))),
    ("slot_value_ns", |row| number(row.slot.value_ns)),
    ("repetition", |row| {
        whole(row.rep.map(|(number, ..)| number))
    }),
    ("create_ns", |row| row.of_rep(|rep| rep.create_ns)),
    ("steady_ns", |row| row.of_rep(|rep| rep.steady_ns)),
    ("teardown_ns", |row| row.of_rep(|rep| rep.teardown_ns)),
    ("total_ns", |row| row.of_rep(Rep::total_ns)),
    ("turns", |row| row.of_turns(|turns| turns.taken)),
    ("hand_overs", |row| row.of_turns(|turns| turns.handed_over)),
    ("turn_switches", |row| row.of_turns(|turns| turns.switches)),
    ("turns_checked", |row| row.of_turns(|turns| turns.checked)),
    ("turns_orderly", |row| row.of_turns(|turns| turns.orderly)),
    ("skew_ns", |row| row.of_rep(|rep| rep.skew_ns)),
    ("parent_end_ns", |row| row.of_rep(|rep| rep.parent.end_ns)),
];

const REST: &[Column] = &[
    ("migrations", |row| whole(row.migrations())),
    ("bytes_read", |row| row.io(|io| io.read)),
    ("bytes_written", |row| row.io(|io| io.written)),
    ("storage_read_bytes", |row| row.io(|io| io.storage_read)),
    ("storage_written_bytes", |row| {
        row.io(|io| io.storage_written)
    }),
    ("not_counted", |row| text(row.not_counted())),
    ("results_received", |row| {
        row.of_rep(|rep| rep.parent.received)
    }),
    ("proof_count", |row| row.of_rep(|rep| rep.proof().count)),
    ("proof_checksum", |row| {
        let proof = row.rep.map(|(_, rep, _)| rep.proof());
        said(proof.map(|proof| format!("0x{:016x}", proof.checksum)))
    }),
    ("requests", |row| whole(row.latencies(Latencies::count))),
    ("latency_p50_ns", |row| whole(row.quantile(0.5))),
    ("latency_p95_ns", |row| whole(row.quantile(0.95))),
    ("latency_p99_ns", |row| whole(row.quantile(0.99))),
    ("latency_most_ns", |row| {
        whole(row.latencies(Latencies::most_ns))
    }),
    ("memory_bytes", |row| row.memory(|all| Some(all.total()))),
    ("pss_bytes", |row| row.memory(|all| Some(all.pss))),
    ("page_tables_bytes", |row| {
        row.memory(|all| Some(all.page_tables))
    }),
    ("kernel_stacks_bytes", |row| {
        row.memory(|all| Some(all.kernel_stacks))
    }),
    ("slab_bytes", |row| row.memory(|all| all.slab)),
    ("rss_bytes", |row| whole(row.rss())),
    ("peak_rss_bytes", |row| row.memory(|all| all.peak_rss)),
    ("heap_bytes", |row| row.memory(|all| Some(all.heap?.bytes))),
    ("large_pages_bytes", |row| {
        row.memory(|all| Some(all.heap?.large))
    }),
    ("memory_not_available", |row| text(row.no_memory())),
];

/// One row a counted repetition, or a failed slot. Warm-ups are in the journal alone.
#[must_use]
pub fn slots(results: &Results) -> String {
    sheet(heading(), filled(results))
}

/// The same as JSON Lines, for programs that stream.
#[must_use]
pub fn slots_lines(results: &Results) -> String {
    lines(heading(), filled(results))
}

fn heading() -> impl Iterator<Item = &'static str> {
    let axes = axis_columns().map(|(name, _)| *name);
    let counters = Counter::ALL.map(Counter::name);
    let first = Place::names(FIRST).chain(axes).chain(names(TIMES));
    first.chain(counters).chain(names(REST))
}

fn filled(results: &Results) -> impl Iterator<Item = Vec<Field>> {
    let slots = Place::all(results).flat_map(|place| {
        let slots = place.case.slots.iter();
        slots.flat_map(move |slot| rows(place, slot))
    });
    slots.map(|row| {
        let mut fields = row.place.row(FIRST, &row);
        fields.extend(row.launched.axes());
        fields.extend(filled_in(TIMES, &row));
        fields.extend(Counter::ALL.map(|counter| row.counter(counter)));
        fields.extend(filled_in(REST, &row));
        fields
    })
}

fn rows<'a>(place: Place<'a>, slot: &'a RawSlot) -> Vec<Row<'a>> {
    let launched = place.launched(slot.variant);
    let row = |rep| Row {
        place,
        slot,
        launched,
        rep,
    };
    match slot.outcome.answer.done() {
        Some(record) => (1..)
            .zip(&record.reps)
            .map(|(number, rep)| row(Some((number, rep, record))))
            .collect(),
        None => vec![row(None)],
    }
}

impl Row<'_> {
    fn failure(&self) -> Option<String> {
        match &self.slot.outcome.answer {
            Answer::Done(_) => None,
            Answer::Failed { reason, .. } => Some(reason.to_string()),
        }
    }

    fn of_rep(&self, value: impl Fn(&Rep) -> u64) -> Field {
        whole(self.rep.map(|(_, rep, _)| value(rep)))
    }

    fn of_turns(&self, value: impl Fn(Turns) -> u64) -> Field {
        whole(self.rep.and_then(|(_, rep, _)| rep.turns).map(value))
    }

    fn counter(&self, counter: Counter) -> Field {
        self.of_rep(|rep| {
            let parent = [rep.parent.create, rep.parent.steady, rep.parent.teardown];
            let flows = rep.flows.iter().flat_map(|flow| [flow.create, flow.steady]);
            parent.into_iter().chain(flows).sum::<Usage>().of(counter)
        })
    }

    fn latencies(&self, value: impl Fn(&Latencies) -> u64) -> Option<u64> {
        self.rep?.1.latencies.as_deref().map(value)
    }

    fn quantile(&self, share: f64) -> Option<u64> {
        lab::latency_ns(self.rep?.1, share).map(|ns| ns as u64)
    }

    fn told(&self) -> Option<&KernelCounters> {
        self.rep?.1.kernel_counters.as_deref()
    }

    fn migrations(&self) -> Option<u64> {
        Some(self.told()?.migrations.value()?.total())
    }

    fn io(&self, bytes: fn(Io) -> u64) -> Field {
        let moved = self.told().and_then(|told| told.io.value());
        whole(moved.map(|moved| bytes(moved.total())))
    }

    fn not_counted(&self) -> String {
        let rep = self.rep.map(|(_, rep, _)| rep);
        counts::not_counted(rep.into_iter()).join("; ")
    }

    fn memory(&self, bytes: fn(&Memory) -> Option<u64>) -> Field {
        match self.rep.map(|(.., record)| &record.memory) {
            Some(Reading::Honest(memory)) => whole(bytes(memory)),
            Some(Reading::RssOnly { .. }) | None => Field::default(),
        }
    }

    fn rss(&self) -> Option<u64> {
        match &self.rep?.2.memory {
            Reading::Honest(memory) => Some(memory.rss),
            Reading::RssOnly { rss, .. } => Some(*rss),
        }
    }

    fn no_memory(&self) -> &str {
        match self.rep.map(|(.., record)| &record.memory) {
            Some(Reading::RssOnly { reason, .. }) => reason,
            _ => "",
        }
    }
}
