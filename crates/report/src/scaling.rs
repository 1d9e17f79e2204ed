//! What a study of scaling found, as rows: throughput, pages, and the source's figures.
//!
//! Throughput of threads over processes is one figure a number of flows, with the interval of
//! the finding that it is. The source's figures are of its own machines and numbers of flows,
//! and without intervals; ours is laid beside them at the largest number of flows for which
//! there are CPUs. Where a machine does not have a way (SMT), or a work was not run, ours says
//! so and the source's stays.
//!
//! Pages that could not be counted read `n/a`, with the reason below.

mod apart;
mod pages;
mod then;

use flow::record::footprint::Touched;
use lab::{OriginFigure, Ratio, Results, Scaling, StudyResult, Throughput};
use measure::Measured;

use crate::blocks::Sweep;
use crate::number::{NONE, significant};
pub(crate) use apart::apart;
pub(crate) use pages::{PARTS, pages};
use then::{Then, then};

/// What the columns of throughput are.
pub(crate) const NOTE: &str = "Of one: throughput over that of one flow (one pair) of the \
    first variant, with the interval of two samples at 95 %. Threads over processes: only the \
    model differs, rounds are in random order; above 1 threads do more. Memory: PSS, page tables \
    and kernel stacks.";

/// What the columns of pages are.
pub(crate) const PAGES: &str = "Pages that hold what the flows work on, of 4 KiB and as ranges of \
    2 MiB (what a huge page maps); each address space by itself. Shared: worked on by more than \
    one flow, or by flows of more than one core; after <=, at most so many are.";

/// What is said in place of pages where a work cannot tell them.
pub(crate) const UNTOLD: &str =
    "Pages: not available: flows of this work keep nothing that could be gone over at its end";

/// Why throughput is not set against that of one flow.
const NO_ONE: &str = "of one: no good slot with one flow (one pair) of the first variant: ask for \
    that number too, such as --flows 1..4";

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

impl<'a> Tables<'a> {
    /// The tables of a study; `None` where it does not scale anything.
    pub(crate) fn of(results: &'a Results, study: &'a StudyResult) -> Option<Self> {
        if study.scaling.is_empty() {
            return None;
        }
        let figures = study.study.origin.iter().flat_map(|origin| &origin.figures);
        let figures: Vec<&OriginFigure> = figures.collect();
        let about = |figure: &OriginFigure| {
            let against = figure.against.clone();
            (figure.workload.clone(), figure.along, against)
        };
        let same = |a: &&OriginFigure, b: &&OriginFigure| about(a) == about(b);
        Some(Self {
            works: &study.scaling,
            then: figures
                .chunk_by(same)
                .map(|figures| then(results, study, figures))
                .collect(),
        })
    }

    /// Why pages, memory or throughput of one are missing, each reason once.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        let points = self.works.iter().flat_map(|work| &work.points);
        for variant in points.flat_map(|point| &point.variants) {
            for reason in unseen(variant) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }
}

/// Why anything of a variant is missing, each reason once.
pub(crate) fn missing(variant: &Throughput) -> Vec<String> {
    let mut reasons = unseen(variant);
    let pages = variant.footprint.as_ref().and_then(Measured::value);
    let resident = pages.and_then(|pages| reason(&pages.resident));
    reasons.extend(resident.filter(|one| !reasons.contains(one)));
    reasons
}

/// The same of what the tables for people have; how many pages are resident is not in them.
fn unseen(variant: &Throughput) -> Vec<String> {
    let mut reasons = Vec::<String>::new();
    let mut take = |reason: Option<String>| {
        reasons.extend(reason.filter(|one| !reasons.contains(one)));
    };
    take(variant.over_one.is_none().then(|| NO_ONE.to_owned()));
    take(reason(&variant.memory));
    match &variant.footprint {
        Some(Measured::Value(pages)) => {
            take(bounded(&pages.by_flows, pages.by_flows_at_most));
            take(bounded(&pages.by_cores, pages.by_cores_at_most));
        }
        Some(footprint) => take(reason(footprint)),
        None => {}
    }
    reasons
}

/// The reason, and that there is a bound all the same.
fn bounded(measured: &Measured<Touched>, at_most: Option<Touched>) -> Option<String> {
    let reason = reason(measured)?;
    Some(match at_most {
        Some(_) => format!("{reason}; what stands after <= is a bound"),
        None => reason,
    })
}

fn reason<T>(measured: &Measured<T>) -> Option<String> {
    match measured {
        Measured::Value(_) => None,
        Measured::NotAvailable { .. } => Some(measured.as_ref().map(|_| String::new()).to_string()),
    }
}

/// Whether a figure of the source is about that work along that way.
fn is_of(figure: &OriginFigure, work: &Scaling) -> bool {
    let rest = work.workload.strip_prefix(figure.workload.as_str());
    let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']));
    named && work.along == figure.along
}

/// The source's figures of threads over processes for a work along a way.
pub(crate) fn figures_of<'a>(
    study: &'a StudyResult,
    work: &Scaling,
) -> impl Iterator<Item = &'a OriginFigure> {
    let figures = study.study.origin.iter().flat_map(|origin| &origin.figures);
    figures.filter(move |figure| is_of(figure, work) && figure.against.is_none())
}

/// Whether a sweep is over numbers of flows that each do as much: its times tell nothing, and
/// throughput has charts of its own.
pub(crate) fn is_scaled(sweep: &Sweep<'_>) -> bool {
    let mut cases = sweep.points.iter().map(|(_, case)| &case.case);
    cases.all(|case| lab::scaling::along(case).is_some())
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
    format!("{} {unit}", significant(value))
}

/// The heading of a work along a way: `warehouse along cores: transactions a second, and pages`.
pub(crate) fn heading(work: &Scaling) -> String {
    let (way, counted) = (work.along.spoken(), &work.counted);
    format!("{} {way}: {counted} a second, and pages", work.workload)
}

/// `Each of the transactions allocates 2.01 times, 425 bytes in all.`
pub(crate) fn allocating(work: &Scaling) -> Option<String> {
    let each = work.allocates?;
    let counted = &work.counted;
    Some(match each.count > 0.0 {
        true => format!(
            "Each of these {counted} allocates {} times, {} bytes in all",
            significant(each.count),
            each.bytes
        ),
        false => format!("These {counted} allocate nothing"),
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
