//! What a model of another machine counted, as rows of the first screen: of each work along each way
//! the misses of the largest number of flows. They are ratios of counts and no verdicts, so they have
//! no bar.

use lab::results::simulated::{Count, SimulatedCase};
use lab::{CaseResult, StudyResult};

use super::Row;
use crate::document::simulated::groups;
use crate::words::{Tone, plural};

/// Rows at the most.
const MOST: usize = 6;
/// The two that the published study speaks of.
const SHOWN: [Count; 2] = [Count::Llc, Count::Dtlb];

/// Whether a case was counted, and its simulated time decides nothing: then its counts are its answer.
pub(super) fn is_all_there_is(study: &StudyResult, case: &CaseResult) -> bool {
    let mut counted = study.simulated.iter();
    let mut decided = case.findings.iter().map(|one| one.verdict);
    counted.any(|one| one.case == case.case.name) && !decided.any(|verdict| verdict.is_decided())
}

/// Of the works that the study's deciding cases are of, or of all where it names none.
pub(super) fn rows(place: usize, study: &StudyResult) -> impl Iterator<Item = Row> {
    let deciding = || study.study.deciding.iter().filter(|one| !one.alone);
    let is_shown = move |one: &SimulatedCase| {
        deciding().next().is_none() || deciding().any(|named| named.has(&one.case))
    };
    let largest = groups(study)
        .into_iter()
        .filter_map(|group| group.last().copied());
    let shown = largest.filter(move |one| is_shown(one)).take(MOST);
    shown.filter_map(move |one| row(place, one))
}

/// `warehouse, cores 4`: `LLC misses 1.00x, DTLB misses 0.97x (threads / processes)`.
fn row(place: usize, one: &SimulatedCase) -> Option<Row> {
    let ratios = SHOWN.iter().filter_map(|count| {
        let own = one.count(*count)?;
        Some(format!(
            "{} {:.2}x",
            own.count.named().head,
            own.ratio?.median
        ))
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
