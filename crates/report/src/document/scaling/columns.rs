//! The columns of `scaling.csv` and of its tables for people.

use flow::record::footprint::{Footprint, Touched};
use lab::{Finding, Ratio, Scaling, ScalingPoint, StudyResult, Throughput};
use measure::Measured;
use stats::Estimate;

use super::UNTOLD;
use super::pages::{PARTS, pages};
use crate::document::table::{Cell, Col, Unit, missing, number, said, text, whole};
use crate::number::factor_ends;
use crate::words::{Tone, finding_of, found};

#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) study: &'a StudyResult,
    pub(crate) work: &'a Scaling,
    pub(crate) point: &'a ScalingPoint,
    pub(crate) one: &'a Throughput,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("workload", |row| text(&row.work.workload)),
    Column::new("along", |row| text(row.work.along.word())),
    Column::new("case", |row| text(&row.point.case)),
    Column::new("flows", |row| whole(Some(row.point.flows))).shown("flows", Unit::Plain),
    Column::new("cpus", |row| whole(Some(row.work.room))),
    Column::new("variant", |row| text(&row.one.label)).label("variant"),
    Column::new("processes", |row| whole(Some(row.one.processes))),
    Column::new("threads_each", |row| whole(Some(row.one.threads))),
    Column::new("counted", |row| text(&row.work.counted)),
    Column::new("per_s", |row| number(Some(row.one.per_s)))
        .shown("a second", Unit::PerSecond)
        .drop(5),
    Column::new("over_one_flow", |row| row.over_one(|r| Some(r.ratio))),
    Column::new("over_one_flow_low", |row| {
        row.over_one(|r| Some(r.interval?[0]))
    }),
    Column::new("over_one_flow_high", |row| {
        row.over_one(|r| Some(r.interval?[1]))
    }),
    Column::new("threads_over_processes", |row| {
        row.threads(|r| Some(r.ratio))
    }),
    Column::new("threads_over_processes_low", |row| {
        row.threads(|r| Some(r.interval?[0]))
    }),
    Column::new("threads_over_processes_high", |row| {
        row.threads(|r| Some(r.interval?[1]))
    }),
    Column::new("time_ratio_threads_to_processes", |row| {
        row.times(|e| Some(e.ratio))
    }),
    Column::new("time_ratio_low", |row| row.times(|e| e.low)),
    Column::new("time_ratio_high", |row| row.times(|e| e.high)),
    Column::new("", |row| row.of_one())
        .label("of one flow")
        .drop(4),
    Column::new("", |row| row.of_one_ends())
        .label("its interval")
        .drop(1),
    Column::new("", |row| row.verdict()).label("verdict"),
    Column::new("", |row| row.interval())
        .label("interval")
        .drop(3),
    Column::new("dtlb_misses_ratio", |row| {
        let of_threads = row.point.dtlb_misses.value();
        number(of_threads.filter(|_| row.is_of_threads()).copied())
    }),
    Column::new("memory_bytes", |row| {
        let memory = row.one.memory.value();
        memory.map_or_else(|| missing(""), |bytes| whole(Some(*bytes)))
    })
    .shown("memory", Unit::Bytes)
    .drop(2),
    Column::new("page_bytes", |row| row.footprint(|pages| Some(pages.page))),
    Column::new("pages", |row| row.footprint(|pages| Some(pages.all.small))),
    Column::new("pages_by_flows", |row| {
        row.footprint(|pages| Some(pages.by_flows.value()?.small))
    }),
    Column::new("pages_by_cores", |row| {
        row.footprint(|pages| Some(pages.by_cores.value()?.small))
    }),
    Column::new("pages_by_flows_at_most", |row| {
        row.footprint(|pages| Some(pages.by_flows_at_most?.small))
    }),
    Column::new("pages_by_cores_at_most", |row| {
        row.footprint(|pages| Some(pages.by_cores_at_most?.small))
    }),
    Column::new("pages_of_a_core", |row| {
        row.footprint(|pages| of_a_core(pages, |touched| touched.small))
    }),
    Column::new("pages_resident", |row| {
        row.footprint(|pages| pages.resident.value().copied())
    }),
    Column::new("huge", |row| row.footprint(|pages| Some(pages.all.huge))),
    Column::new("huge_by_flows", |row| {
        row.footprint(|pages| Some(pages.by_flows.value()?.huge))
    }),
    Column::new("huge_by_cores", |row| {
        row.footprint(|pages| Some(pages.by_cores.value()?.huge))
    }),
    Column::new("huge_by_flows_at_most", |row| {
        row.footprint(|pages| Some(pages.by_flows_at_most?.huge))
    }),
    Column::new("huge_by_cores_at_most", |row| {
        row.footprint(|pages| Some(pages.by_cores_at_most?.huge))
    }),
    Column::new("huge_of_a_core", |row| {
        row.footprint(|pages| of_a_core(pages, |touched| touched.huge))
    }),
    Column::new("not_available", |row| text(not_available(row.one))),
];

pub(crate) const PAGES: &[Column] = &[
    Column::new("", |row| whole(Some(row.point.flows))).shown("flows", Unit::Plain),
    Column::new("", |row| text(&row.one.label)).label("variant"),
    Column::new("", |row| row.part(0, 0))
        .shown("4 KiB: of a flow", Unit::Plain)
        .drop(2),
    Column::new("", |row| row.part(1, 0)).shown("of a core", Unit::Plain),
    Column::new("", |row| row.part(2, 0)).shown("shared by flows", Unit::Plain),
    Column::new("", |row| row.part(3, 0))
        .shown("by cores", Unit::Plain)
        .drop(3),
    Column::new("", |row| row.part(1, 1))
        .shown("2 MiB: of a core", Unit::Plain)
        .drop(5),
    Column::new("", |row| row.part(2, 1))
        .shown("shared by flows", Unit::Plain)
        .drop(4),
    Column::new("", |row| row.part(3, 1))
        .shown("by cores", Unit::Plain)
        .drop(1),
];

impl Row<'_> {
    fn over_one(&self, part: fn(Ratio) -> Option<f64>) -> Cell {
        number(self.one.over_one.and_then(part))
    }

    fn threads(&self, part: fn(Ratio) -> Option<f64>) -> Cell {
        let ratio = self.point.threads_over_processes;
        number(ratio.filter(|_| self.is_of_threads()).and_then(part))
    }

    fn is_of_threads(&self) -> bool {
        self.one.processes == 1 && self.one.threads == self.point.flows
    }

    fn times(&self, part: fn(&Estimate) -> Option<f64>) -> Cell {
        let finding = self.finding().filter(|_| self.is_of_threads());
        number(finding.and_then(|f| part(f.estimate.as_ref()?)))
    }

    fn finding(&self) -> Option<&Finding> {
        let mut cases = self.study.cases.iter();
        let case = cases.find(|case| case.case.name == self.point.case)?;
        finding_of(case, &self.one.label)
    }

    fn verdict(&self) -> Cell {
        let first = self.point.variants.first();
        let is_first = first.is_some_and(|first| first.label == self.one.label);
        match self.finding() {
            None if is_first => text("reference").tone(Tone::Quiet),
            None => Cell::default(),
            Some(finding) => found(finding).cell(),
        }
    }

    fn interval(&self) -> Cell {
        said(self.finding().map(|finding| found(finding).interval))
    }

    fn of_one(&self) -> Cell {
        let over = self.one.over_one.map(|over| format!("{:.2}x", over.ratio));
        over.map_or_else(|| missing(""), text)
    }

    fn of_one_ends(&self) -> Cell {
        let ends = self.one.over_one.and_then(|over| over.interval);
        said(ends.map(|[low, high]| factor_ends(low, high)))
    }

    /// `part`: small pages (0) or huge ones (1).
    fn part(&self, part: usize, size: usize) -> Cell {
        pages(self.one, PARTS[part], size)
    }

    fn footprint(&self, part: fn(&Footprint) -> Option<u64>) -> Cell {
        let footprint = self.one.footprint.as_ref().and_then(Measured::value);
        whole(footprint.and_then(part))
    }
}

fn of_a_core(pages: &Footprint, size: fn(&Touched) -> u64) -> Option<u64> {
    let cores = pages.cores.value()?.iter();
    cores.map(|core| size(&core.touched)).max()
}

fn not_available(one: &Throughput) -> String {
    let mut missing = super::missing(one);
    if one.footprint.is_none() {
        missing.push(UNTOLD.to_owned());
    }
    missing.join("; ")
}

pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
    let works = study.parts.scaling.iter();
    works.flat_map(move |work| of_work(study, work))
}

pub(crate) fn of_work<'a>(
    study: &'a StudyResult,
    work: &'a Scaling,
) -> impl Iterator<Item = Row<'a>> {
    let points = work.points.iter();
    points.flat_map(move |point| {
        let variants = point.variants.iter();
        variants.map(move |one| Row {
            study,
            work,
            point,
            one,
        })
    })
}
