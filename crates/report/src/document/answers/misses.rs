//! What a model of another machine counted, as rows of the first screen: of each work along each way
//! the misses of the largest number of flows. They are ratios of counts and no verdicts, so they have
//! no bar.

use lab::findings::simulated::{Count, SimulatedCase};
use lab::{CaseResult, StudyResult};

use super::Row;
use crate::document::simulated::groups;
use crate::words::{Tone, plural};

/// Rows at the most.
const MOST: usize = 6;
/// The two that the published study speaks of.
const SHOWN: [Count; 2] = [Count::Llc, Count::Dtlb];

/// Whether a case was counted, and its simulated time decides nothing.
pub(super) fn are_the_answer(study: &StudyResult, case: &CaseResult) -> bool {
    let mut counted = study.simulated.iter();
    let mut decided = case.findings.iter().map(|one| one.verdict);
    counted.any(|one| one.case == case.case.name) && !decided.any(|verdict| verdict.is_decided())
}

/// Of the works of the study's deciding cases, or of all where none of those was counted.
pub(super) fn rows(place: usize, study: &StudyResult) -> impl Iterator<Item = Row> {
    let all = groups(study).into_iter();
    let largest: Vec<_> = all.filter_map(|group| group.last().copied()).collect();
    let is_deciding = |one: &SimulatedCase| {
        let mut deciding = study.study.deciding.iter().filter(|named| !named.alone);
        deciding.any(|named| named.has(&one.case))
    };
    let has_deciding = largest.iter().any(|one| is_deciding(one));
    let shown = largest.into_iter();
    let shown = shown.filter(move |one| !has_deciding || is_deciding(one));
    shown.take(MOST).filter_map(move |one| row(place, one))
}

/// `warehouse, cores 4`: `LLC misses 1.00x, DTLB misses 0.97x (threads / processes)`.
fn row(place: usize, one: &SimulatedCase) -> Option<Row> {
    let ratios = SHOWN.iter().filter_map(|count| {
        let own = one.count(*count)?;
        // Of a handful of misses one side may have none.
        let ratio = own.ratio?.median;
        (ratio > 0.0).then(|| format!("{} {ratio:.2}x", own.count.named().head))
    });
    let ratios: Vec<String> = ratios.collect();
    let label = match one.along {
        Some(along) => format!("{}, {} {}", one.workload, along.word(), one.flows),
        None => one.workload.clone(),
    };
    let sides = [&one.subject, &one.reference].map(|side| plural(side));
    let words = format!("{} ({})", ratios.join(", "), sides.join(" / "));
    (!ratios.is_empty()).then(|| Row::new(place, label, words, Tone::Plain))
}
