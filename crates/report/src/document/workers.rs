//! What workers used, one row each and one for all of them, with the source's figures below: the
//! columns of `workers.csv` and of the table that people see.
//!
//! The source gives one row a program and kind of work: CPU share, memory, bytes on the disk
//! and time, of one run, by tools that look now and then. Ours has the same columns from what
//! was counted ([`lab::Workers`]), and each worker by itself. Its figures are laid beside ours
//! where ours are launched as its were: under the names that it gives the models, two workers
//! each, on one CPU. How much work a worker does is ours to choose, so times can be set against
//! each other only by model and not across the two.
//!
//! Memory is that of the parent and all workers together and cannot be split among those that
//! share it, so a worker by itself has none. Whatever a work does not have (files, where it
//! writes none) is an empty cell; what could not be measured has its reason.

use lab::{CaseResult, OriginRow, StudyResult, Used, VariantSummary};
use measure::Measured;

use super::Section;
use super::origin::in_words;
use super::table::{self, Cell, Col, Unit, Value, number, text, whole};
use crate::words::{Tone, finding_of};

/// Workers of each program in the source's table.
const SOURCE_WORKERS: u32 = 2;

/// What the columns are, for the line below the table.
const NOTE: &str = "CPU %: CPU time over the wall time of the steady phase; 100 is one \
    CPU all the time. Time of a worker: from the release to the end of its work; of all: create, \
    steady and tear-down. Memory and RSS: of the parent and all workers, when all have done their \
    work, so arrays that were freed are not in them; peak: the most RSS that each process had at \
    any time, added up. Calls: bytes given to system calls that write; 8 of them, of the worker that is \
    done last, tell the parent so. Disk: bytes that the kernel counted towards storage; files: \
    bytes that were read back from the files and were right.";

/// The table of a study.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table<'a> {
    pub(crate) kinds: Vec<Kind<'a>>,
}

/// The rows of one kind of work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kind<'a> {
    pub(crate) case: &'a CaseResult,
    pub(crate) rows: Vec<Row>,
    /// The finding, and what the source had.
    verdict: Vec<String>,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The study, the case and the kind of its work.
    place: [String; 3],
    /// `process 1`, `process, all`, `2026 process`.
    who: String,
    /// Label of the variant.
    variant: String,
    /// Whose figures they are.
    whose: Whose,
    /// A share of one CPU.
    cpu_share: Value,
    /// Bytes, as all the following but the last.
    memory: Value,
    rss: Value,
    peak: Value,
    /// Bytes given to system calls.
    calls: Value,
    disk: Value,
    files: Value,
    /// In ns.
    time: Value,
}

/// Whose figures a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Of one worker, by its number from 1.
    Worker(usize),
    /// Of all workers of a variant.
    All,
    /// Of the source, in its year.
    Source(u32),
}

pub(crate) type Column = Col<fn(&Row) -> Cell>;

/// Every column.
pub(crate) const COLUMNS: &[Column] = &[
    Column::new("study", |row| text(&row.place[0]).into()),
    Column::new("case", |row| text(&row.place[1]).into()).label("work"),
    Column::new("kind", |row| text(&row.place[2]).into()),
    Column::new("", |row| row.toned(&text(&row.who))).label("worker"),
    Column::new("variant", |row| text(&row.variant).into()),
    Column::new("whose", |row| {
        text(match row.whose {
            Whose::Worker(_) => "worker",
            Whose::All => "all",
            Whose::Source(_) => "source",
        })
        .into()
    }),
    Column::new("worker", |row| match row.whose {
        Whose::Worker(number) => whole(Some(number as u64)).into(),
        Whose::All | Whose::Source(_) => Cell::default(),
    }),
    Column::new("year", |row| match row.whose {
        Whose::Source(year) => whole(Some(year)).into(),
        Whose::All | Whose::Worker(_) => Cell::default(),
    }),
    Column::new("cpu_share", |row| row.toned(&row.cpu_share)).shown("CPU %", Unit::Share),
    Column::new("memory_bytes", |row| row.toned(&row.memory)).shown("memory", Unit::Bytes),
    Column::new("rss_bytes", |row| row.toned(&row.rss))
        .shown("RSS", Unit::Bytes)
        .drop(3),
    Column::new("peak_rss_bytes", |row| row.toned(&row.peak))
        .shown("peak", Unit::Bytes)
        .drop(2),
    Column::new("written_by_calls_bytes", |row| row.toned(&row.calls))
        .shown("calls", Unit::Bytes)
        .drop(1),
    Column::new("storage_written_bytes", |row| row.toned(&row.disk)).shown("disk", Unit::Bytes),
    Column::new("files_bytes", |row| row.toned(&row.files))
        .shown("files", Unit::Bytes)
        .drop(4),
    Column::new("time_ns", |row| row.toned(&row.time)).shown("time", Unit::Time),
    Column::new("not_available", |row| text(row.missing()).into()),
];

impl Row {
    fn toned(&self, value: &Value) -> Cell {
        let tone = match self.whose {
            Whose::Worker(_) | Whose::Source(_) => Tone::Quiet,
            Whose::All => Tone::Plain,
        };
        Cell::from(value.clone()).tone(tone)
    }

    /// Why figures are missing, each reason once.
    fn missing(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        for value in [&self.memory, &self.rss, &self.peak, &self.calls, &self.disk] {
            if let Value::NotAvailable(reason) = value
                && !reasons.contains(&reason.as_str())
            {
                reasons.push(reason);
            }
        }
        reasons.join("; ")
    }
}

/// The table of a study; false where it has no workers.
pub(super) fn workers(section: &mut Section, study: &StudyResult) -> bool {
    let Some(workers) = Table::of(study) else {
        return false;
    };
    let rows = workers.kinds.iter().flat_map(|kind| &kind.rows).cloned();
    let caption = "What the workers used, with the source's figures";
    section.table(table::Table::of(caption, COLUMNS, rows).in_groups());
    for kind in &workers.kinds {
        let said = kind.verdict.join("; ");
        section.text(Tone::Plain, format!("{}: {said}", kind.case.case.name));
    }
    section.text(Tone::Quiet, NOTE);
    true
}

impl<'a> Table<'a> {
    /// The table of a study; `None` where no case of it has workers.
    pub(crate) fn of(study: &'a StudyResult) -> Option<Self> {
        let alone = study.cases.iter().filter(|case| case.case.sweep.is_none());
        let kinds: Vec<Kind<'_>> = alone.filter_map(|case| Kind::of(study, case)).collect();
        (!kinds.is_empty()).then_some(Self { kinds })
    }
}

impl<'a> Kind<'a> {
    fn of(study: &StudyResult, case: &'a CaseResult) -> Option<Self> {
        let kind = case.case.work.worker_kind().unwrap_or_default();
        let place = [study.study.name.as_str(), &case.case.name, kind].map(str::to_owned);
        let mut rows: Vec<Row> = case
            .variants
            .iter()
            .flat_map(|variant| rows_of(&place, variant))
            .collect();
        if rows.is_empty() {
            return None;
        }
        let origin = study.study.origin.as_ref();
        let there = origin.and_then(|origin| {
            let mut rows = origin.rows.iter();
            let row = rows.find(|row| row.case.as_ref() == Some(&case.case.name))?;
            as_there(case).then_some((origin.year, row))
        });
        if let Some((year, row)) = there {
            rows.extend(source_rows(&place, year, row, case));
        }
        Some(Self {
            case,
            rows,
            verdict: verdict(case, there),
        })
    }
}

fn rows_of(place: &[String; 3], variant: &VariantSummary) -> Vec<Row> {
    let Some(workers) = &variant.workers else {
        return Vec::new();
    };
    let each = workers.each.iter().enumerate().map(|(at, used)| {
        let who = format!("{} {}", variant.label, at + 1);
        row(place, variant, who, (Whose::Worker(at + 1), used))
    });
    let all = format!("{}, all", variant.label);
    let mut all = row(place, variant, all, (Whose::All, &workers.sum));
    (all.memory, all.rss, all.peak) = memory(variant);
    each.chain([all]).collect()
}

fn row(
    place: &[String; 3],
    variant: &VariantSummary,
    who: String,
    (whose, used): (Whose, &Used),
) -> Row {
    Row {
        place: place.clone(),
        who,
        variant: variant.label.clone(),
        whose,
        cpu_share: Value::Number(used.cpu_share),
        memory: Value::Nothing,
        rss: Value::Nothing,
        peak: Value::Nothing,
        calls: counted(&used.written),
        disk: counted(&used.storage_written),
        files: number(used.file_bytes),
        time: Value::Number(used.time_ns),
    }
}

/// Honest memory, RSS and its peak.
fn memory(variant: &VariantSummary) -> (Value, Value, Value) {
    match (&variant.memory, &variant.memory_not_available) {
        (Some(memory), _) => (
            Value::Number(memory.total() as f64),
            Value::Number(memory.rss as f64),
            memory.peak_rss.map_or_else(
                || Value::NotAvailable("this kernel tells no peak of RSS".to_owned()),
                |peak| Value::Number(peak as f64),
            ),
        ),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("no good slot");
            let missing = || Value::NotAvailable(reason.to_owned());
            (missing(), missing(), missing())
        }
    }
}

/// Whether the case is launched as the source's was.
fn as_there(case: &CaseResult) -> bool {
    case.case.variants.iter().all(|labelled| {
        let variant = &labelled.variant;
        variant.flows == SOURCE_WORKERS
            && variant.placement.is_one_cpu()
            && labelled.label == variant.model.to_string()
    })
}

fn source_rows<'a>(
    place: &'a [String; 3],
    year: u32,
    row: &'a OriginRow,
    case: &'a CaseResult,
) -> impl Iterator<Item = Row> + 'a {
    let labels = case.variants.iter().map(|variant| &variant.label);
    let known = labels.filter(|label| row.seconds.contains_key(*label));
    known.map(move |label| {
        let figure =
            |figures: &std::collections::BTreeMap<String, f64>| number(figures.get(label).copied());
        Row {
            place: place.clone(),
            who: format!("{year} {label}"),
            variant: label.clone(),
            whose: Whose::Source(year),
            cpu_share: figure(&row.cpu_share),
            memory: Value::Nothing,
            rss: figure(&row.bytes),
            peak: Value::Nothing,
            calls: Value::Nothing,
            disk: Value::Nothing,
            files: figure(&row.disk_bytes),
            time: number(row.seconds.get(label).map(|seconds| seconds * 1e9)),
        }
    })
}

/// The findings of the case, and the source's own difference, which has no interval.
fn verdict(case: &CaseResult, there: Option<(u32, &OriginRow)>) -> Vec<String> {
    let labels: Vec<&str> = case.variants.iter().map(|v| v.label.as_str()).collect();
    let said = labels.iter().filter_map(|label| finding_of(case, label));
    let mut verdict: Vec<String> = said.map(|finding| finding.sentence.clone()).collect();
    if let (Some((year, row)), [a, b, ..]) = (there, labels.as_slice()) {
        let pair = [a, b].map(|label| row.seconds.get(*label).copied());
        let words = in_words([a, b], pair, "faster");
        verdict.extend(words.map(|words| format!("in {year}: {words} (one run, no interval)")));
    }
    verdict
}

fn counted(measured: &Measured<f64>) -> Value {
    match measured {
        Measured::Value(value) => Value::Number(*value),
        Measured::NotAvailable { reason, .. } => Value::NotAvailable(reason.clone()),
    }
}
