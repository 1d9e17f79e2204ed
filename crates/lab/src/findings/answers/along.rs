//! How the two variants of a row compare at the other points of its sweep: of a study alone, since a
//! row is of one point.

use crate::findings::blocks::{Block, Sweep};
use crate::findings::{CaseResult, Compared, StudyResult};

/// Of more, the ends.
const NAMED: usize = 5;

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
        .filter(|case| case.case.name != own.case.name);
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
