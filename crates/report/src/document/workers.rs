//! What workers used, one row each and one for all: `workers.csv` and its table. Memory cannot be
//! split among those that share it, so one worker has none. What a work does not have is an empty
//! cell; what was not measured has its reason.

use lab::{CaseResult, StudyResult, Used, VariantSummary};
use measure::Measured;
use measure::memory::Memory;

use super::table::{Cell, Col, Table, Unit, measured, missing, number, said, text, whole};
use super::variants::NO_GOOD_SLOT;
use super::{Level, Section};
use crate::words::Tone;
use lab::data::gathered::distinct;

const NOTE: &str = "CPU %: CPU time over the wall time of the steady phase; 100 is one \
    CPU all the time. Time of a worker: from the release to the end of its work; of all: create, \
    steady and tear-down. Memory and RSS: of the parent and all workers, when all have done their \
    work, so arrays that were freed are not in them; peak: the most RSS that each process had at \
    any time, added up. Calls: bytes given to system calls that write; 8 of them, of the worker that is \
    done last, tell the parent so. Disk: bytes that the kernel counted towards storage; files: \
    bytes that were read back from the files and were right.";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    case: &'a CaseResult,
    variant: &'a VariantSummary,
    /// `None` of all workers.
    worker: Option<u64>,
    used: &'a Used,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("case", |row| text(&row.case.case.name)).label("work"),
    Column::new("kind", |row| said(row.case.case.work.worker_kind())),
    Column::new("", |row| row.toned(text(row.who()))).label("worker"),
    Column::new("variant", |row| text(&row.variant.label)),
    Column::new("whose", |row| text(row.worker.map_or("all", |_| "worker"))),
    Column::new("worker", |row| whole(row.worker)),
    Column::new("cpu_share", |row| row.figure(row.used.cpu_share)).shown("CPU %", Unit::Share),
    Column::new("memory_bytes", |row| row.memory(|all| Some(all.total())))
        .shown("memory", Unit::Bytes),
    Column::new("rss_bytes", |row| row.memory(|all| Some(all.rss)))
        .shown("RSS", Unit::Bytes)
        .drop(3),
    Column::new("peak_rss_bytes", |row| row.memory(|all| all.peak_rss))
        .shown("peak", Unit::Bytes)
        .drop(2),
    Column::new("written_by_calls_bytes", |row| {
        row.counted(&row.used.written)
    })
    .shown("calls", Unit::Bytes)
    .drop(1),
    Column::new("storage_written_bytes", |row| {
        row.counted(&row.used.storage_written)
    })
    .shown("disk", Unit::Bytes),
    Column::new("files_bytes", |row| row.toned(number(row.used.file_bytes)))
        .shown("files", Unit::Bytes)
        .drop(4),
    Column::new("time_ns", |row| row.figure(row.used.time_ns)).shown("time", Unit::Time),
    Column::new("not_available", |row| text(row.not_available())),
];

impl Row<'_> {
    fn toned(&self, cell: Cell) -> Cell {
        cell.tone(self.worker.map_or(Tone::Plain, |_| Tone::Quiet))
    }

    fn who(&self) -> String {
        match self.worker {
            Some(number) => format!("{} {number}", self.variant.label),
            None => format!("{}, all", self.variant.label),
        }
    }

    fn figure(&self, value: f64) -> Cell {
        self.toned(number(Some(value)))
    }

    fn memory(&self, bytes: fn(&Memory) -> Option<u64>) -> Cell {
        self.toned(match (self.worker, &self.variant.memory) {
            (Some(_), _) => Cell::default(),
            (None, Some(memory)) => {
                let bytes = bytes(memory).map(|bytes| bytes as f64);
                measured(bytes, "this kernel tells no peak of RSS")
            }
            (None, None) => {
                let reason = self.variant.memory_not_available.as_deref();
                missing(reason.unwrap_or(NO_GOOD_SLOT))
            }
        })
    }

    fn counted(&self, counted: &Measured<f64>) -> Cell {
        self.toned(match counted {
            Measured::Value(value) => number(Some(*value)),
            Measured::NotAvailable { reason, .. } => missing(reason),
        })
    }

    fn not_available(&self) -> String {
        let cells = [
            self.memory(|all| Some(all.total())),
            self.memory(|all| all.peak_rss),
            self.counted(&self.used.written),
            self.counted(&self.used.storage_written),
        ];
        distinct(cells.iter().filter_map(Cell::reason)).join("; ")
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

pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
    let alone = study.cases.iter().filter(|case| case.case.sweep.is_none());
    let variants = alone.flat_map(|case| case.variants.iter().map(move |one| (case, one)));
    variants.flat_map(|(case, variant)| {
        let row = move |worker, used| Row {
            case,
            variant,
            worker,
            used,
        };
        variant.workers.iter().flat_map(move |workers| {
            let each = (1..).zip(&workers.each);
            let each = each.map(move |(number, used)| row(Some(number), used));
            each.chain([row(None, &workers.sum)])
        })
    })
}
