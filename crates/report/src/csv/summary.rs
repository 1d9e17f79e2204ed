//! `summary.csv`: each variant over all its good slots.

use lab::results::{Counts, Requests};
use lab::{Phases, Results, VariantSummary};
use measure::memory::Memory;
use stats::Summary;

use super::place::{Launched, Place};
use super::{Field, number, sheet, text, whole};

struct Row<'a> {
    place: Place<'a>,
    launched: Launched<'a>,
    summary: &'a VariantSummary,
}

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("variant", |row| text(&row.summary.label)),
    ("model", |row| row.launched.model()),
    ("flows", |row| row.launched.flows()),
    ("placement", |row| row.launched.placement()),
    ("schedule", |row| row.launched.schedule()),
    ("channel", |row| row.launched.channel()),
    ("ballast_bytes", |row| row.launched.parent_memory_bytes()),
    ("ballast_pages", |row| row.launched.parent_memory_pages()),
    ("good_slots", |row| whole(Some(row.summary.good as u64))),
    ("failed_slots", |row| {
        let failed: usize = row.summary.failures.iter().map(|f| f.0).sum();
        whole(Some(failed as u64))
    }),
    ("failures", |row| text(failures(row.summary))),
    ("typical_ns", |row| row.value(|value| Some(value.typical))),
    ("undisturbed_ns", |row| number(row.summary.undisturbed_ns)),
    ("mean_ns", |row| row.value(|value| Some(value.mean))),
    ("p25_ns", |row| row.value(|value| Some(value.p25))),
    ("p75_ns", |row| row.value(|value| Some(value.p75))),
    ("mad_ns", |row| row.value(|value| Some(value.mad))),
    ("p95_ns", |row| row.value(|value| value.p95)),
    ("p99_ns", |row| row.value(|value| value.p99)),
    ("cpu_ns", |row| number(row.summary.cpu_ns)),
    ("create_ns", |row| row.phase(|phases| phases.create_ns)),
    ("steady_ns", |row| row.phase(|phases| phases.steady_ns)),
    ("teardown_ns", |row| row.phase(|phases| phases.teardown_ns)),
    ("parent_faults", |row| {
        row.count(|counts| Some(counts.parent_faults))
    }),
    ("flow_faults", |row| {
        row.count(|counts| Some(counts.flow_faults))
    }),
    ("voluntary_switches", |row| {
        row.count(|counts| Some(counts.voluntary_switches))
    }),
    ("involuntary_switches", |row| {
        row.count(|counts| Some(counts.involuntary_switches))
    }),
    ("migrations", |row| row.count(|counts| counts.migrations)),
    ("bytes_read", |row| row.count(|counts| counts.bytes_read)),
    ("bytes_written", |row| {
        row.count(|counts| counts.bytes_written)
    }),
    ("storage_read_bytes", |row| {
        row.count(|counts| counts.storage_read)
    }),
    ("storage_written_bytes", |row| {
        row.count(|counts| counts.storage_written)
    }),
    ("not_counted", |row| {
        text(row.summary.not_counted.join("; "))
    }),
    ("parent_end_ns", |row| number(row.summary.parent_end_ns)),
    ("imbalance", |row| number(row.summary.imbalance)),
    ("requests", |row| row.requests(|r| r.count as f64)),
    ("requests_per_s", |row| row.requests(|r| r.per_s)),
    ("latency_p50_ns", |row| row.requests(|r| r.p50_ns as f64)),
    ("latency_p90_ns", |row| row.requests(|r| r.p90_ns as f64)),
    ("latency_p95_ns", |row| row.requests(|r| r.p95_ns as f64)),
    ("latency_p99_ns", |row| row.requests(|r| r.p99_ns as f64)),
    ("latency_p999_ns", |row| row.requests(|r| r.p999_ns as f64)),
    ("latency_most_ns", |row| row.requests(|r| r.most_ns as f64)),
    ("memory_bytes", |row| row.memory(Memory::total)),
    ("pss_bytes", |row| row.memory(|memory| memory.pss)),
    ("page_tables_bytes", |row| {
        row.memory(|memory| memory.page_tables)
    }),
    ("kernel_stacks_bytes", |row| {
        row.memory(|memory| memory.kernel_stacks)
    }),
    ("slab_bytes", |row| {
        whole(row.summary.memory.and_then(|memory| memory.slab))
    }),
    ("rss_bytes", |row| row.memory(|memory| memory.rss)),
    ("memory_not_available", |row| {
        text(
            row.summary
                .memory_not_available
                .as_deref()
                .unwrap_or_default(),
        )
    }),
];

/// One row a variant of each case.
#[must_use]
pub fn summary(results: &Results) -> String {
    let variants = Place::all(results).flat_map(|place| {
        let variants = place.case.variants.iter().enumerate();
        variants.map(move |(at, summary)| Row {
            place,
            launched: place.launched(at),
            summary,
        })
    });
    sheet(
        Place::names(COLUMNS),
        variants.map(|row| row.place.row(COLUMNS, &row)),
    )
}

impl Row<'_> {
    fn value(&self, value: impl Fn(&Summary) -> Option<f64>) -> Field {
        number(self.summary.value.as_ref().and_then(value))
    }

    fn phase(&self, value: impl Fn(&Phases) -> f64) -> Field {
        number(self.summary.phases.as_ref().map(value))
    }

    fn count(&self, value: impl Fn(&Counts) -> Option<f64>) -> Field {
        number(self.summary.counts.as_ref().and_then(value))
    }

    fn requests(&self, value: impl Fn(&Requests) -> f64) -> Field {
        number(self.summary.requests.as_ref().map(value))
    }

    fn memory(&self, value: impl Fn(&Memory) -> u64) -> Field {
        whole(self.summary.memory.as_ref().map(value))
    }
}

/// `3 x it crashed; 1 x it hung`.
fn failures(summary: &VariantSummary) -> String {
    let reasons = summary
        .failures
        .iter()
        .map(|(count, reason)| format!("{count} x {reason}"));
    reasons.collect::<Vec<_>>().join("; ")
}
