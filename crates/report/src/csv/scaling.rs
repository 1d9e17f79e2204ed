//! `scaling.csv`: throughput and pages against the number of flows, with the source's figures.

use flow::record::footprint::{Footprint, Touched};
use lab::{OriginFigure, Ratio, Results, Scaling, ScalingPoint, StudyResult, Throughput};
use measure::Measured;

use crate::scaling::UNTOLD;

use super::{Field, filled_in, names, number, sheet_of_some, text, whole};

/// One of ours, or a figure of the source.
enum Whose<'a> {
    Ours(&'a Scaling, &'a ScalingPoint, &'a Throughput),
    Source(u32, &'a OriginFigure),
}

struct Row<'a> {
    study: &'a StudyResult,
    whose: Whose<'a>,
}

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("study", |row| text(&row.study.study.name)),
    ("workload", |row| match &row.whose {
        Whose::Ours(work, ..) => text(&work.workload),
        Whose::Source(_, figure) => text(&figure.workload),
    }),
    ("along", |row| match &row.whose {
        Whose::Ours(work, ..) => text(work.along.word()),
        Whose::Source(_, figure) => text(figure.along.word()),
    }),
    ("whose", |row| match &row.whose {
        Whose::Ours(..) => text("ours"),
        Whose::Source(year, figure) => text(source(*year, figure)),
    }),
    ("case", |row| row.ours(|_, point, _| text(&point.case))),
    ("flows", |row| match &row.whose {
        Whose::Ours(_, point, _) => whole(Some(point.flows)),
        Whose::Source(_, figure) => whole(Some(figure.flows)),
    }),
    ("cpus", |row| row.ours(|work, _, _| whole(Some(work.room)))),
    ("variant", |row| row.ours(|_, _, one| text(&one.label))),
    ("processes", |row| {
        row.ours(|_, _, one| whole(Some(one.processes)))
    }),
    ("threads_each", |row| {
        row.ours(|_, _, one| whole(Some(one.threads)))
    }),
    ("counted", |row| row.ours(|work, _, _| text(&work.counted))),
    ("per_s", |row| row.ours(|_, _, one| number(Some(one.per_s)))),
    ("over_one_flow", |row| {
        row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.ratio)))
    }),
    ("over_one_flow_low", |row| {
        row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.interval?[0])))
    }),
    ("over_one_flow_high", |row| {
        row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.interval?[1])))
    }),
    ("threads_over_processes", |row| match &row.whose {
        Whose::Ours(..) => row.threads(|r| Some(r.ratio)),
        Whose::Source(_, figure) => number(
            figure
                .threads_over_processes
                .filter(|_| figure.against.is_none()),
        ),
    }),
    ("threads_over_processes_low", |row| {
        row.threads(|r| Some(r.interval?[0]))
    }),
    ("threads_over_processes_high", |row| {
        row.threads(|r| Some(r.interval?[1]))
    }),
    ("dtlb_misses_ratio", |row| match &row.whose {
        Whose::Ours(_, point, one) => {
            let of_threads = point.dtlb_misses.value().filter(|_| one.label == "thread");
            number(of_threads.copied())
        }
        Whose::Source(_, figure) => number(figure.dtlb_misses.filter(|_| figure.against.is_none())),
    }),
    ("memory_bytes", |row| {
        row.ours(|_, _, one| whole(one.memory.value().copied()))
    }),
    ("page_bytes", |row| row.footprint(|pages| Some(pages.page))),
    ("pages", |row| row.footprint(|pages| Some(pages.all.small))),
    ("pages_by_flows", |row| {
        row.touched(|pages| &pages.by_flows, |touched| touched.small)
    }),
    ("pages_by_cores", |row| {
        row.touched(|pages| &pages.by_cores, |touched| touched.small)
    }),
    ("pages_by_flows_at_most", |row| {
        row.footprint(|pages| Some(pages.by_flows_at_most?.small))
    }),
    ("pages_by_cores_at_most", |row| {
        row.footprint(|pages| Some(pages.by_cores_at_most?.small))
    }),
    ("pages_of_a_core", |row| {
        row.footprint(|pages| {
            pages
                .cores
                .value()?
                .iter()
                .map(|core| core.touched.small)
                .max()
        })
    }),
    ("pages_resident", |row| {
        row.footprint(|pages| pages.resident.value().copied())
    }),
    ("huge", |row| row.footprint(|pages| Some(pages.all.huge))),
    ("huge_by_flows", |row| {
        row.touched(|pages| &pages.by_flows, |touched| touched.huge)
    }),
    ("huge_by_cores", |row| {
        row.touched(|pages| &pages.by_cores, |touched| touched.huge)
    }),
    ("huge_by_flows_at_most", |row| {
        row.footprint(|pages| Some(pages.by_flows_at_most?.huge))
    }),
    ("huge_by_cores_at_most", |row| {
        row.footprint(|pages| Some(pages.by_cores_at_most?.huge))
    }),
    ("huge_of_a_core", |row| {
        row.footprint(|pages| {
            pages
                .cores
                .value()?
                .iter()
                .map(|core| core.touched.huge)
                .max()
        })
    }),
    ("not_available", |row| {
        row.ours(|_, _, one| text(missing(one)))
    }),
];

impl Row<'_> {
    fn ours(&self, fill: impl Fn(&Scaling, &ScalingPoint, &Throughput) -> Field) -> Field {
        match &self.whose {
            Whose::Ours(work, point, one) => fill(work, point, one),
            Whose::Source(..) => Field::Nothing,
        }
    }

    /// Of the row of threads, which the ratio is about.
    fn threads(&self, part: fn(Ratio) -> Option<f64>) -> Field {
        self.ours(|_, point, one| match one.label == "thread" {
            true => ratio(point.threads_over_processes, part),
            false => Field::Nothing,
        })
    }

    fn footprint(&self, part: fn(&Footprint) -> Option<u64>) -> Field {
        self.ours(|_, _, one| {
            let footprint = one.footprint.as_ref().and_then(Measured::value);
            whole(footprint.and_then(part))
        })
    }

    fn touched(
        &self,
        part: fn(&Footprint) -> &Measured<Touched>,
        size: fn(&Touched) -> u64,
    ) -> Field {
        self.ours(|_, _, one| {
            let footprint = one.footprint.as_ref().and_then(Measured::value);
            whole(footprint.and_then(|pages| part(pages).value().map(size)))
        })
    }
}

fn ratio(ratio: Option<Ratio>, part: fn(Ratio) -> Option<f64>) -> Field {
    number(ratio.and_then(part))
}

fn missing(one: &Throughput) -> String {
    let mut missing = crate::scaling::missing(one);
    if one.footprint.is_none() {
        missing.push(UNTOLD.to_owned());
    }
    missing.join("; ")
}

/// `2010: SPECjbb2005, UltraSPARC T1`, and what both figures are over if not processes.
fn source(year: u32, figure: &OriginFigure) -> String {
    let (was, on) = (&figure.was, &figure.on);
    match (&figure.against, figure.threads_over_processes) {
        (Some(against), Some(ratio)) => {
            format!("{year}: {was}, {on}, {ratio:.3} against {against}")
        }
        _ => format!("{year}: {was}, {on}"),
    }
}

/// One row a work, way, number of flows and variant, and one a figure of the source; `None`
/// where no study scales anything.
#[must_use]
pub fn scaling(results: &Results) -> Option<String> {
    let studies = results.studies.iter();
    let studies = studies.filter(|study| !study.scaling.is_empty());
    let rows = studies.flat_map(rows);
    let rows = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}

fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
    let ours = study.scaling.iter().flat_map(|work| {
        let points = work.points.iter();
        points.flat_map(move |point| {
            let variants = point.variants.iter();
            variants.map(move |variant| Whose::Ours(work, point, variant))
        })
    });
    let source = study.study.origin.iter().flat_map(|origin| {
        let figures = origin.figures.iter();
        figures.map(move |figure| Whose::Source(origin.year, figure))
    });
    ours.chain(source).map(move |whose| Row { study, whose })
}
