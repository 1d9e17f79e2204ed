//! How the two variants of a row, which is of one point, compare at the other points of its sweep.

use crate::data::number::plain;
use crate::data::words::listed;
use crate::findings::blocks::{Block, Sweep};
use crate::findings::{CaseResult, Compared, StudyResult};

/// Of more, the ends.
const NAMED: usize = 5;

/// The first of those that are rows.
pub(super) fn is_told_by(study: &StudyResult, sweep: &Sweep<'_>, case: &CaseResult) -> bool {
    let rows = study.study.deciding.iter();
    let mut rows = rows.filter_map(|named| study.deciding_case(named));
    let has = |row: &&CaseResult| {
        let mut points = sweep.points.iter();
        points.any(|(_, point)| point.case.name == row.case.name)
    };
    let first = rows.find(has);
    first.is_none_or(|first| first.case.name == case.case.name)
}

fn has_a_row(study: &StudyResult, case: &CaseResult) -> bool {
    let mut rows = study.study.deciding.iter();
    rows.any(|named| named.case == case.case.name)
}

/// `1 worker is best at 0.5 and 1 CPUs, 2 workers at 2; it flips between 1 and 2`.
pub(super) fn best(sweep: &Sweep<'_>) -> Option<String> {
    let told = |case: &CaseResult| {
        let best = case.optimum.as_ref().filter(|best| best.is_told)?;
        let alike = best.alike().map(|at| at.label.clone());
        let mut labels: Vec<String> = [best.label.clone()].into_iter().chain(alike).collect();
        labels.sort();
        Some(labels)
    };
    let points = sweep.points.iter();
    let points: Vec<(f64, Vec<String>)> = points
        .filter_map(|(at, case)| Some((*at, told(case)?)))
        .collect();
    (points.len() > 1).then(|| flips(&points, sweep.unit))
}

type Best = (f64, Vec<String>);

fn flips(points: &[Best], unit: &str) -> String {
    let stretches: Vec<&[Best]> = points.chunk_by(|a, b| a.1 == b.1).collect();
    let said = stretches.iter().enumerate().map(|(place, stretch)| {
        let at: Vec<String> = stretch.iter().map(|(at, _)| plain(*at)).collect();
        let (labels, at) = (either(&stretch[0].1), listed(&at));
        match place {
            0 => format!("best at {at} {unit}: {labels}"),
            _ => format!("at {at}: {labels}"),
        }
    });
    let said: Vec<String> = said.collect();
    let flips: Vec<String> = between(points);
    let flips = match flips.is_empty() {
        true => format!("no flip shown over these {unit}"),
        false => format!("it flips {} {unit}", listed(&flips)),
    };
    format!("{}; {flips}", said.join("; "))
}

/// Between which values none of those that may be the best stays one.
fn between(points: &[Best]) -> Vec<String> {
    let mut flips = Vec::new();
    let Some((mut from, mut left)) = points.first().cloned() else {
        return flips;
    };
    for (at, labels) in &points[1..] {
        let both: Vec<String> = left
            .iter()
            .filter(|one| labels.contains(one))
            .cloned()
            .collect();
        if both.is_empty() {
            flips.push(format!("between {} and {}", plain(from), plain(*at)));
            (from, left) = (*at, labels.clone());
            continue;
        }
        // A value that leaves more of them open moves no end.
        if both.len() == labels.len() {
            from = *at;
        }
        left = both;
    }
    flips
}

fn either(labels: &[String]) -> String {
    match labels {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        labels => labels.concat(),
    }
}

pub(super) fn sweep<'a>(study: &'a StudyResult, case: &CaseResult) -> Option<Sweep<'a>> {
    let mut blocks = Block::all(study).into_iter();
    match blocks.find(|block| block.has(case))? {
        Block::Sweep(sweep) => Some(sweep).filter(|sweep| sweep.points.len() > 1),
        Block::Case(_) | Block::Matrix(_) => None,
    }
}

/// `at block 1,000: 4.53x faster; at 100,000: 2.1x faster`.
pub(super) fn others(
    study: &StudyResult,
    sweep: &Sweep<'_>,
    own: &CaseResult,
    compare: impl Fn(&CaseResult) -> Option<Compared>,
) -> Option<String> {
    let all: Vec<&CaseResult> = sweep.points.iter().map(|(_, case)| *case).collect();
    let shown = match &all[..] {
        [first, .., last] if all.len() > NAMED => vec![*first, *last],
        _ => all,
    };
    let others = shown
        .into_iter()
        .filter(|case| case.case.name != own.case.name && !has_a_row(study, case));
    let said = others.filter_map(|case| {
        let said = compare(case)?.word;
        Some(format!(
            "at {} {}: {said}",
            sweep.parameter,
            case.case.point_value()
        ))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(at: f64, labels: &[&str]) -> Best {
        (at, labels.iter().map(|label| (*label).to_owned()).collect())
    }

    #[test]
    fn an_answer_flips_where_none_of_the_best_is_among_the_next_best() {
        let points = [best(0.5, &["1"]), best(1.0, &["1"]), best(2.0, &["2", "4"])];
        assert_eq!(
            flips(&points, "CPUs"),
            "best at 0.50 and 1 CPUs: 1; at 2: 2 or 4; it flips between 1 and 2 CPUs"
        );
        let points = [best(1.0, &["1"]), best(2.0, &["1", "2"]), best(4.0, &["2"])];
        let said = flips(&points, "CPUs");
        assert!(said.ends_with("it flips between 1 and 4 CPUs"), "{said}");
        // Where one of them may be the best on both sides, nothing is shown to flip.
        let points = [best(1.0, &["1"]), best(2.0, &["1", "2"])];
        let said = flips(&points, "CPUs");
        assert!(said.ends_with("no flip shown over these CPUs"), "{said}");
    }
}
