//! How the rows of maps change with the number of flows. A row in several maps of flows in the same
//! placement is a curve: the time of threads over that of processes, with intervals. That it grows
//! is said only where the interval at the largest number lies above that at the smallest, and no
//! step between is shown to go down.

use stats::Estimate;

use super::operation_matrix::{OperationMatrix, some, thread};
use crate::data::gathered::grouped;

pub(super) fn sentences(matrices: &[OperationMatrix<'_>]) -> Vec<String> {
    let by_placement = grouped(matrices.iter().map(|map| (&map.placement, map)));
    let said = by_placement.into_iter().filter_map(|(_, mut own)| {
        own.sort_by_key(|map| map.flows);
        sentence(&own)
    });
    said.collect()
}

/// `one per core, from 1 to 8 flows: the time of threads over that of processes grows in 2 of …`.
fn sentence(matrices: &[&OperationMatrix<'_>]) -> Option<String> {
    let (first, last) = (matrices.first()?, matrices.last()?);
    let curves = first.cases.iter().filter_map(|case| {
        let row = OperationMatrix::row(case);
        let points: Vec<Estimate> = matrices.iter().filter_map(|map| ratio(map, row)).collect();
        (points.len() == matrices.len()).then_some((row, points))
    });
    let curves: Vec<(&str, Vec<Estimate>)> = curves.collect();
    if matrices.len() < 2 || curves.is_empty() {
        return None;
    }
    let mut growing: Vec<(f64, f64, &str)> = curves
        .iter()
        .filter(|(_, points)| grows(points))
        .filter_map(|(row, points)| Some((points.first()?.ratio, points.last()?.ratio, *row)))
        .collect();
    growing.sort_by(|a, b| (b.1 / b.0).total_cmp(&(a.1 / a.0)));
    let named = |(from, to, row): &(f64, f64, &str)| format!("{row} from {from:.2} to {to:.2}");
    let names: Vec<String> = growing.iter().map(named).collect();
    let which = match names.len() {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    let listed = match names.is_empty() {
        true => String::new(),
        false => format!(" ({})", some(&names)),
    };
    Some(format!(
        "{}, from {} to {} flows: the time of threads over that of processes grows in {which} of \
         {} operations{listed}",
        first.place(),
        first.flows,
        last.flows,
        curves.len()
    ))
}

fn ratio(map: &OperationMatrix<'_>, row: &str) -> Option<Estimate> {
    let findings = map.cases.iter().filter_map(|case| thread(case));
    let of_row = findings.filter(|(name, _)| *name == row);
    of_row.filter_map(|(_, finding)| finding.estimate).next()
}

fn grows(points: &[Estimate]) -> bool {
    let intervals: Option<Vec<(f64, f64)>> = points.iter().map(Estimate::interval).collect();
    let Some(intervals) = intervals else {
        return false;
    };
    let (Some(first), Some(last)) = (intervals.first(), intervals.last()) else {
        return false;
    };
    let falls = |two: &[(f64, f64)]| two[1].1 < two[0].0;
    last.0 > first.1 && !intervals.windows(2).any(falls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::estimate;

    fn curve(points: &[(f64, f64)]) -> Vec<Estimate> {
        let points = points.iter();
        points
            .map(|&(low, high)| estimate((low * high).sqrt(), low, high))
            .collect()
    }

    #[test]
    fn growth_is_said_of_intervals_and_not_of_medians() {
        assert!(grows(&curve(&[(0.98, 1.02), (1.5, 1.6), (2.9, 3.1)])));
        // It may stand still, and may not be distinguished at a step.
        assert!(grows(&curve(&[(0.98, 1.02), (2.0, 2.4), (1.9, 2.3)])));
        assert!(!grows(&curve(&[(0.98, 1.2), (1.1, 1.4)])), "they overlap");
        assert!(
            !grows(&curve(&[(0.9, 1.0), (3.0, 3.1), (2.0, 2.1)])),
            "it falls"
        );
        assert!(!grows(&curve(&[(2.9, 3.1), (0.98, 1.02)])));
        assert!(!grows(&curve(&[(1.0, 1.1)])));
        let mut without = curve(&[(0.98, 1.02), (1.5, 1.6)]);
        without[1].low = None;
        assert!(!grows(&without), "too few rounds");
    }
}
