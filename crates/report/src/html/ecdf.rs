//! How the times of all repetitions of a case are distributed.

use lab::CaseResult;

use super::figure::{Figure, Figures, Legend};
use super::table::table;
use crate::charts::Chart;
use crate::charts::ecdf::Curve;
use crate::number::{NONE, time};
use crate::words::many;

/// Fewer values than this are no distribution.
const FEW: usize = 10;

/// The chart with its data; nothing where there are few values.
pub(super) fn ecdf(id: &str, case: &CaseResult) -> Figures {
    let curves = curves(case);
    if curves.iter().all(|curve| curve.values.len() < FEW) {
        return Figures::default();
    }
    let rows: Vec<_> = curves.iter().map(row).collect();
    let said: Vec<_> = rows
        .iter()
        .map(|row| format!("{}: half within {}", row[0], row[3]))
        .collect();
    let figure = Figure {
        id: id.to_owned(),
        title: "How the times of repetitions are distributed".to_owned(),
        desc: format!(
            "The share of repetitions within each time. {}",
            said.join("; ")
        ),
        legend: Legend::variants(curves.iter().map(|curve| curve.label.as_str())),
        data: Some(table(
            &[
                "variant", "values", "fastest", "half", "95 %", "99 %", "slowest",
            ],
            &rows,
        )),
        chart: Chart::Ecdf(curves),
    };
    figure.into()
}

/// The times of the counted repetitions of each variant that are data points.
fn curves(case: &CaseResult) -> Vec<Curve> {
    let curve = |(place, variant): (usize, &lab::VariantSummary)| {
        let slots = case.slots.iter();
        let good = slots.filter(|slot| slot.variant == place && slot.value_ns.is_some());
        let reps = good
            .filter_map(|slot| slot.outcome.answer.done())
            .flat_map(|record| &record.reps);
        let mut values: Vec<f64> = reps.map(|rep| case.case.metric.of(rep)).collect();
        values.retain(|value| *value > 0.0);
        values.sort_unstable_by(f64::total_cmp);
        Curve {
            label: variant.label.clone(),
            values,
        }
    };
    case.variants.iter().enumerate().map(curve).collect()
}

fn row(curve: &Curve) -> Vec<String> {
    let last = curve.values.len().saturating_sub(1);
    // The smallest value within which so many of a hundred lie.
    let within = |percent: usize| {
        let rank = (curve.values.len() * percent).div_ceil(100).max(1) - 1;
        curve
            .values
            .get(rank.min(last))
            .map_or(NONE.to_owned(), |ns| time(*ns))
    };
    vec![
        curve.label.clone(),
        many(curve.values.len() as u64, "value"),
        within(0),
        within(50),
        within(95),
        within(99),
        within(100),
    ]
}
