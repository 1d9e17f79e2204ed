//! What a study of scaling found, as rows: throughput, pages, and the source's figures.
//!
//! Throughput of threads over processes is one figure a number of flows, with the interval of
//! the finding that it is. The source's figures are of its own machines and numbers of flows,
//! and without intervals; ours is laid beside them at the largest number of flows for which
//! there are CPUs. Where a machine does not have a way (SMT), or a work was not run, ours says
//! so and the source's stays.
//!
//! Pages that could not be counted read `n/a`, with the reason below.

use flow::record::footprint::{Footprint, Touched};
use lab::{OriginFigure, Ratio, Results, Scaling, ScalingPoint, StudyResult, Throughput};
use measure::Measured;

use crate::number::{NONE, count};

/// What the columns of throughput are.
pub(crate) const NOTE: &str = "Of one: throughput over that of one flow (one pair) of the \
    first variant, with the interval of two samples at 95 %. Threads over processes: only the \
    model differs, rounds are in random order; above 1 threads do more. Memory: PSS, page tables \
    and kernel stacks.";

/// What the columns of pages are.
pub(crate) const PAGES: &str = "Pages that hold what the flows work on, of 4 KiB and as ranges of \
    2 MiB (what a huge page maps); each address space by itself. Shared: worked on by more than \
    one flow, or by flows of more than one core.";

/// What is said in place of pages where a work cannot tell them.
pub(crate) const UNTOLD: &str =
    "Pages: not available: flows of this work keep nothing that could be gone over at its end";

/// Whether any variant of a work tells of its pages, or why there are none.
pub(crate) fn tells_pages(work: &Scaling) -> bool {
    let mut variants = work.points.iter().flat_map(|point| &point.variants);
    variants.any(|variant| variant.footprint.is_some())
}

/// A study that has any.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tables<'a> {
    pub(crate) works: &'a [Scaling],
    pub(crate) then: Vec<Then<'a>>,
}

/// The source's figures of a work along a way, and ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Then<'a> {
    pub(crate) figures: Vec<&'a OriginFigure>,
    /// Ours, work by work; empty where none was run.
    pub(crate) here: Vec<Here<'a>>,
    /// Why there is none.
    pub(crate) missing: Option<String>,
}

/// One of ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Here<'a> {
    pub(crate) workload: &'a str,
    pub(crate) flows: u32,
    pub(crate) ratio: Option<Ratio>,
}

impl<'a> Tables<'a> {
    /// The tables of a study; `None` where it does not scale anything.
    pub(crate) fn of(results: &'a Results, study: &'a StudyResult) -> Option<Self> {
        if study.scaling.is_empty() {
            return None;
        }
        let figures = study.study.origin.iter().flat_map(|origin| &origin.figures);
        let figures: Vec<&OriginFigure> = figures.collect();
        let same =
            |a: &&OriginFigure, b: &&OriginFigure| a.workload == b.workload && a.along == b.along;
        Some(Self {
            works: &study.scaling,
            then: figures
                .chunk_by(same)
                .map(|figures| then(results, study, figures))
                .collect(),
        })
    }

    /// Why pages or memory are missing, each reason once.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        let points = self.works.iter().flat_map(|work| &work.points);
        for variant in points.flat_map(|point| &point.variants) {
            for reason in missing(variant) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }
}

pub(crate) fn missing(variant: &Throughput) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut take = |measured: Option<String>| reasons.extend(measured);
    take(reason(&variant.memory));
    match &variant.footprint {
        Some(Measured::Value(pages)) => {
            take(reason(&pages.by_flows));
            take(reason(&pages.by_cores));
            take(reason(&pages.resident));
        }
        Some(footprint) => take(reason(footprint)),
        None => {}
    }
    reasons
}

fn reason<T>(measured: &Measured<T>) -> Option<String> {
    match measured {
        Measured::Value(_) => None,
        Measured::NotAvailable { .. } => Some(measured.as_ref().map(|_| String::new()).to_string()),
    }
}

/// The point with the most flows for which there are CPUs; with one flow there is nothing to
/// share.
fn largest(work: &Scaling) -> Option<&ScalingPoint> {
    let fits = |point: &&ScalingPoint| point.flows <= work.room;
    let several = |point: &&ScalingPoint| point.flows > 1;
    let points = || work.points.iter().filter(several);
    points().rfind(fits).or(points().next_back())
}

fn then<'a>(results: &Results, study: &'a StudyResult, figures: &[&'a OriginFigure]) -> Then<'a> {
    let figure = figures[0];
    let named = |work: &&Scaling| {
        let rest = work.workload.strip_prefix(figure.workload.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
    };
    let own = study
        .scaling
        .iter()
        .filter(|work| work.along == figure.along)
        .filter(named);
    let here = own.filter_map(|work| {
        let point = largest(work)?;
        Some(Here {
            workload: &work.workload,
            flows: point.flows,
            ratio: point.threads_over_processes,
        })
    });
    let here: Vec<Here<'_>> = here.collect();
    let why = || figure.along.missing(&results.header.machine);
    let why = || why().unwrap_or_else(|| "not run".to_owned());
    Then {
        figures: figures.to_vec(),
        missing: here.is_empty().then(why),
        here,
    }
}

impl Then<'_> {
    /// `along SMT, SPECjbb2005: 1.092 (UltraSPARC T1, 4 flows), 1.055 (Xeon X5570, 2 flows)`.
    pub(crate) fn there(&self) -> String {
        let figure = self.figures[0];
        let each = self.figures.iter().map(|figure| {
            let (ratio, on, flows) = (figure.threads_over_processes, &figure.on, figure.flows);
            format!("{ratio:.3} ({on}, {flows} flows)")
        });
        let each: Vec<String> = each.collect();
        format!(
            "{}, {}: {}",
            figure.along.spoken(),
            figure.was,
            each.join(", ")
        )
    }

    /// `warehouse, 2 flows: 1.012 [0.985 ... 1.034]`, or why there is none.
    pub(crate) fn here(&self) -> Vec<String> {
        let ours = self.here.iter().map(|here| {
            let ratio = shown(here.ratio.as_ref());
            format!("{}, {} flows: {ratio}", here.workload, here.flows)
        });
        let missing = self
            .missing
            .iter()
            .map(|why| format!("{}: {why}", self.figures[0].workload));
        ours.chain(missing).collect()
    }
}

/// `1.034 [0.985 ... 1.081]`.
pub(crate) fn shown(ratio: Option<&Ratio>) -> String {
    ratio.map_or_else(
        || NONE.to_owned(),
        |ratio| {
            format!("{} {}", one(ratio), ratio.ends())
                .trim_end()
                .to_owned()
        },
    )
}

/// A ratio alone, with three decimals.
pub(crate) fn one(ratio: &Ratio) -> String {
    format!("{:.3}", ratio.ratio)
}

/// `0.912 M/s`.
pub(crate) fn per_second(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e6 => (v / 1e6, "M/s"),
        v if v >= 1e3 => (v / 1e3, "k/s"),
        v => (v, "/s"),
    };
    format!("{} {unit}", lab::number::significant(value))
}

/// The heading of a work along a way: `warehouse along cores: transactions a second, and pages`.
pub(crate) fn heading(work: &Scaling) -> String {
    let (way, counted) = (work.along.spoken(), &work.counted);
    format!("{} {way}: {counted} a second, and pages", work.workload)
}

/// Small and huge pages of a part of a footprint.
pub(crate) fn pages(
    variant: &Throughput,
    part: impl Fn(&Footprint) -> Measured<Touched>,
) -> [String; 2] {
    let known = variant
        .footprint
        .as_ref()
        .map(|footprint| footprint.as_ref().and_then(part));
    match known {
        Some(Measured::Value(touched)) => [count(touched.small), count(touched.huge)],
        Some(Measured::NotAvailable { .. }) => [NONE.to_owned(), NONE.to_owned()],
        None => [String::new(), String::new()],
    }
}

/// Pages of the flow that has most of them.
pub(crate) fn of_a_flow(footprint: &Footprint) -> Measured<Touched> {
    let most = footprint.flows.iter().max_by_key(|touched| touched.small);
    most.copied()
        .map_or_else(|| Measured::not_available("no flow", ""), Measured::Value)
}

/// Pages of the core that has most of them.
pub(crate) fn of_a_core(footprint: &Footprint) -> Measured<Touched> {
    footprint.cores.as_ref().and_then(|cores| {
        let most = cores.iter().max_by_key(|core| core.touched.small);
        most.map_or_else(
            || Measured::not_available("no core", ""),
            |core| Measured::Value(core.touched),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_three_digits_and_a_unit() {
        assert_eq!(per_second(912_345.0), "912 k/s");
        assert_eq!(per_second(1_234_567.0), "1.23 M/s");
        assert_eq!(per_second(12.34), "12.3 /s");
    }

    #[test]
    fn a_ratio_that_is_not_known_is_not_1() {
        assert_eq!(shown(None), "n/a");
        let ratio = Ratio {
            ratio: 1.0342,
            interval: Some([0.9852, 1.0811]),
        };
        assert_eq!(shown(Some(&ratio)), "1.034 [0.985 ... 1.082]");
    }
}
