//! What workers used, one row each and one for all of them, with the source's figures below.
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
//! writes none) is an empty cell; what could not be measured reads `n/a`, with its reason.

use lab::{CaseResult, OriginRow, StudyResult, Used, VariantSummary};
use measure::Measured;

use crate::number::{bytes, time};
use crate::origin::in_words;
use crate::words::finding_of;

/// Workers of each program in the source's table.
const SOURCE_WORKERS: u32 = 2;

/// What the columns are, for the line below the table.
pub(crate) const NOTE: &str = "CPU %: CPU time over the wall time of the steady phase; 100 is one \
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
    pub(crate) verdict: Vec<String>,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// `process 1`, `process, all`, `2026 process`.
    pub(crate) who: String,
    /// Label of the variant.
    pub(crate) variant: String,
    /// Whose figures they are.
    pub(crate) whose: Whose,
    /// A share of one CPU.
    pub(crate) cpu_share: Figure,
    /// Bytes, as all the following but the last.
    pub(crate) memory: Figure,
    pub(crate) rss: Figure,
    pub(crate) peak: Figure,
    /// Bytes given to system calls.
    pub(crate) calls: Figure,
    pub(crate) disk: Figure,
    pub(crate) files: Figure,
    /// In ns.
    pub(crate) time: Figure,
}

/// Whose figures a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Of one worker, by its number from 1.
    Worker(usize),
    /// Of all workers of a variant.
    All,
    /// Of the source, in its year.
    Source(u32),
}

/// A figure of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Figure {
    /// The row has none.
    None,
    Is(f64),
    /// It could not be measured, and why.
    NotAvailable(String),
}

impl Figure {
    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Self::Is(value) => Some(*value),
            Self::None | Self::NotAvailable(_) => None,
        }
    }

    fn of(value: Option<f64>) -> Self {
        value.map_or(Self::None, Self::Is)
    }

    /// As a cell shows it.
    pub(crate) fn shown(&self, unit: fn(f64) -> String) -> String {
        match self {
            Self::None => String::new(),
            Self::Is(value) => unit(*value),
            Self::NotAvailable(_) => crate::number::NONE.to_owned(),
        }
    }
}

impl From<&Measured<f64>> for Figure {
    fn from(measured: &Measured<f64>) -> Self {
        match measured {
            Measured::Value(value) => Self::Is(*value),
            Measured::NotAvailable { reason, .. } => Self::NotAvailable(reason.clone()),
        }
    }
}

/// Headings of the figures of a row, behind who it is.
pub(crate) const HEADS: [&str; 8] = [
    "CPU %",
    "memory",
    "RSS",
    "peak",
    "given to calls",
    "disk",
    "files",
    "time",
];

impl Row {
    /// The figures as cells show them, under [`HEADS`].
    pub(crate) fn cells(&self) -> [String; 8] {
        [
            self.cpu_share.shown(share),
            self.memory.shown(bytes),
            self.rss.shown(bytes),
            self.peak.shown(bytes),
            self.calls.shown(bytes),
            self.disk.shown(bytes),
            self.files.shown(bytes),
            self.time.shown(time),
        ]
    }
}

/// A share of one CPU, under a heading with the percent sign.
pub(crate) fn share(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

impl<'a> Table<'a> {
    /// The table of a study; `None` where no case of it has workers.
    pub(crate) fn of(study: &'a StudyResult) -> Option<Self> {
        let alone = study.cases.iter().filter(|case| case.case.sweep.is_none());
        let kinds: Vec<Kind<'_>> = alone.filter_map(|case| Kind::of(study, case)).collect();
        (!kinds.is_empty()).then_some(Self { kinds })
    }

    /// Why figures are missing, each reason once.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let mut reasons = Vec::new();
        for row in self.kinds.iter().flat_map(|kind| &kind.rows) {
            for figure in [&row.memory, &row.rss, &row.peak, &row.calls, &row.disk] {
                if let Figure::NotAvailable(reason) = figure
                    && !reasons.contains(&reason.as_str())
                {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }
}

impl<'a> Kind<'a> {
    fn of(study: &StudyResult, case: &'a CaseResult) -> Option<Self> {
        let mut rows: Vec<Row> = case.variants.iter().flat_map(rows_of).collect();
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
            rows.extend(source_rows(year, row, case));
        }
        Some(Self {
            case,
            rows,
            verdict: verdict(case, there),
        })
    }
}

fn rows_of(variant: &VariantSummary) -> Vec<Row> {
    let Some(workers) = &variant.workers else {
        return Vec::new();
    };
    let each = workers.each.iter().enumerate().map(|(at, used)| {
        let who = format!("{} {}", variant.label, at + 1);
        row(variant, who, Whose::Worker(at + 1), used)
    });
    let all = format!("{}, all", variant.label);
    let mut all = row(variant, all, Whose::All, &workers.sum);
    (all.memory, all.rss, all.peak) = memory(variant);
    each.chain([all]).collect()
}

fn row(variant: &VariantSummary, who: String, whose: Whose, used: &Used) -> Row {
    Row {
        who,
        variant: variant.label.clone(),
        whose,
        cpu_share: Figure::Is(used.cpu_share),
        memory: Figure::None,
        rss: Figure::None,
        peak: Figure::None,
        calls: Figure::from(&used.written),
        disk: Figure::from(&used.storage_written),
        files: Figure::of(used.file_bytes),
        time: Figure::Is(used.time_ns),
    }
}

/// Honest memory, RSS and its peak.
fn memory(variant: &VariantSummary) -> (Figure, Figure, Figure) {
    match (&variant.memory, &variant.memory_not_available) {
        (Some(memory), _) => (
            Figure::Is(memory.total() as f64),
            Figure::Is(memory.rss as f64),
            memory.peak_rss.map_or_else(
                || Figure::NotAvailable("this kernel tells no peak of RSS".to_owned()),
                |peak| Figure::Is(peak as f64),
            ),
        ),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("no good slot");
            let missing = || Figure::NotAvailable(reason.to_owned());
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
    year: u32,
    row: &'a OriginRow,
    case: &'a CaseResult,
) -> impl Iterator<Item = Row> + 'a {
    let labels = case.variants.iter().map(|variant| &variant.label);
    let known = labels.filter(|label| row.seconds.contains_key(*label));
    known.map(move |label| {
        let figure = |figures: &std::collections::BTreeMap<String, f64>| {
            Figure::of(figures.get(label).copied())
        };
        Row {
            who: format!("{year} {label}"),
            variant: label.clone(),
            whose: Whose::Source(year),
            cpu_share: figure(&row.cpu_share),
            memory: Figure::None,
            rss: figure(&row.bytes),
            peak: Figure::None,
            calls: Figure::None,
            disk: Figure::None,
            files: figure(&row.disk_bytes),
            time: Figure::of(row.seconds.get(label).map(|seconds| seconds * 1e9)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stand_under_a_percent_sign() {
        assert_eq!(share(0.998), "99.8");
        assert_eq!(share(0.0385), "3.9");
        assert_eq!(share(1.5), "150.0");
    }

    #[test]
    fn nothing_is_empty_and_what_is_missing_is_not() {
        let unit: fn(f64) -> String = |value| value.to_string();
        assert_eq!(Figure::None.shown(unit), "");
        assert_eq!(Figure::Is(2.5).shown(unit), "2.5");
        assert_eq!(Figure::NotAvailable("why".into()).shown(unit), "n/a");
        assert_eq!(
            Figure::from(&Measured::not_available("why", "")).value(),
            None
        );
    }
}
