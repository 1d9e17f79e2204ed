//! How the times of all repetitions of a case are distributed, and those of its requests.

use flow::{Latencies, Rep};
use lab::CaseResult;

use super::figure::{Figure, Figures, Legend};
use super::table::table;
use crate::charts::Chart;
use crate::charts::ecdf::Curve;
use crate::number::{NONE, time};
use crate::words::many;

/// Fewer values than this are no distribution.
const FEW: u64 = 10;

/// What is distributed.
struct What {
    title: &'static str,
    /// For those who cannot see the chart, before what each variant has.
    desc: &'static str,
    /// What stands along the axis.
    axis: &'static str,
}

/// The times of repetitions; nothing where there are few.
pub(super) fn ecdf(id: &str, case: &CaseResult) -> Figures {
    let what = What {
        title: "How the times of repetitions are distributed",
        desc: "The share of repetitions within each time.",
        axis: "time of a repetition",
    };
    figure(id, &what, curves(case, |reps| times(case, reps)))
}

/// The latencies of all requests; nothing where flows answer none.
pub(super) fn latencies(id: &str, case: &CaseResult) -> Figures {
    let what = What {
        title: "How long requests took",
        desc: "The share of requests within each latency.",
        axis: "latency of a request",
    };
    figure(id, &what, curves(case, noted))
}

fn figure(id: &str, what: &What, curves: Vec<Curve>) -> Figures {
    if curves.iter().all(|curve| curve.count() < FEW) {
        return Figures::default();
    }
    let rows: Vec<_> = curves.iter().map(row).collect();
    let said: Vec<_> = rows
        .iter()
        .map(|row| format!("{}: half within {}", row[0], row[3]))
        .collect();
    let heads = [
        "variant", "values", "fastest", "half", "95 %", "99 %", "slowest",
    ];
    let figure = Figure {
        id: id.to_owned(),
        title: what.title.to_owned(),
        desc: format!("{} {}", what.desc, said.join("; ")),
        legend: Legend::variants(curves.iter().map(|curve| curve.label.as_str())),
        data: Some(table(&heads, &rows)),
        chart: Chart::Ecdf(curves, what.axis),
    };
    figure.into()
}

/// A curve a variant, of the counted repetitions of its slots that are data points.
fn curves<'a>(
    case: &'a CaseResult,
    values: impl Fn(Vec<&'a Rep>) -> Vec<(f64, u64)>,
) -> Vec<Curve> {
    let curve = |(place, variant): (usize, &lab::VariantSummary)| {
        let slots = case.slots.iter();
        let good = slots.filter(|slot| slot.variant == place && slot.value_ns.is_some());
        let reps = good
            .filter_map(|slot| slot.outcome.answer.done())
            .flat_map(|record| &record.reps);
        Curve {
            label: variant.label.clone(),
            values: values(reps.collect()),
        }
    };
    case.variants.iter().enumerate().map(curve).collect()
}

fn times(case: &CaseResult, reps: Vec<&Rep>) -> Vec<(f64, u64)> {
    let mut values: Vec<f64> = reps
        .into_iter()
        .map(|rep| case.case.metric.of(rep))
        .collect();
    values.retain(|value| *value > 0.0);
    values.sort_unstable_by(f64::total_cmp);
    values.into_iter().map(|value| (value, 1)).collect()
}

/// The latencies of all requests of these repetitions.
fn noted(reps: Vec<&Rep>) -> Vec<(f64, u64)> {
    let mut all = Latencies::default();
    let noted = reps.into_iter().filter_map(|rep| rep.latencies.as_ref());
    noted.for_each(|latencies| all.merge(latencies));
    let counts = all.counts_ns();
    counts.map(|(ns, count)| (ns as f64, count)).collect()
}

fn row(curve: &Curve) -> Vec<String> {
    let count = curve.count();
    // The smallest value within which so many of a hundred lie.
    let within = |percent: u64| {
        let rank = (count * percent).div_ceil(100).max(1) - 1;
        curve.at(rank).map_or(NONE.to_owned(), time)
    };
    vec![
        curve.label.clone(),
        many(count, "value"),
        within(0),
        within(50),
        within(95),
        within(99),
        within(100),
    ]
}
