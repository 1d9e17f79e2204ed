//! Each variant of a case: `summary.csv` and its table for people below a case.

use lab::data::axis::AXES;
use lab::findings::{Counts, Requests};
use lab::{CaseResult, LabelledVariant, Phases, VariantSummary};
use measure::memory::Memory;
use stats::Summary;

use super::Section;
use super::table::{Cell, Col, Table, Unit, measured, missing, number, said, text, whole};
use crate::words::{Tone, finding_of, found, is_alone};

pub(crate) const NO_GOOD_SLOT: &str = "no good slot";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) case: &'a CaseResult,
    pub(crate) at: usize,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

pub(crate) const POINT: Column =
    Column::new("", |row| text(row.case.case.point_value())).shown("point", Unit::Plain);
pub(crate) const NAME: Column =
    Column::new("variant", |row| text(&row.summary().label)).label("variant");
pub(crate) const VERDICT: Column = Column::new("", verdict).shown("verdict", Unit::Plain);
pub(crate) const INTERVAL: Column = Column::new("", interval).label("interval");
const TYPICAL: Column = Column::new("typical_ns", |row| {
    let typical = row.summary().value.map(|value| value.typical);
    measured(typical, NO_GOOD_SLOT)
})
.shown("typical", Unit::Time);

pub(crate) const MODEL: &[Column] = &[
    Column::new("model", |row| row.launched().model()),
    Column::new("flows", |row| row.launched().flows()),
];

pub(crate) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("good_slots", |row| whole(Some(row.summary().good as u64))),
    Column::new("failed_slots", |row| whole(Some(row.failed()))),
    Column::new("failures", |row| text(failures(row.summary()))),
    TYPICAL,
    Column::new("undisturbed_ns", |row| {
        measured(row.summary().undisturbed_ns, NO_GOOD_SLOT)
    })
    .shown("undisturbed", Unit::Time)
    .drop(2),
    Column::new("mean_ns", |row| row.value(|value| Some(value.mean))),
    Column::new("p25_ns", |row| row.value(|value| Some(value.p25))),
    Column::new("p75_ns", |row| row.value(|value| Some(value.p75))),
    Column::new("mad_ns", |row| row.value(|value| Some(value.mad))),
    Column::new("p95_ns", |row| row.value(|value| value.p95)),
    Column::new("p99_ns", |row| row.value(|value| value.p99)),
    Column::new("cpu_ns", |row| row.used(|c| c.cpu_ns))
        .shown("CPU time", Unit::Time)
        .drop(3),
    Column::new("create_ns", |row| row.phase(|phases| phases.create_ns)),
    Column::new("steady_ns", |row| row.phase(|phases| phases.steady_ns)),
    Column::new("teardown_ns", |row| row.phase(|phases| phases.teardown_ns)),
    Column::new("parent_faults", |row| row.count(|c| Some(c.parent_faults))),
    Column::new("flow_faults", |row| row.count(|c| c.flow_faults)),
    Column::new("voluntary_switches", |row| {
        row.count(|c| c.voluntary_switches)
    }),
    Column::new("involuntary_switches", |row| {
        row.count(|c| c.involuntary_switches)
    }),
    Column::new("migrations", |row| row.count(|c| c.migrations)),
    Column::new("bytes_read", |row| row.count(|c| c.bytes_read)),
    Column::new("bytes_written", |row| row.count(|c| c.bytes_written)),
    Column::new("storage_read_bytes", |row| row.count(|c| c.storage_read)),
    Column::new("storage_written_bytes", |row| {
        row.count(|c| c.storage_written)
    }),
    Column::new("not_counted", |row| {
        text(row.summary().not_counted.join("; "))
    }),
    Column::new("parent_end_ns", |row| number(row.summary().parent_end_ns)),
    Column::new("imbalance", |row| number(row.summary().imbalance)),
    Column::new("requests", |row| row.requests(|r| r.count as f64)),
    Column::new("requests_per_s", |row| row.requests(|r| r.per_s)),
    Column::new("latency_p50_ns", |row| row.requests(|r| r.p50_ns as f64)),
    Column::new("latency_p90_ns", |row| row.requests(|r| r.p90_ns as f64)),
    Column::new("latency_p95_ns", |row| row.requests(|r| r.p95_ns as f64)),
    Column::new("latency_p99_ns", |row| row.requests(|r| r.p99_ns as f64)),
    Column::new("latency_p999_ns", |row| row.requests(|r| r.p999_ns as f64)),
    Column::new("latency_most_ns", |row| row.requests(|r| r.most_ns as f64)),
    Column::new("memory_bytes", |row| row.memory(Memory::total))
        .shown("memory", Unit::Bytes)
        .drop(5),
    Column::new("pss_bytes", |row| row.memory(|memory| memory.pss)),
    Column::new("page_tables_bytes", |row| {
        row.memory(|memory| memory.page_tables)
    }),
    Column::new("kernel_stacks_bytes", |row| {
        row.memory(|memory| memory.kernel_stacks)
    }),
    Column::new("slab_bytes", |row| {
        whole(row.summary().memory.and_then(|memory| memory.slab))
    }),
    Column::new("rss_bytes", |row| row.memory(|memory| memory.rss))
        .shown("RSS", Unit::Bytes)
        .drop(1),
    Column::new("memory_not_available", |row| {
        said(row.summary().memory_not_available.as_ref())
    }),
    VERDICT,
    INTERVAL.drop(4),
];

/// Requests a second and latencies; the quantities of [`COLUMNS`] under other headings.
const REQUESTS: &[Column] = &[
    NAME,
    Column::new("", |row| row.requests(|r| r.per_s)).shown("requests/s", Unit::Rate),
    Column::new("", |row| row.requests(|r| r.p50_ns as f64)).shown("p50", Unit::Time),
    Column::new("", |row| row.requests(|r| r.p90_ns as f64))
        .shown("p90", Unit::Time)
        .drop(2),
    Column::new("", |row| row.requests(|r| r.p95_ns as f64)).shown("p95", Unit::Time),
    Column::new("", |row| row.requests(|r| r.p99_ns as f64)).shown("p99 of all", Unit::Time),
    Column::new("", |row| row.requests(|r| r.p999_ns as f64))
        .shown("p99.9", Unit::Time)
        .drop(1),
    Column::new("", |row| row.requests(|r| r.most_ns as f64))
        .shown("longest", Unit::Time)
        .drop(3),
];

pub(crate) fn rows<'a>(
    cases: impl IntoIterator<Item = &'a CaseResult>,
) -> impl Iterator<Item = Row<'a>> {
    let cases = cases.into_iter();
    cases.flat_map(|case| (0..case.variants.len()).map(move |at| Row { case, at }))
}

pub(crate) fn table(
    caption: &str,
    columns: &[Column],
    parameter: Option<&str>,
    cases: &[&CaseResult],
) -> Table {
    let reference = cases.first().and_then(|case| case.variants.first());
    let versus = format!("vs {}", reference.map_or("", |first| &first.label));
    let rows = rows(cases.iter().copied());
    let table = match parameter {
        None => Table::of(caption, columns, rows),
        Some(parameter) => {
            let columns: Vec<Column> = [POINT].iter().chain(columns).copied().collect();
            let table = Table::of(caption, &columns, rows);
            table.head("point", parameter).in_groups()
        }
    };
    table.head("verdict", versus).head("interval", "")
}

const NOTE: &str = "Requests: median a second of the steady phase. Latencies: of all \
    requests of all counted repetitions, within 3.1 %.";

/// Requests a second and their latencies, one row a variant.
pub(super) fn requests(section: &mut Section, parameter: Option<&str>, cases: &[&CaseResult]) {
    let mut variants = cases.iter().flat_map(|case| &case.variants);
    if variants.any(|variant| variant.requests.is_some()) {
        section.table(table("Requests and latencies", REQUESTS, parameter, cases));
        section.quiet([NOTE]);
    }
}

fn verdict(row: &Row<'_>) -> Cell {
    if is_alone(row.case) {
        return Cell::default();
    }
    if row.at == 0 {
        return text("reference").tone(Tone::Quiet);
    }
    let finding = finding_of(row.case, &row.summary().label);
    finding.map_or_else(|| missing(""), |finding| found(finding).cell())
}

fn interval(row: &Row<'_>) -> Cell {
    let finding = finding_of(row.case, &row.summary().label).filter(|_| row.at > 0);
    said(finding.map(|finding| found(finding).interval))
}

impl<'a> Row<'a> {
    pub(crate) fn summary(&self) -> &'a VariantSummary {
        &self.case.variants[self.at]
    }

    pub(crate) fn launched(&self) -> Launched<'a> {
        Launched(self.case.case.variants.get(self.at))
    }

    fn failed(&self) -> u64 {
        let failures = self.summary().failures.iter();
        failures.map(|(count, _)| *count as u64).sum()
    }

    fn value(&self, value: impl Fn(&Summary) -> Option<f64>) -> Cell {
        number(self.summary().value.as_ref().and_then(value))
    }

    fn phase(&self, value: impl Fn(&Phases) -> f64) -> Cell {
        number(self.summary().phases.as_ref().map(value))
    }

    fn count(&self, value: impl Fn(&Counts) -> Option<f64>) -> Cell {
        number(self.summary().counts.as_ref().and_then(value))
    }

    /// `None` unless every good slot has it, but where the kernel forgot a part of it.
    pub(crate) fn used(&self, value: impl Fn(&Counts) -> Option<f64>) -> Cell {
        let summary = self.summary();
        let because = match summary.not_counted.is_empty() {
            true => NO_GOOD_SLOT.to_owned(),
            false => summary.not_counted.join("; "),
        };
        measured(summary.counts.as_ref().and_then(value), because)
    }

    fn requests(&self, value: impl Fn(&Requests) -> f64) -> Cell {
        number(self.summary().requests.as_ref().map(value))
    }

    fn memory(&self, value: impl Fn(&Memory) -> u64) -> Cell {
        let summary = self.summary();
        match (&summary.memory, &summary.memory_not_available) {
            (Some(memory), _) => whole(Some(value(memory))),
            (None, Some(reason)) => missing(format!("memory of {}: {reason}", summary.label)),
            (None, None) => missing(NO_GOOD_SLOT),
        }
    }
}

fn failures(summary: &VariantSummary) -> String {
    let reasons = summary.failures.iter();
    let reasons = reasons.map(|(count, reason)| format!("{count} x {reason}"));
    reasons.collect::<Vec<_>>().join("; ")
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Launched<'a>(pub(crate) Option<&'a LabelledVariant>);

impl Launched<'_> {
    pub(crate) fn label(&self) -> Cell {
        said(self.0.map(|labelled| &labelled.label))
    }

    pub(crate) fn model(&self) -> Cell {
        said(self.0.map(|labelled| labelled.variant.model.to_string()))
    }

    pub(crate) fn flows(&self) -> Cell {
        whole(self.0.map(|labelled| labelled.variant.flows))
    }

    pub(crate) fn placement(&self) -> Cell {
        said(
            self.0
                .map(|labelled| labelled.variant.placement.to_string()),
        )
    }

    pub(crate) fn axes(&self) -> impl Iterator<Item = Cell> {
        let variant = self.0.map(|labelled| &labelled.variant);
        axis_columns().map(move |(_, of)| match variant.map(of) {
            Some(serde_json::Value::Number(number)) => whole(number.as_u64()),
            Some(serde_json::Value::String(word)) => text(word),
            _ => Cell::default(),
        })
    }
}

pub(crate) fn axis_columns() -> impl Iterator<Item = &'static lab::data::axis::Column> {
    AXES.iter().flat_map(|axis| axis.columns)
}
