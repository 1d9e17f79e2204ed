//! What workers used, one row each and one for all: `workers.csv` and its table. Memory cannot be
//! split among those that share it, so one worker has none. What a work does not have is an empty
//! cell; what was not measured has its reason.

use lab::{StudyResult, Used, VariantSummary};
use measure::Measured;

use super::table::{Cell, Col, Table, Unit, Value, number, text, whole};
use super::{Level, Section};
use crate::words::Tone;

const NOTE: &str = "CPU %: CPU time over the wall time of the steady phase; 100 is one \
    CPU all the time. Time of a worker: from the release to the end of its work; of all: create, \
    steady and tear-down. Memory and RSS: of the parent and all workers, when all have done their \
    work, so arrays that were freed are not in them; peak: the most RSS that each process had at \
    any time, added up. Calls: bytes given to system calls that write; 8 of them, of the worker that is \
    done last, tell the parent so. Disk: bytes that the kernel counted towards storage; files: \
    bytes that were read back from the files and were right.";

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    place: [String; 2],
    who: String,
    variant: String,
    whose: Whose,
    cpu_share: Value,
    /// In bytes, as what follows, except the last.
    memory: Value,
    rss: Value,
    peak: Value,
    calls: Value,
    disk: Value,
    files: Value,
    time: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Worker(usize),
    All,
}

pub(crate) type Column = Col<fn(&Row) -> Cell>;

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("case", |row| text(&row.place[0]).into()).label("work"),
    Column::new("kind", |row| text(&row.place[1]).into()),
    Column::new("", |row| row.toned(&text(&row.who))).label("worker"),
    Column::new("variant", |row| text(&row.variant).into()),
    Column::new("whose", |row| {
        text(match row.whose {
            Whose::Worker(_) => "worker",
            Whose::All => "all",
        })
        .into()
    }),
    Column::new("worker", |row| match row.whose {
        Whose::Worker(number) => whole(Some(number as u64)).into(),
        Whose::All => Cell::default(),
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
            Whose::Worker(_) => Tone::Quiet,
            Whose::All => Tone::Plain,
        };
        Cell::from(value.clone()).tone(tone)
    }

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

pub(super) fn workers(section: &mut Section, id: &str, study: &StudyResult) {
    let mut own = Section::new(&format!("{id}-used"), "What the workers used");
    own.table(Table::of("", COLUMNS, rows(study)).in_groups());
    if !own.is_empty() {
        own.text(Tone::Quiet, NOTE);
    }
    section.section(own, Level::Evidence);
}

pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row> {
    let alone = study.cases.iter().filter(|case| case.case.sweep.is_none());
    alone.flat_map(|case| {
        let kind = case.case.work.worker_kind().unwrap_or_default();
        let place = [case.case.name.as_str(), kind].map(str::to_owned);
        let variants = case.variants.iter();
        variants.flat_map(move |one| rows_of(&place, one))
    })
}

fn rows_of(place: &[String; 2], variant: &VariantSummary) -> Vec<Row> {
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
    place: &[String; 2],
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

fn counted(measured: &Measured<f64>) -> Value {
    match measured {
        Measured::Value(value) => Value::Number(*value),
        Measured::NotAvailable { reason, .. } => Value::NotAvailable(reason.clone()),
    }
}
