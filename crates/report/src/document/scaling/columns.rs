//! The columns of `scaling.csv` and of the tables of throughput and pages that people see.

use flow::record::footprint::{Footprint, Touched};
use lab::{Finding, OriginFigure, Ratio, Scaling, ScalingPoint, StudyResult, Throughput};
use measure::Measured;
use stats::Estimate;

use super::UNTOLD;
use super::pages::{PARTS, Part, pages};
use crate::document::table::{Cell, Col, Unit, Value, number, text, whole};
use crate::number::factor_ends;
use crate::words::{Tone, comparison};

/// One of ours, or a figure of the source.
#[derive(Debug)]
pub(crate) enum Whose<'a> {
    Ours(&'a Scaling, &'a ScalingPoint, &'a Throughput),
    Source(u32, &'a OriginFigure),
}

/// A row of a study.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) study: &'a StudyResult,
    pub(crate) whose: Whose<'a>,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

/// Throughput, and everything in files.
pub(crate) const COLUMNS: &[Column] = &[
    Column::new("study", |row| Cell::from(text(&row.study.study.name))),
    Column::new("workload", |row| {
        Cell::from(match &row.whose {
            Whose::Ours(work, ..) => text(&work.workload),
            Whose::Source(_, figure) => text(&figure.workload),
        })
    }),
    Column::new("along", |row| {
        Cell::from(match &row.whose {
            Whose::Ours(work, ..) => text(work.along.word()),
            Whose::Source(_, figure) => text(figure.along.word()),
        })
    }),
    Column::new("whose", |row| {
        Cell::from(match &row.whose {
            Whose::Ours(..) => text("ours"),
            Whose::Source(year, figure) => text(source(*year, figure)),
        })
    }),
    Column::new("case", |row| {
        Cell::from(row.ours(|_, point, _| text(&point.case)))
    }),
    Column::new("flows", |row| {
        Cell::from(match &row.whose {
            Whose::Ours(_, point, _) => whole(Some(point.flows)),
            Whose::Source(_, figure) => whole(Some(figure.flows)),
        })
    })
    .shown("flows", Unit::Plain),
    Column::new("cpus", |row| {
        Cell::from(row.ours(|work, _, _| whole(Some(work.room))))
    }),
    Column::new("variant", |row| {
        Cell::from(row.ours(|_, _, one| text(&one.label)))
    })
    .label("variant"),
    Column::new("processes", |row| {
        Cell::from(row.ours(|_, _, one| whole(Some(one.processes))))
    }),
    Column::new("threads_each", |row| {
        Cell::from(row.ours(|_, _, one| whole(Some(one.threads))))
    }),
    Column::new("counted", |row| {
        Cell::from(row.ours(|work, _, _| text(&work.counted)))
    }),
    Column::new("per_s", |row| {
        Cell::from(row.ours(|_, _, one| number(Some(one.per_s))))
    })
    .shown("a second", Unit::PerSecond)
    .drop(5),
    Column::new("over_one_flow", |row| {
        Cell::from(row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.ratio))))
    }),
    Column::new("over_one_flow_low", |row| {
        Cell::from(row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.interval?[0]))))
    }),
    Column::new("over_one_flow_high", |row| {
        Cell::from(row.ours(|_, _, one| ratio(one.over_one, |r| Some(r.interval?[1]))))
    }),
    Column::new("threads_over_processes", |row| {
        Cell::from(match &row.whose {
            Whose::Ours(..) => row.threads(|r| Some(r.ratio)),
            Whose::Source(_, figure) => number(
                figure
                    .threads_over_processes
                    .filter(|_| figure.against.is_none()),
            ),
        })
    }),
    Column::new("threads_over_processes_low", |row| {
        Cell::from(row.threads(|r| Some(r.interval?[0])))
    }),
    Column::new("threads_over_processes_high", |row| {
        Cell::from(row.threads(|r| Some(r.interval?[1])))
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
        Cell::from(match &row.whose {
            Whose::Ours(_, point, one) => {
                let of_threads = point.dtlb_misses.value().filter(|_| one.label == "thread");
                number(of_threads.copied())
            }
            Whose::Source(_, figure) => {
                number(figure.dtlb_misses.filter(|_| figure.against.is_none()))
            }
        })
    }),
    Column::new("memory_bytes", |row| {
        Cell::from(row.ours(|_, _, one| memory(one)))
    })
    .shown("memory", Unit::Bytes)
    .drop(2),
    Column::new("page_bytes", |row| {
        Cell::from(row.footprint(|pages| Some(pages.page)))
    }),
    Column::new("pages", |row| {
        Cell::from(row.footprint(|pages| Some(pages.all.small)))
    }),
    Column::new("pages_by_flows", |row| {
        Cell::from(row.touched(|pages| &pages.by_flows, |touched| touched.small))
    }),
    Column::new("pages_by_cores", |row| {
        Cell::from(row.touched(|pages| &pages.by_cores, |touched| touched.small))
    }),
    Column::new("pages_by_flows_at_most", |row| {
        Cell::from(row.footprint(|pages| Some(pages.by_flows_at_most?.small)))
    }),
    Column::new("pages_by_cores_at_most", |row| {
        Cell::from(row.footprint(|pages| Some(pages.by_cores_at_most?.small)))
    }),
    Column::new("pages_of_a_core", |row| {
        Cell::from({
            row.footprint(|pages| {
                pages
                    .cores
                    .value()?
                    .iter()
                    .map(|core| core.touched.small)
                    .max()
            })
        })
    }),
    Column::new("pages_resident", |row| {
        Cell::from(row.footprint(|pages| pages.resident.value().copied()))
    }),
    Column::new("huge", |row| {
        Cell::from(row.footprint(|pages| Some(pages.all.huge)))
    }),
    Column::new("huge_by_flows", |row| {
        Cell::from(row.touched(|pages| &pages.by_flows, |touched| touched.huge))
    }),
    Column::new("huge_by_cores", |row| {
        Cell::from(row.touched(|pages| &pages.by_cores, |touched| touched.huge))
    }),
    Column::new("huge_by_flows_at_most", |row| {
        Cell::from(row.footprint(|pages| Some(pages.by_flows_at_most?.huge)))
    }),
    Column::new("huge_by_cores_at_most", |row| {
        Cell::from(row.footprint(|pages| Some(pages.by_cores_at_most?.huge)))
    }),
    Column::new("huge_of_a_core", |row| {
        Cell::from({
            row.footprint(|pages| {
                pages
                    .cores
                    .value()?
                    .iter()
                    .map(|core| core.touched.huge)
                    .max()
            })
        })
    }),
    Column::new("not_available", |row| {
        Cell::from(row.ours(|_, _, one| text(missing(one))))
    }),
];

/// Pages, which people see in a table of their own.
pub(crate) const PAGES: &[Column] = &[
    Column::new("", |row| row.flows().into()).shown("flows", Unit::Plain),
    Column::new("", |row| row.ours(|_, _, one| text(&one.label)).into()).label("variant"),
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
    fn ours(&self, fill: impl Fn(&Scaling, &ScalingPoint, &Throughput) -> Value) -> Value {
        match &self.whose {
            Whose::Ours(work, point, one) => fill(work, point, one),
            Whose::Source(..) => Value::Nothing,
        }
    }

    /// Of the row of threads, which the ratio is about.
    fn threads(&self, part: fn(Ratio) -> Option<f64>) -> Value {
        match self.is_of_threads() {
            true => self.ours(|_, point, _| ratio(point.threads_over_processes, part)),
            false => Value::Nothing,
        }
    }

    /// Whether the flows of this row are threads of one process.
    fn is_of_threads(&self) -> bool {
        match &self.whose {
            Whose::Ours(_, point, one) => one.processes == 1 && one.threads == point.flows,
            Whose::Source(..) => false,
        }
    }

    /// Times of threads over times of processes.
    fn times(&self, part: fn(&Estimate) -> Option<f64>) -> Cell {
        let finding = self.finding().filter(|_| self.is_of_threads());
        number(finding.and_then(|f| part(f.estimate.as_ref()?))).into()
    }

    /// The row's variant against the first one of its case.
    fn finding(&self) -> Option<&Finding> {
        let Whose::Ours(_, point, one) = &self.whose else {
            return None;
        };
        let mut cases = self.study.cases.iter();
        let case = cases.find(|case| case.case.name == point.case)?;
        case.findings
            .iter()
            .find(|finding| finding.subject == one.label)
    }

    fn verdict(&self) -> Cell {
        let first = self.ours(|_, point, one| {
            let first = point
                .variants
                .first()
                .is_some_and(|first| first.label == one.label);
            text(if first { "reference" } else { "" })
        });
        match self.finding() {
            None => Cell::from(first).tone(Tone::Quiet),
            Some(finding) => {
                let said = comparison(finding.estimate.as_ref(), &finding.verdict);
                Cell::from(text(said.word)).tone(said.tone)
            }
        }
    }

    fn interval(&self) -> Cell {
        let said = self
            .finding()
            .map(|f| comparison(f.estimate.as_ref(), &f.verdict));
        said.map_or(Value::Nothing, |said| text(said.interval))
            .into()
    }

    fn of_one(&self) -> Cell {
        self.ours(|_, _, one| match one.over_one {
            Some(over) => text(format!("{:.2}x", over.ratio)),
            None => Value::NotAvailable(String::new()),
        })
        .into()
    }

    fn of_one_ends(&self) -> Cell {
        self.ours(|_, _, one| {
            let ends = one.over_one.and_then(|over| over.interval);
            ends.map_or(Value::Nothing, |[low, high]| text(factor_ends(low, high)))
        })
        .into()
    }

    fn flows(&self) -> Value {
        match &self.whose {
            Whose::Ours(_, point, _) => whole(Some(point.flows)),
            Whose::Source(_, figure) => whole(Some(figure.flows)),
        }
    }

    /// A part of the pages: small ones (0) or huge ones (1).
    fn part(&self, part: usize, size: usize) -> Cell {
        let part: fn(&Footprint) -> Part = PARTS[part];
        self.ours(|_, _, one| pages(one, part, size)).into()
    }

    fn footprint(&self, part: fn(&Footprint) -> Option<u64>) -> Value {
        self.ours(|_, _, one| {
            let footprint = one.footprint.as_ref().and_then(Measured::value);
            whole(footprint.and_then(part))
        })
    }

    fn touched(
        &self,
        part: fn(&Footprint) -> &Measured<Touched>,
        size: fn(&Touched) -> u64,
    ) -> Value {
        self.ours(|_, _, one| {
            let footprint = one.footprint.as_ref().and_then(Measured::value);
            whole(footprint.and_then(|pages| part(pages).value().map(size)))
        })
    }
}

fn ratio(ratio: Option<Ratio>, part: fn(Ratio) -> Option<f64>) -> Value {
    number(ratio.and_then(part))
}

fn memory(one: &Throughput) -> Value {
    match &one.memory {
        Measured::Value(bytes) => whole(Some(*bytes)),
        Measured::NotAvailable { .. } => Value::NotAvailable(String::new()),
    }
}

fn missing(one: &Throughput) -> String {
    let mut missing = super::missing(one);
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

/// Every row of a study, those of the source last.
pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
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

/// The rows of one work along one way.
pub(crate) fn of_work<'a>(
    study: &'a StudyResult,
    work: &'a Scaling,
) -> impl Iterator<Item = Row<'a>> {
    let points = work.points.iter();
    points.flat_map(move |point| {
        let variants = point.variants.iter();
        variants.map(move |variant| Row {
            study,
            whose: Whose::Ours(work, point, variant),
        })
    })
}
