//! How the times of all repetitions of a case are distributed, and those of its requests, with the
//! quantiles given elsewhere: those of [`Summary`] and of [`Latencies`].

use flow::{Latencies, Rep};
use lab::CaseResult;
use stats::Summary;

use super::{Figure, Legend, brief};
use crate::charts::Chart;
use crate::charts::ecdf::Curve;
use crate::document::table::Table;
use crate::number::time;
use crate::words::many;

const FEW: u64 = 10;

const TOO_FEW: &str = "too few";

struct What {
    title: &'static str,
    desc: &'static str,
    axis: &'static str,
}

struct Distribution {
    curve: Curve,
    quantiles: Quantiles,
}

#[derive(Default)]
struct Quantiles {
    fastest: f64,
    quartiles: [f64; 3],
    p95: Option<f64>,
    p99: Option<f64>,
    slowest: f64,
}

pub(crate) fn ecdf(id: &str, case: &CaseResult) -> Option<Figure> {
    let what = What {
        title: "Half of the repetitions take at most",
        desc: "The share of repetitions within each time.",
        axis: "time of a repetition",
    };
    figure(id, case, &what, |reps| times(case, reps))
}

pub(crate) fn latencies(id: &str, case: &CaseResult) -> Option<Figure> {
    let what = What {
        title: "Half of the requests take at most",
        desc: "The share of requests within each latency.",
        axis: "latency of a request",
    };
    figure(id, case, &what, noted)
}

fn figure<'a>(
    id: &str,
    case: &'a CaseResult,
    what: &What,
    values: impl Fn(Vec<&'a Rep>) -> Option<Values>,
) -> Option<Figure> {
    let all = each(case, values);
    if all.iter().all(|one| one.curve.count() < FEW) {
        return None;
    }
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let halves = |said: &str| -> Vec<String> {
        let rows = rows.iter();
        rows.map(|row| format!("{}{said} {}", row[0], row[3]))
            .collect()
    };
    let title = format!("{}: {}", what.title, brief(&halves("")));
    let desc = format!("{} {}", what.desc, halves(": half within").join("; "));
    let heads = [
        "variant", "values", "fastest", "half", "95 %", "99 %", "slowest",
    ];
    let curves = all.into_iter().map(|one| one.curve).collect();
    let figure = Figure::new(id, title, desc, Chart::Ecdf(curves, what.axis));
    let data = Table::texts("", &heads, rows);
    Some(figure.legend(Legend::of(case)).data(data))
}

type Values = (Vec<(f64, u64)>, Quantiles);

fn each<'a>(
    case: &'a CaseResult,
    values: impl Fn(Vec<&'a Rep>) -> Option<Values>,
) -> Vec<Distribution> {
    let one = |(place, variant): (usize, &lab::VariantSummary)| {
        let slots = case.slots.iter();
        let good = slots.filter(|slot| slot.variant == place && slot.value_ns.is_some());
        let reps = good
            .filter_map(|slot| slot.outcome.answer.done())
            .flat_map(|record| &record.reps);
        let (values, quantiles) = values(reps.collect()).unwrap_or_default();
        Distribution {
            curve: Curve {
                label: variant.label.clone(),
                values,
                quartiles: quantiles.quartiles,
            },
            quantiles,
        }
    };
    case.variants.iter().enumerate().map(one).collect()
}

fn times(case: &CaseResult, reps: Vec<&Rep>) -> Option<Values> {
    let reps = reps.into_iter();
    let mut values: Vec<f64> = reps.map(|rep| case.case.metric.of(rep)).collect();
    values.retain(|value| *value > 0.0);
    values.sort_unstable_by(f64::total_cmp);
    let summary = Summary::of(&values).ok()?;
    let quantiles = Quantiles {
        fastest: summary.undisturbed,
        quartiles: [summary.p25, summary.typical, summary.p75],
        p95: summary.p95,
        p99: summary.p99,
        slowest: *values.last()?,
    };
    Some((
        values.into_iter().map(|value| (value, 1)).collect(),
        quantiles,
    ))
}

fn noted(reps: Vec<&Rep>) -> Option<Values> {
    let mut all = Latencies::default();
    let noted = reps.into_iter().filter_map(|rep| rep.latencies.as_ref());
    noted.for_each(|latencies| all.merge(latencies));
    let within = |share: f64| all.quantile_ns(share).map(|ns| ns as f64);
    let quantiles = Quantiles {
        fastest: within(0.0)?,
        quartiles: [within(0.25)?, within(0.5)?, within(0.75)?],
        p95: within(0.95),
        p99: within(0.99),
        slowest: all.most_ns() as f64,
    };
    let counts = all.counts_ns();
    Some((
        counts.map(|(ns, count)| (ns as f64, count)).collect(),
        quantiles,
    ))
}

fn row(one: &Distribution) -> Vec<String> {
    let count = one.curve.count();
    let quantiles = &one.quantiles;
    let within = |value: Option<f64>| match value {
        Some(value) if count > 0 => time(value),
        _ => TOO_FEW.to_owned(),
    };
    let [_, half, _] = quantiles.quartiles;
    let all = [
        Some(quantiles.fastest),
        Some(half),
        quantiles.p95,
        quantiles.p99,
        Some(quantiles.slowest),
    ];
    let cells = [one.curve.label.clone(), many(count, "value")];
    cells.into_iter().chain(all.map(within)).collect()
}
