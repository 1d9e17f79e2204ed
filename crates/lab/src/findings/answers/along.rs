//! How the two variants of a row compare at the other points of its sweep: of a study alone, since a
//! row is of one point.

use crate::data::number::plain;
use crate::data::words::listed;
use crate::findings::blocks::{Block, Sweep};
use crate::findings::{CaseResult, Compared, StudyResult};

/// Of more, the ends.
const NAMED: usize = 5;

/// Whether the row of this case is the one that tells of its sweep: the first of those that are rows.
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

/// Which variant is the best along a sweep, and where that changes: `1 worker is best at 0.5 and 1 CPUs, 2
/// workers at 2; it flips between 1 and 2`.
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
    let stretches: Vec<&[(f64, Vec<String>)]> = points.chunk_by(|a, b| a.1 == b.1).collect();
    let said = stretches.iter().enumerate().map(|(place, stretch)| {
        let at: Vec<String> = stretch.iter().map(|(at, _)| plain(*at)).collect();
        let (labels, at) = (either(&stretch[0].1), listed(&at));
        match place {
            0 => format!("best at {at} {}: {labels}", sweep.unit),
            _ => format!("at {at}: {labels}"),
        }
    });
    let said: Vec<String> = said.collect();
    let flips = stretches.windows(2).filter(|two| {
        let other = |label: &&String| two[1][0].1.contains(*label);
        !two[0][0].1.iter().any(|label| other(&label))
    });
    let between = |two: &[&[(f64, Vec<String>)]]| {
        let (before, after) = (two[0].last()?.0, two[1].first()?.0);
        Some(format!("between {} and {}", plain(before), plain(after)))
    };
    let flips: Vec<String> = flips.filter_map(between).collect();
    let flips = match flips.is_empty() {
        true => format!("no flip shown over these {}", sweep.unit),
        false => format!("it flips {} {}", listed(&flips), sweep.unit),
    };
    (points.len() > 1).then(|| format!("{}; {flips}", said.join("; ")))
}

fn either(labels: &[String]) -> String {
    match labels {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        labels => labels.concat(),
    }
}

/// If it has other points.
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
